// Every promise of what is kept about reviews, on each database: reviews, checks, writes, spending, conversations, and their end.
import { afterAll, describe } from "vitest";
import { storedRetrievalStatistics, storedRetrievals } from "../../../src/store/reviews/retrievals.ts";
import { recordsOn } from "../../../src/wire/store.ts";
import { ledgerContract } from "../../adapters/contracts/ledger.ts";
import { NOW, retrievalLogContract } from "../../adapters/contracts/retrieval-log.ts";
import { bookContracts } from "../../adapters/contracts/state-stores.ts";
import { writeBookContract } from "../../adapters/contracts/write-store.ts";
import { postgresStage, type StoreStage, sqliteStage } from "../store-harness.ts";

contracts("SQLite", await sqliteStage());
const onPostgres = await postgresStage();
describe.skipIf(onPostgres === null)("on PostgreSQL", () => {
  if (onPostgres !== null) contracts("PostgreSQL", onPostgres);
});

function contracts(name: string, stage: StoreStage): void {
  afterAll(() => stage.close());
  const { db, pass } = stage;
  const open = async () => {
    await stage.empty();
    const books = recordsOn(db, { process: null, reclaim: () => Promise.resolve() });
    return { queue: stage.queue(), books, pass };
  };
  ledgerContract(`${name}'s reviews`, async () => (await open()).books.ledger);
  writeBookContract(name, async () => {
    const { queue, books } = await open();
    const { orphanWrites: orphans, pace } = books;
    return { queue, book: (lease) => books.held(lease).writes, orphans, pace, pass };
  });
  retrievalLogContract(`the log in ${name}`, async () => {
    await stage.empty();
    return { log: storedRetrievals(db), statistics: storedRetrievalStatistics(db, () => NOW) };
  });
  bookContracts(name, open);
}
