import { afterAll, describe } from "vitest";
import { postgresMemory } from "../../../src/adapters/postgres/memory.ts";
import { postgresRecall } from "../../../src/adapters/postgres/recall.ts";
import { memoryContract } from "../contracts/memory.ts";
import { contractDatabase, emptied } from "./contract-database.ts";

const db = await contractDatabase();
afterAll(() => db?.close());

describe.skipIf(db === null)("Postgres", () => {
  if (db === null) return;
  memoryContract("memory in Postgres", async () => {
    await emptied(db);
    return { memory: postgresMemory(db), recall: postgresRecall(db), close: async () => {} };
  });
});
