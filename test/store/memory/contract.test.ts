// Every promise of memory, on each database and by each way of searching vectors.
import { afterAll, describe } from "vitest";
import { ROWS_IN_DATABASE } from "../../../src/search/memory-search.ts";
import { evidenceContract } from "../../adapters/contracts/evidence-store.ts";
import { isolationContract } from "../../adapters/contracts/isolation.ts";
import { keptVectorsContract } from "../../adapters/contracts/kept-vectors.ts";
import { memoryContract } from "../../adapters/contracts/memory.ts";
import type { OpenMemoryPorts } from "../../adapters/contracts/memory-ports.ts";
import { rejectionsContract } from "../../adapters/contracts/rejections.ts";
import { postgresTestDatabase, sqliteTestDatabase } from "../databases.ts";
import { memoryPortsOver } from "./memory-ports.ts";

/** 10,000 take some minutes. */
const LIVES = process.env.NIGHTLY === "1" ? 10_000 : 300;
if (process.env.NIGHTLY !== "1") console.warn("skipped: 9,700 of 10,000 lives of repositories; NIGHTLY=1 runs all");

for (const [way, rows] of [
  ["vectors in SQL", ROWS_IN_DATABASE],
  ["vectors in memory", 0],
] as const) {
  memoryContract(`SQLite, ${way}`, async () => memoryPortsOver(await sqliteTestDatabase(), { rowsInDatabase: rows }));
}
const openSqliteMemory = async () => memoryPortsOver(await sqliteTestDatabase());
keptVectorsContract("SQLite", openSqliteMemory);
evidenceContract("SQLite", openSqliteMemory);
rejectionsContract("SQLite", openSqliteMemory);
isolationContract("SQLite", openSqliteMemory, LIVES);

const postgres = await postgresTestDatabase();

/** One database for the file, emptied for each test. */
async function openPostgresMemory(rowsInDatabase = ROWS_IN_DATABASE): Promise<OpenMemoryPorts> {
  if (postgres === null) throw new Error("there is no PostgreSQL");
  await postgres.db.run("TRUNCATE repositories, spaces, embeddings, retrievals RESTART IDENTITY CASCADE");
  return memoryPortsOver({ ...postgres, close: () => Promise.resolve() }, { rowsInDatabase });
}

describe.skipIf(postgres === null)("PostgreSQL", () => {
  afterAll(async () => postgres?.close());
  for (const [way, rows] of [
    ["vectors in SQL", ROWS_IN_DATABASE],
    ["vectors in memory", 0],
  ] as const)
    memoryContract(`PostgreSQL, ${way}`, () => openPostgresMemory(rows));
  const open = () => openPostgresMemory();
  keptVectorsContract("PostgreSQL", open);
  evidenceContract("PostgreSQL", open);
  rejectionsContract("PostgreSQL", open);
  isolationContract("PostgreSQL", open, 30);
});
