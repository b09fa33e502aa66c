// Every promise of what is kept about reviews, on each database: reviews, checks, writes, spending,
// conversations, and their end.
import { afterAll, describe } from "vitest";
import { storedRetrievalStatistics, storedRetrievals } from "../../../src/store/reviews/retrievals.ts";
import { recordsOn } from "../../../src/wire/store.ts";
import { ledgerContract } from "../../adapters/contracts/ledger.ts";
import { NOW, retrievalLogContract } from "../../adapters/contracts/retrieval-log.ts";
import { stateStoreContracts } from "../../adapters/contracts/state-stores.ts";
import { writeStoreContract } from "../../adapters/contracts/write-store.ts";
import { postgresHarness, type StoreHarness, sqliteHarness } from "../store-harness.ts";

contracts("SQLite", await sqliteHarness());
const onPostgres = await postgresHarness();
describe.skipIf(onPostgres === null)("on PostgreSQL", () => {
  if (onPostgres !== null) contracts("PostgreSQL", onPostgres);
});

function contracts(name: string, harness: StoreHarness): void {
  afterAll(() => harness.close());
  const { db, pass } = harness;
  const open = async () => {
    await harness.empty();
    const stores = recordsOn(db, null, () => Promise.resolve());
    return { queue: harness.queue(), stores, pass };
  };
  ledgerContract(`${name}'s reviews`, async () => (await open()).stores.ledger);
  writeStoreContract(name, async () => {
    const { queue, stores } = await open();
    const { orphanWrites: orphans, pace } = stores;
    return { queue, book: (lease) => stores.held(lease).writes, orphans, pace, pass };
  });
  retrievalLogContract(`the log in ${name}`, async () => {
    await harness.empty();
    return { log: storedRetrievals(db), statistics: storedRetrievalStatistics(db, () => NOW) };
  });
  stateStoreContracts(name, open);
}
