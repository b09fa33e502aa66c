// How fast memory is searched, in one repository of so many memories among others:
// `npm run bench -- retrieval`. Ours is measured through the real adapter, and in turn with it
// every other engine (bench/engines) and how fast memory can be read at all. Prints JSON; run.ts
// makes the tables.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Recall } from "../src/ports/memory.ts";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedRecall } from "../src/store/memory/recall.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { builtEngines, type Cost } from "./built-engines.ts";
import { quantile, stopwatch, type Timing } from "./clocks.ts";
import { type MovedStore, movedStore, ON_POSTGRES } from "./postgres-copy.ts";
import type { Alone } from "./retrieval-alone.ts";
import { type Asked, type Corpus, DIMENSION, MOST_QUESTIONS, retrievalCorpus, SPACE } from "./retrieval-corpus.ts";
import { type OwnStore, type Seen, scopeIn, takeTurns, WANTED, WARM_UP, wholeSearch } from "./retrieval-turns.ts";
import { storedRows } from "./stored-rows.ts";

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
  /** What is measured once, by name; the name contains the unit. */
  readonly once: Readonly<Record<string, number>>;
  /** Of each other way, measured once. */
  readonly built: Readonly<Record<string, Built>>;
}

export interface Built extends Cost {
  /**
   * Recall@20 among the rows of one language, and how many of them were of another; null where it
   * cannot filter.
   */
  readonly filter: { readonly recall: number; readonly violations: number } | null;
}

/** Turns that count. */
const TURNS = 60;
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    repositories: { type: "string", default: "1" },
    turns: { type: "string", default: String(TURNS) },
    engines: { type: "string" },
    keep: { type: "string" },
    megabytes: { type: "string" },
  },
});
const folder = values.keep ?? mkdtempSync(join(tmpdir(), "kodiai-bench-"));
try {
  const figures = await measure(Number(values.rows), Number(values.repositories), Number(values.turns));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true });
}

async function measure(rows: number, repositories: number, turns: number): Promise<RetrievalFigures> {
  const { corpus, asked } = await retrievalCorpus(rows, repositories, MOST_QUESTIONS);
  if (turns + WARM_UP > asked.length) throw new RangeError(`${asked.length - WARM_UP} turns at most`);
  const path = join(folder, "memory.db");
  const { stored, truths, fingerprint, figures: filled } = await storedRows(folder, corpus, asked);
  const alone = seenAlone(path);
  const words = values.engines?.split(",") ?? null;
  const place = { folder: join(folder, "ways"), fingerprint, words, stays: values.keep !== undefined };
  const engines = await builtEngines(stored, place);
  const settings = values.megabytes === undefined ? {} : { memoryBytes: Number(values.megabytes) * 1e6 };
  const db = await openMemoryFile(path);
  const recall = storedRecall(db, db.vectorsMissing, settings);
  const moved = await movedStore(folder, fingerprint, values.keep !== undefined);
  const onPostgres = moved === null ? null : openPostgres(moved.url);
  const stores: OwnStore[] = [{ prefix: "", recall }];
  if (onPostgres !== null) stores.push({ prefix: "on PostgreSQL, ", recall: storedRecall(onPostgres, null, settings) });
  const first = await firstAnswers(recall, corpus, asked[0]);
  const watch = stopwatch();
  const questions = asked.slice(0, turns + WARM_UP).map((one, at) => ({ ...one, truth: truths[at] }));
  const seen = await takeTurns(stores, corpus, engines, stored, questions, watch);
  await db.close();
  await onPostgres?.close();
  await moved?.close();
  for (const { engine } of engines) await engine.close();
  const read = seen.reads.map(({ bytes, ms }) => bytes / 1e6 / ms);
  return {
    rows: corpus.rows,
    repositories,
    rowsEach: corpus.rowsEach,
    timings: { ...alone.timings, ...watch.timings() },
    mustRead: mustRead(
      corpus.rowsEach,
      engines.filter(({ engine }) => engine.nearest !== undefined).map(({ name }) => name),
    ),
    gigabytesASecond: quantile(read, 0.5),
    recallAt20: seen.recallAt20,
    loopLate: { ...alone.loopLate, ...seen.loopLate },
    ourFilter: seen.filters[""] ?? null,
    once: {
      ...filled,
      ...first,
      "MB of memory.db": statSync(path).size / 1e6,
      "MB of memory.db for 100,000 memories": (statSync(path).size / 1e6) * (100_000 / corpus.rows),
      ...alone.figures,
    },
    built: {
      ...(moved === null
        ? {}
        : { [ON_POSTGRES]: { ...costOf(moved), filter: seen.filters["on PostgreSQL, "] ?? null } }),
      ...Object.fromEntries(engines.map(({ name, cost }) => [name, { ...cost, filter: seen.filters[name] ?? null }])),
    },
  };
}

function costOf({ seconds, diskMb }: MovedStore): Cost {
  return { seconds, memoryMb: null, diskMb };
}

/**
 * In a process of its own: beside the benchmark's own arrays and other ways the figure of memory
 * would mean nothing, and what others read in between would drive ours out of the caches.
 */
function seenAlone(path: string): Alone {
  const program = fileURLToPath(new URL("retrieval-alone.ts", import.meta.url));
  const limit = values.megabytes === undefined ? [] : ["--megabytes", values.megabytes];
  // The young generation as `npm start` sets it.
  const args = [
    "--expose-gc",
    "--max-semi-space-size=16",
    program,
    "--path",
    path,
    "--rows",
    values.rows,
    "--repositories",
    values.repositories,
  ];
  const output = execFileSync(process.execPath, [...args, ...limit], { encoding: "utf8" });
  return JSON.parse(output) as Alone;
}

/** Bytes that a way must read at least for one text: sign bits or float32. */
function mustRead(rows: number, engines: readonly string[]): Record<string, number> {
  const float32 = rows * DIMENSION * 4;
  return {
    "nearest, one text": rows * (DIMENSION / 8),
    "Float32Array scan": float32,
    // What a server reads is not in the processor time of this process.
    ...Object.fromEntries(
      engines.filter((name) => !/HNSW|pgvector/.test(name)).map((name) => [`${name}: nearest`, float32]),
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
    "ms of the first nearest": await timed(() => recall.nearest(scope, [vector], SPACE, WANTED, {})),
    "ms of the first matching": await timed(() => recall.matching(scope, [asked.text], WANTED, {})),
    "ms of the first whole search": await timed(() => wholeSearch(recall, asked)),
  };
}
