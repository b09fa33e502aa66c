// The ports beside memory, over Postgres: what every store promises, unchanged.
import { afterAll, describe } from "vitest";
import { postgresRetrievalLog } from "../../../src/adapters/postgres/retrieval-log.ts";
import { postgresRetrievalStatistics } from "../../../src/adapters/postgres/retrieval-statistics.ts";
import { evidenceContract } from "../contracts/evidence-shelf.ts";
import { isolationContract } from "../contracts/isolation.ts";
import { keptVectorsContract } from "../contracts/kept-vectors.ts";
import { rejectionsContract } from "../contracts/rejections.ts";
import { NOW, retrievalLogContract } from "../contracts/retrieval-log.ts";
import { contractDatabase, emptied } from "./contract-database.ts";
import { openPostgresShelf } from "./open-shelf.ts";

const db = await contractDatabase();
afterAll(() => db?.close());

/** 300 take a minute. */
const LIVES = process.env.SLOW === "1" ? 3_000 : 30;

describe.skipIf(db === null)("Postgres", () => {
  if (db === null) return;
  const open = () => openPostgresShelf(db);
  evidenceContract("Postgres", open);
  rejectionsContract("Postgres", open);
  keptVectorsContract("Postgres", open);
  retrievalLogContract("the log in Postgres", async () => {
    await emptied(db);
    return { log: postgresRetrievalLog(db), statistics: postgresRetrievalStatistics(db, () => NOW) };
  });
  isolationContract("Postgres", open, LIVES);
});
