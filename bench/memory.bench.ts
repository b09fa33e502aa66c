// How fast memory is searched: `node bench/memory.bench.ts --n 100000`. One repository of n synthetic records, searched
// through the real Recall (thread and all) and, beside it in the same run, by the plain ways: vec0 float32 and FTS5,
// and a scan of a Float32Array. Compare rows of one run, not days.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { sqliteMemory } from "../src/adapters/sqlite/memory.ts";
import { openMemory } from "../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../src/adapters/sqlite/recall.ts";
import type { MemoryRecord } from "../src/domain/memory.ts";
import type { Scope } from "../src/domain/retrieval.ts";
import { randomFrom, syntheticTexts, syntheticVectors } from "./synthetic-memory.ts";

const DIMENSION = 1024;
const SPACE = { model: "synthetic", dimension: DIMENSION };
const REPO = "eval/1";
const SCOPE: Scope = { repo: REPO, ownerPool: null, excludePull: 7, before: null };

/** [p50, p95, p99] of wall time and the mean of processor time, in milliseconds. */
export type Times = readonly [p50: number, p95: number, p99: number, cpu: number];

export interface MemoryFigures {
  readonly n: number;
  readonly queries: number;
  /** Milliseconds of wall time p50, p95, p99, and of processor time of all threads on average. */
  readonly times: Readonly<Record<string, Times>>;
  /** Share of the exact 20 nearest (float32) that `nearest` told, 0–1. */
  readonly recallAt20: number;
  /** Largest difference between a told distance and the exact one. */
  readonly distanceError: number;
  /** Milliseconds by which the main thread's loop was late while searches ran: [p50, p99, max]. */
  readonly loopDelay: readonly [number, number, number];
  /** Rows a second, first search in milliseconds, bytes of the file. */
  readonly once: Readonly<Record<string, number>>;
}

/** Runs everything and gives back what was seen. Takes about three minutes at n = 100,000 on two cores. */
export async function benchMemory(n: number, queries = 200): Promise<MemoryFigures> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-bench-"));
  try {
    const random = randomFrom(20_261_121);
    const vectors = syntheticVectors(n + queries, DIMENSION, random);
    const texts = syntheticTexts(n, random);
    const asked = Array.from({ length: queries }, (_, at) => ({
      vector: vectors.subarray((n + at) * DIMENSION, (n + at + 1) * DIMENSION),
      text: (texts[(at * 7919) % n] ?? "").split(" ").slice(0, 30).join(" "),
    }));
    const stored = vectors.subarray(0, n * DIMENSION);
    const ours = await searchOurs(folder, stored, texts, asked);
    const plain = await searchPlain(folder, stored, texts, asked);
    const exact = asked.map((query) => plain.exact(query.vector));
    return {
      n,
      queries,
      times: { ...ours.times, ...plain.times },
      recallAt20: mean(ours.found.map((hits, at) => overlap(hits.keys(), new Set(exact[at]?.keys())) / 20)),
      distanceError: Math.max(...ours.found.flatMap((hits, at) => differences(hits, exact[at] ?? new Map()))),
      loopDelay: ours.loopDelay,
      once: { ...ours.once, ...plain.once },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Asked {
  readonly vector: Float32Array;
  readonly text: string;
}

async function searchOurs(folder: string, vectors: Float32Array, texts: readonly string[], asked: readonly Asked[]) {
  const path = join(folder, "memory.db");
  const db = openMemory(path);
  const memory = sqliteMemory(db);
  const fill = performance.now();
  for (let at = 0; at < texts.length; at += 5_000) {
    const chunk = texts.slice(at, at + 5_000).map((text, of) => ({
      record: record(at + of, text),
      vector: vectors.subarray((at + of) * DIMENSION, (at + of + 1) * DIMENSION),
    }));
    await memory.remember(chunk, SPACE);
  }
  const seconds = (performance.now() - fill) / 1000;
  db.pragma("wal_checkpoint(TRUNCATE)");
  // The first search reads the whole index, so that the rest are searches of a warm memory.
  const recall = sqliteRecall({ path, limits: { coldRows: Number.POSITIVE_INFINITY }, patience: { answerMs: null } });
  const first = asked[0] ?? { vector: new Float32Array(DIMENSION), text: "" };
  const firstNearest = await timed(() => recall.nearest(SCOPE, first.vector, SPACE, 50, {}));
  const firstMatching = await timed(() => recall.matching(SCOPE, first.text, 50, {}));
  const found: Map<number, number>[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const times = {
    nearest: await timesOf(asked, async ({ vector }) => {
      const hits = await recall.nearest(SCOPE, vector, SPACE, 50, {});
      found.push(new Map(hits.slice(0, 20).map((hit) => [Number(hit.id.slice(4)), hit.distance])));
    }),
    "matching, 30 words": await timesOf(asked, ({ text }) => recall.matching(SCOPE, text, 50, {})),
    "nearest + matching": await timesOf(asked, async ({ vector, text }) => {
      await Promise.all([recall.nearest(SCOPE, vector, SPACE, 50, {}), recall.matching(SCOPE, text, 50, {})]);
    }),
    "nearest, one language under one folder": await timesOf(asked, ({ vector }) =>
      recall.nearest(SCOPE, vector, SPACE, 50, { languages: ["Go"], paths: ["src/"] }),
    ),
  };
  delay.disable();
  await recall.close();
  db.close();
  // The histogram counts from one tick of the resolution to the next: the tick itself is no delay.
  const late = (ns: number) => Math.max(0, ns / 1e6 - 1);
  return {
    found,
    times,
    loopDelay: [late(delay.percentile(50)), late(delay.percentile(99)), late(delay.max)] as const,
    once: {
      "rows remembered per second": texts.length / seconds,
      "first nearest, ms": firstNearest,
      "first matching, ms": firstMatching,
      "memory.db, MB": statSync(path).size / 1e6,
    },
  };
}

/** The ways without our layout, on the main thread. */
async function searchPlain(folder: string, vectors: Float32Array, texts: readonly string[], asked: readonly Asked[]) {
  const db = new Database(join(folder, "plain.db"));
  db.pragma("journal_mode = WAL");
  load(db);
  db.exec(`CREATE VIRTUAL TABLE v USING vec0 (id INTEGER PRIMARY KEY, e float[${DIMENSION}] distance_metric=cosine)`);
  db.exec("CREATE VIRTUAL TABLE f USING fts5 (text)");
  const [addVector, addText] = [
    db.prepare("INSERT INTO v VALUES (?, ?)"),
    db.prepare("INSERT INTO f (rowid, text) VALUES (?, ?)"),
  ];
  db.transaction(() => {
    texts.forEach((text, at) => {
      addVector.run(BigInt(at), vectors.subarray(at * DIMENSION, (at + 1) * DIMENSION));
      addText.run(at, text);
    });
  })();
  const nearest = db.prepare("SELECT id, distance FROM v WHERE e MATCH ? AND k = 50");
  const matching = db.prepare("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 50");
  const match = (text: string) => [...new Set(text.split(" "))].map((word) => `"${word}"`).join(" OR ");
  const exact = (query: Float32Array) => scan(vectors, query, 20);
  const some = asked.slice(0, 30);
  const times = {
    "plain: vec0 float32 cosine": await timesOf(some, ({ vector }) => nearest.all(vector)),
    "plain: FTS5 bm25, 30 words": await timesOf(some, ({ text }) => matching.all(match(text))),
    "plain: Float32Array scan": await timesOf(some, ({ vector }) => exact(vector)),
  };
  db.pragma("wal_checkpoint(TRUNCATE)");
  const size = statSync(join(folder, "plain.db")).size;
  db.close();
  return { times, exact, once: { "plain.db, MB": size / 1e6 } };
}

/** Exact cosine distances of the k nearest, by row. */
function scan(vectors: Float32Array, query: Float32Array, k: number): Map<number, number> {
  const rows = vectors.length / DIMENSION;
  const distances = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < DIMENSION; i += 4, at += 4) {
      a += (vectors[at] ?? 0) * (query[i] ?? 0);
      b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0);
      c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0);
      d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0);
    }
    distances[row] = 1 - (a + b + c + d);
  }
  const kth = distances.toSorted()[k - 1] ?? 2;
  const near = new Map<number, number>();
  distances.forEach((distance, row) => {
    if (distance <= kth && near.size < k) near.set(row, distance);
  });
  return near;
}

const LANGUAGES = ["TypeScript", "Go", "Python", "C++", "Rust", "Java", "Ruby", "C#"];

function record(at: number, text: string): MemoryRecord {
  return {
    id: `mem_${at}`,
    repo: REPO,
    repoName: "bench/one",
    ownerId: 1,
    visibility: "private",
    corpus: "review_comment",
    sourceId: String(at),
    text,
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: null,
    path: `${at % 3 === 0 ? "src" : "lib"}/module${at % 997}/file${at % 13}.ts`,
    language: LANGUAGES[at % LANGUAGES.length] ?? "Go",
    symbol: null,
    chunkType: null,
    hunk: null,
    outcome: null,
    provenance: {
      url: null,
      author: null,
      authorIsBot: false,
      sha: null,
      pull: at % 5_000,
      at: 1_700_000_000_000 + at,
    },
    stale: false,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function timesOf(asked: readonly Asked[], work: (query: Asked) => unknown): Promise<Times> {
  const wall: number[] = [];
  const before = process.cpuUsage();
  for (const query of asked) wall.push(await timed(async () => work(query)));
  const { user, system } = process.cpuUsage(before);
  const sorted = wall.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [at(0.5), at(0.95), at(0.99), (user + system) / 1000 / asked.length];
}

function overlap(found: Iterable<number>, wanted: ReadonlySet<number>): number {
  return [...found].filter((id) => wanted.has(id)).length;
}

function differences(found: ReadonlyMap<number, number>, exact: ReadonlyMap<number, number>): number[] {
  return [...found].flatMap(([id, distance]) => (exact.has(id) ? [Math.abs(distance - (exact.get(id) ?? 0))] : []));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { n: { type: "string", default: "100000" }, json: { type: "boolean", default: false } },
  });
  const figures = await benchMemory(Number(values.n));
  if (values.json) console.log(JSON.stringify(figures));
  else {
    console.log(
      `${figures.n} records, ${figures.queries} queries, ${DIMENSION} dimensions; milliseconds p50 / p95 / p99 / mean of processor time`,
    );
    const line = (name: string, numbers: readonly number[]) =>
      console.log(`${name.padEnd(42)}${numbers.map((value) => value.toFixed(2).padStart(10)).join("")}`);
    for (const [name, times] of Object.entries(figures.times)) line(name, times);
    line("main loop late, p50 / p99 / max", figures.loopDelay);
    console.log(
      `recall@20 ${figures.recallAt20.toFixed(4)}, largest error of a distance ${figures.distanceError.toExponential(1)}`,
    );
    for (const [name, value] of Object.entries(figures.once)) line(name, [value]);
  }
}
