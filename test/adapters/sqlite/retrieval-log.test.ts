import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { LOG_LIMITS, type LogLimits } from "../../../src/adapters/memory/retrieval-row.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database.ts";
import { QUEUE_MIGRATIONS } from "../../../src/adapters/sqlite/queue-schema.ts";
import { sqliteRetrievalLog } from "../../../src/adapters/sqlite/retrieval-log.ts";
import { sqliteRetrievalStatistics } from "../../../src/adapters/sqlite/retrieval-statistics.ts";
import { anEntry, NOW, retrievalLogContract } from "../contracts/retrieval-log.ts";

function opened(limits: Partial<LogLimits> = {}) {
  const db = openDatabase(":memory:", QUEUE_MIGRATIONS);
  const log = sqliteRetrievalLog(db, { ...LOG_LIMITS, ...limits });
  return { db, log, statistics: sqliteRetrievalStatistics(db, () => NOW) };
}
const idsOf = (db: Database.Database) => db.prepare("SELECT id FROM retrievals ORDER BY row").pluck().all();

retrievalLogContract("the SQLite log", opened);

test("every part of an entry is in its row", async () => {
  const { db, log } = opened();
  const rerank = { by: "rerank-2.5", ms: 7, tokens: 5, usd: 0.1, topChanged: 0.2, meanMove: 1, failed: null };
  const entry = anEntry({
    rerank,
    rerankMs: 7,
    rerankScores: [0.9, 0.1],
    degraded: ["embedding"],
    distances: [0.2, null],
  });
  await log.write(entry);
  expect(db.prepare("SELECT * FROM retrievals").get()).toEqual({
    row: 1,
    id: entry.id,
    repo: "github.com/42",
    repo_name: "acme/shop",
    pull: 12,
    origin: "review",
    query: entry.query,
    method: "hybrid",
    searched: 1,
    ids: JSON.stringify(entry.ids),
    scores: "[1.2,-0.4]",
    distances: "[0.2,null]",
    rerank_scores: "[0.9,0.1]",
    results: 2,
    retrieval_ms: 40,
    rerank_ms: 7,
    scanned: 900,
    candidates: 55,
    embedded_texts: 4,
    embedded_cached: 0,
    embedding_tokens: 400,
    embedding_usd: 0.00008,
    rerank: JSON.stringify(rerank),
    tokens: 400,
    usd: 0.00008,
    gate_retrieve: 1,
    gate_by: "few-files",
    gate_confidence: 0.9,
    shadow: 0,
    shadow_hits: 0,
    degraded: '["embedding"]',
    average_distance: 0.3,
    language_match: 0.5,
    top_k: 5,
    threshold: 0.3,
    calibrated: 0.3,
    created_at: entry.createdAt,
  });
});

test("a log over its limit loses its oldest rows, a few with each row that is written", async () => {
  const long = opened({ rows: 1_000 });
  for (let at = 0; at < 20; at += 1) await long.log.write(anEntry());
  const short = sqliteRetrievalLog(long.db, { ...LOG_LIMITS, rows: 5, chunk: 10 });
  await short.write(anEntry());
  expect(idsOf(long.db)).toHaveLength(11);
  const newest = anEntry();
  await short.write(newest);
  expect(idsOf(long.db)).toHaveLength(5);
  expect(idsOf(long.db).at(-1)).toBe(newest.id);
  await short.write(newest);
  expect(idsOf(long.db)).toHaveLength(5);
});

test("rows older than thirty days go", async () => {
  const { db, log } = opened({ chunk: 2 });
  const days = (count: number) => anEntry({ createdAt: NOW - count * 24 * 3_600_000 });
  const [old, older, oldest, recent] = [days(31), days(32), days(33), days(29)];
  for (const entry of [oldest, older, old, recent]) await sqliteRetrievalLog(db).write(entry);
  expect(idsOf(db)).toHaveLength(4);
  const now = anEntry({ createdAt: NOW });
  await log.write(now);
  expect(idsOf(db)).toEqual([old.id, recent.id, now.id]);
  const next = anEntry({ createdAt: NOW });
  await log.write(next);
  expect(idsOf(db)).toEqual([recent.id, now.id, next.id]);
});

test("a queue of the first release gets its log and keeps its jobs", () => {
  const [first = ""] = QUEUE_MIGRATIONS;
  const db = new Database(":memory:");
  db.exec(first);
  db.prepare("INSERT INTO deliveries VALUES ('d-1', 'pull_request', 1, 'ignored', 'draft')").run();
  for (const step of QUEUE_MIGRATIONS.slice(1)) db.exec(step);
  expect(db.prepare("SELECT count(*) FROM deliveries").pluck().get()).toBe(1);
  expect(db.prepare("SELECT count(*) FROM retrievals").pluck().get()).toBe(0);
});
