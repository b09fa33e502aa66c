import { afterAll, describe } from "vitest";
import { BOOK_PART } from "../../../src/adapters/postgres/book-schema.ts";
import { postgresBooks } from "../../../src/wire/postgres-books.ts";
import { testDatabase } from "../../postgres.ts";
import { bookContracts } from "../contracts/books.ts";
import { ledgerContract } from "../contracts/ledger.ts";
import { writeBookContract } from "../contracts/write-book.ts";
import { postgresStage } from "./stage.ts";

const given = await testDatabase();
const stage = given === null ? null : await postgresStage(given.url);
afterAll(async () => {
  await stage?.close();
  await given?.drop();
});

const TABLES = BOOK_PART.steps.flatMap((step) => [...step.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name));

describe.skipIf(stage === null)("on PostgreSQL", () => {
  const open = async () => {
    if (stage === null) throw new Error("there is no database");
    await stage.empty();
    await stage.db.run(`TRUNCATE ${TABLES.join(", ")}`);
    const { db, pass } = stage;
    return { queue: stage.queue(), books: postgresBooks({ quick: db, patient: db }, null), pass };
  };
  ledgerContract("the Postgres ledger", async () => (await open()).books.ledger);
  writeBookContract("the Postgres store", async () => {
    const { queue, books, pass } = await open();
    const { orphanWrites: orphans, pace } = books;
    return { queue, book: (lease) => books.held(lease).writes, orphans, pace, pass };
  });
  bookContracts("the Postgres store", open);
});
