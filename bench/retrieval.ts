// How fast memory is searched, in one repository of so many memories among others: `npm run bench -- retrieval`. Ours is
// measured through the real adapter (its threads and all), and in turn with it every other way (bench/ways) and how fast
// memory can be read at all. Prints JSON; run.ts makes the tables.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sqliteMemory } from "../src/adapters/sqlite/memory.ts";
import { openMemory } from "../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../src/adapters/sqlite/recall.ts";
import type { Recall } from "../src/ports/memory.ts";
import { quantile, stopwatch, type Timing } from "./clocks.ts";
import { type Asked, type Corpus, DIMENSION, retrievalCorpus, SPACE } from "./retrieval-corpus.ts";
import { type Seen, scopeIn, takeTurns, WANTED, WARM_UP, wholeSearch } from "./retrieval-turns.ts";
import { storeRecall } from "./store-recall.ts";
import { type Absent, allWays } from "./ways/all-ways.ts";
import type { Stored, Way } from "./ways/way.ts";

export interface RetrievalFigures {
  readonly rows: number;
  readonly repositories: number;
  readonly rowsEach: number;
  readonly timings: Readonly<Record<string, Timing>>;
  /** Bytes that a way must read at least for one answer, by name. */
  readonly mustRead: Readonly<Record<string, number>>;
  /** Gigabytes a second that one thread reads, median. */
  readonly gigabytesASecond: number;
  readonly recallAt20: Seen["recallAt20"];
  readonly loopLate: Seen["loopLate"];
  /** Of our own filter by language. */
  readonly ourFilter: Built["filter"];
  /** What is measured once, by name; the unit stands in the name. */
  readonly once: Readonly<Record<string, number>>;
  /** Of each other way, measured once. */
  readonly built: Readonly<Record<string, Built>>;
  readonly absent: readonly Absent[];
}

export interface Built {
  readonly seconds: number;
  /** By which the resident set grew. */
  readonly memoryMb: number;
  readonly diskMb: number | null;
  /** Recall@20 among the rows of one language, and how many of them were of another; null where it cannot filter. */
  readonly filter: { readonly recall: number; readonly violations: number } | null;
}

/** Turns that count. */
const TURNS = 60;
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    repositories: { type: "string", default: "1" },
    turns: { type: "string", default: String(TURNS) },
    ways: { type: "string" },
    keep: { type: "string" },
    megabytes: { type: "string" },
    store: { type: "string" },
  },
});
const folder = values.keep ?? mkdtempSync(join(tmpdir(), "kodiai-bench-"));
const scratch = mkdtempSync(join(tmpdir(), "kodiai-bench-ways-"));
try {
  const figures = await measure(Number(values.rows), Number(values.repositories), Number(values.turns));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true });
  rmSync(scratch, { recursive: true });
}

async function measure(rows: number, repositories: number, turns: number): Promise<RetrievalFigures> {
  const { corpus, asked } = await retrievalCorpus(rows, repositories, turns + WARM_UP);
  const path = join(folder, "memory.db");
  const filled = await fill(path, corpus);
  const { stored } = filled;
  const memoryBytes = values.megabytes === undefined ? {} : { memoryBytes: Number(values.megabytes) * 1e6 };
  const before = rss();
  // The first search reads the whole index, so that the rest are searches of a warm memory.
  const limits = { ...memoryBytes, coldRows: Number.POSITIVE_INFINITY };
  const recall =
    values.store === undefined
      ? sqliteRecall({ path, limits, patience: { answerMs: null } })
      : storeRecall(values.store, limits);
  const first = await firstAnswers(recall, corpus, asked[0]);
  const grown = rss() - before;
  const { makers, absent } = await allWays(stored.rows, values.ways?.split(",") ?? null);
  const ways: { readonly name: string; readonly way: Way; readonly built: Omit<Built, "filter"> }[] = [];
  for (const { name, make } of makers) {
    const own = join(scratch, String(ways.length));
    mkdirSync(own);
    ways.push({ name, ...(await built(() => make(stored, own), name)) });
  }
  const watch = stopwatch();
  const seen = await takeTurns(recall, corpus, ways, stored, asked, watch);
  await recall.close();
  for (const { way } of ways) await way.close();
  const read = seen.reads.map(({ bytes, ms }) => bytes / 1e6 / ms);
  return {
    rows: corpus.rows,
    repositories,
    rowsEach: corpus.rowsEach,
    timings: watch.timings(),
    mustRead: mustRead(
      corpus.rowsEach,
      ways.filter(({ way }) => way.nearest !== undefined).map(({ name }) => name),
    ),
    gigabytesASecond: quantile(read, 0.5),
    recallAt20: seen.recallAt20,
    loopLate: seen.loopLate,
    ourFilter: seen.filters.ours ?? null,
    once: {
      ...filled.figures,
      ...first,
      "MB of memory.db": statSync(path).size / 1e6,
      "MB of memory.db for 100,000 memories": (statSync(path).size / 1e6) * (100_000 / corpus.rows),
      "MB by which the process grew with the first answers": grown / 1e6,
    },
    built: Object.fromEntries(ways.map(({ name, built }) => [name, { ...built, filter: seen.filters[name] ?? null }])),
    absent,
  };
}

function rss(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

async function built(make: () => Promise<Way>, name: string): Promise<{ way: Way; built: Omit<Built, "filter"> }> {
  const before = rss();
  const start = performance.now();
  const way = await make();
  const seconds = (performance.now() - start) / 1000;
  console.error(`${name}: built in ${seconds.toFixed(1)} s`);
  const diskMb = way.diskBytes === null ? null : way.diskBytes / 1e6;
  return { way, built: { seconds, memoryMb: (rss() - before) / 1e6, diskMb } };
}

interface Filled {
  readonly stored: Stored;
  readonly figures: Readonly<Record<string, number>>;
}

/** Fills memory.db, and keeps what the other ways are filled with; with `--keep` what was filled before is taken. */
async function fill(path: string, corpus: Corpus): Promise<Filled> {
  const at = { facts: join(folder, "stored.json"), vectors: join(folder, "vectors.f32") };
  if (existsSync(at.facts)) {
    const kept = JSON.parse(readFileSync(at.facts, "utf8")) as Omit<Stored, "vectors">;
    const bytes = readFileSync(at.vectors);
    return {
      stored: { ...kept, vectors: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4) },
      figures: {},
    };
  }
  const isFilled = existsSync(path);
  mkdirSync(folder, { recursive: true });
  // Of a folder that was filled with an older schema no copy is kept: it would take as long as half of a filling.
  const db = openMemory(path, null, false);
  // What is measured is reading; nothing here must survive a loss of power.
  db.pragma("synchronous = OFF");
  const memory = sqliteMemory(db);
  const vectors = new Float32Array(corpus.rowsEach * DIMENSION);
  const [texts, languages]: [string[], string[]] = [[], []];
  let ms = 0;
  for (const batch of corpus.batches()) {
    const start = performance.now();
    if (!isFilled) await memory.remember(batch.rows, SPACE);
    ms += performance.now() - start;
    // What lies behind the searched repository is of no account where it is filled already.
    if (isFilled && batch.repository > corpus.target) break;
    if (batch.repository !== corpus.target) continue;
    for (const { record, vector } of batch.rows) {
      vectors.set(vector, texts.length * DIMENSION);
      texts.push([record.text, record.path, record.hunk].join("\n"));
      languages.push(record.language);
    }
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  const facts = { rows: corpus.rowsEach, dimension: DIMENSION, texts, languages };
  if (values.keep !== undefined) {
    writeFileSync(at.vectors, vectors);
    writeFileSync(at.facts, JSON.stringify(facts));
  }
  const figures: Readonly<Record<string, number>> = isFilled
    ? {}
    : { "rows remembered a second (not synchronised)": (corpus.rows / ms) * 1000 };
  return { stored: { ...facts, vectors }, figures };
}

/** Bytes that a way must read at least for one text: sign bits or float32. */
function mustRead(rows: number, ways: readonly string[]): Record<string, number> {
  const float32 = rows * DIMENSION * 4;
  return {
    "nearest, one text": rows * (DIMENSION / 8),
    "Float32Array scan": float32,
    // What a server reads is not in the processor time of this process.
    ...Object.fromEntries(
      ways.filter((name) => !/HNSW|pgvector/.test(name)).map((name) => [`${name}: nearest`, float32]),
    ),
  };
}

async function firstAnswers(recall: Recall, corpus: Corpus, asked: Asked | undefined): Promise<Record<string, number>> {
  if (asked === undefined) return {};
  const scope = scopeIn(corpus);
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const vector = asked.vectors[0] ?? new Float32Array(DIMENSION);
  return {
    "ms of the first nearest": await timed(() => recall.nearest(scope, vector, SPACE, WANTED, {})),
    "ms of the first matching": await timed(() => recall.matching(scope, asked.text, WANTED, {})),
    "ms of the first whole search": await timed(() => wholeSearch(recall, asked)),
  };
}
