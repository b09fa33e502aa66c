// How fast memory is searched, in one repository of so many memories among others: `npm run bench -- retrieval`. Ours is
// measured through the real adapter (its thread and all), and in turn with it vec0 and FTS5, usearch, a scan of a
// Float32Array, and how fast memory can be read at all. Prints JSON; run.ts makes the tables.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sqliteMemory } from "../src/adapters/sqlite/memory.ts";
import { openMemory } from "../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../src/adapters/sqlite/recall.ts";
import type { Scope } from "../src/domain/retrieval.ts";
import type { Embedder, Recall } from "../src/ports/memory.ts";
import { newGateCache, retrieve } from "../src/retrieve/retrieve.ts";
import { memoryReader, quantile, type Stopwatch, stopwatch, type Timing } from "./clocks.ts";
import { type Asked, type Corpus, DIMENSION, PULL, repoOf, retrievalCorpus, SPACE } from "./retrieval-corpus.ts";
import { type Others, openOthers, WANTED } from "./retrieval-others.ts";

export interface RetrievalFigures {
  readonly rows: number;
  readonly repositories: number;
  readonly rowsEach: number;
  readonly timings: Readonly<Record<string, Timing>>;
  /** Bytes that a way must read at least for one answer, by name. */
  readonly mustRead: Readonly<Record<string, number>>;
  /** Gigabytes a second that one thread reads, median. */
  readonly gigabytesASecond: number;
  /** Share of the exact 20 nearest that were found, by name, 0–1. */
  readonly recallAt20: Readonly<Record<string, number>>;
  /** Milliseconds by which the main thread's loop was late: [p50, p99, max]. */
  readonly loopLate: Readonly<Record<string, readonly [number, number, number]>>;
  /** What is measured once, by name; the unit stands in the name. */
  readonly once: Readonly<Record<string, number>>;
}

/** Turns that count, and before them turns in which everything is compiled and loaded. */
const TURNS = 60;
const WARM_UP = 5;
/** FTS5 takes seconds among a million rows: it has every sixth turn. */
const SELDOM = 6;

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    repositories: { type: "string", default: "1" },
    turns: { type: "string", default: String(TURNS) },
  },
});
const folder = mkdtempSync(join(tmpdir(), "kodiai-bench-"));
try {
  const figures = await measure(folder, Number(values.rows), Number(values.repositories), Number(values.turns));
  console.log(JSON.stringify(figures));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(inFolder: string, rows: number, repositories: number, turns: number): Promise<RetrievalFigures> {
  const { corpus, asked } = await retrievalCorpus(rows, repositories, turns + WARM_UP);
  const path = join(inFolder, "memory.db");
  const others = openOthers(inFolder, corpus);
  const filled = await fill(path, corpus, others);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  // The first search reads the whole index, so that the rest are searches of a warm memory.
  const recall = sqliteRecall({ path, limits: { coldRows: Number.POSITIVE_INFINITY }, patience: { answerMs: null } });
  const first = await firstAnswers(recall, corpus, asked[0]);
  const grown = process.memoryUsage().rss - before;
  const watch = stopwatch();
  const seen = await takeTurns(recall, corpus, others, asked, watch);
  await recall.close();
  const read = seen.reads.map(({ bytes, ms }) => bytes / 1e6 / ms);
  const figures = {
    rows: corpus.rows,
    repositories,
    rowsEach: corpus.rowsEach,
    timings: watch.timings(),
    mustRead: mustRead(corpus.rowsEach),
    gigabytesASecond: quantile(read, 0.5),
    recallAt20: seen.recallAt20,
    loopLate: seen.loopLate,
    once: {
      ...filled,
      ...first,
      ...others.once(),
      "MB of memory.db": statSync(path).size / 1e6,
      "MB by which the process grew with the first answers": grown / 1e6,
    },
  };
  others.close();
  return figures;
}

async function fill(path: string, corpus: Corpus, others: Others): Promise<Record<string, number>> {
  const db = openMemory(path);
  // What is measured is reading; nothing here must survive a loss of power.
  db.pragma("synchronous = OFF");
  const memory = sqliteMemory(db);
  let ms = 0;
  for (const batch of corpus.batches()) {
    const start = performance.now();
    await memory.remember(batch.rows, SPACE);
    ms += performance.now() - start;
    others.add(batch);
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  others.ready();
  return { "rows remembered a second (not synchronised)": (corpus.rows / ms) * 1000 };
}

function mustRead(rows: number): Record<string, number> {
  return {
    "nearest, one text": (rows * DIMENSION) / 8,
    vec0: rows * DIMENSION * 4,
    "Float32Array scan": rows * DIMENSION * 4,
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

interface Seen {
  readonly reads: readonly { readonly bytes: number; readonly ms: number }[];
  readonly recallAt20: Readonly<Record<string, number>>;
  readonly loopLate: RetrievalFigures["loopLate"];
}

/** Every way once a turn, each turn with another question. */
async function takeTurns(
  recall: Recall,
  corpus: Corpus,
  others: Others,
  asked: readonly Asked[],
  watch: Stopwatch,
): Promise<Seen> {
  const reader = memoryReader();
  const scope = scopeIn(corpus);
  const late: Record<string, number[]> = {
    "whole search, without ranking": [],
    "whole search, with ranking": [],
    "single searches": [],
  };
  const found = { ours: [] as number[], usearch: [] as number[] };
  const reads: { bytes: number; ms: number }[] = [];
  for (const [turn, one] of asked.entries()) {
    const counts = turn >= WARM_UP;
    const on = counts ? watch : stopwatch();
    const vector = one.vectors[15] ?? new Float32Array(DIMENSION);
    const ofWhole = await wholeSearch(recall, one, on);
    // A clock that was stopped would count the pause as delay: each search has its own.
    const clock = loopClock();
    clock.enable();
    const hits = await on.time("nearest, one text", () => recall.nearest(scope, vector, SPACE, WANTED, {}));
    await on.time("matching, one text", () => recall.matching(scope, one.text, WANTED, {}));
    clock.disable();
    await on.time("vec0", () => others.vec0(vector));
    if (turn % SELDOM === WARM_UP % SELDOM) await on.time("FTS5", () => others.fts5(one.text));
    const near = await on.time("usearch", () => others.usearch(vector));
    const exact = await on.time("Float32Array scan", () => others.scan(vector, 20));
    const start = performance.now();
    reader.read();
    if (!counts) continue;
    late["whole search, without ranking"]?.push(...latenesses(ofWhole.adapter));
    late["whole search, with ranking"]?.push(...latenesses(ofWhole.room));
    late["single searches"]?.push(...latenesses(clock));
    reads.push({ bytes: reader.bytes, ms: performance.now() - start });
    const share = (ids: readonly number[]) => ids.slice(0, 20).filter((id) => exact.has(id)).length / exact.size;
    found.ours.push(share(hits.map(({ id }) => Number(id.slice(4)))));
    found.usearch.push(share(near));
  }
  return {
    reads,
    recallAt20: { "nearest, one text": mean(found.ours), usearch: mean(found.usearch) },
    loopLate: Object.fromEntries(
      Object.entries(late).map(([name, ms]) => [
        name,
        [quantile(ms, 0.5), quantile(ms, 0.99), Math.max(0, ...ms)] as const,
      ]),
    ),
  };
}

/**
 * All that a review asks of memory: the real room with vectors at hand instead of an embedder. What the adapter does and
 * what the room does with it are told apart by when the room asks first and when it is answered last.
 */
async function wholeSearch(
  recall: Recall,
  asked: Asked,
  watch: Stopwatch = stopwatch(),
): Promise<{ readonly adapter: ELDHistogram; readonly room: ELDHistogram }> {
  const [late, lateInRoom] = [loopClock(), loopClock()];
  let questions = 0;
  let firstAsked = 0;
  let lastAnswered = 0;
  let before = process.cpuUsage();
  let used = before;
  const through = async <T>(answer: () => Promise<T>): Promise<T> => {
    if (questions === 0) {
      late.enable();
      before = process.cpuUsage();
      firstAsked = performance.now();
    }
    questions += 1;
    const value = await answer();
    lastAnswered = performance.now();
    used = process.cpuUsage(before);
    return value;
  };
  const watched: Recall = {
    nearest: (...args) => through(() => recall.nearest(...args)),
    matching: (...args) => through(() => recall.matching(...args)),
    records: async (...args) => {
      const records = await through(() => recall.records(...args));
      late.disable();
      return records;
    },
    counts: (...args) => through(() => recall.counts(...args)),
    version: (...args) => through(() => recall.version(...args)),
  };
  const embedder: Embedder = {
    space: SPACE,
    threshold: 0.45,
    weight: 1,
    embed: (texts) =>
      Promise.resolve({ vectors: texts.map((_, at) => asked.vectors[at] ?? null), tokens: 0, usd: 0, cached: 0 }),
  };
  const start = performance.now();
  const cpu = process.cpuUsage();
  lateInRoom.enable();
  const found = await retrieve(
    asked.context,
    asked.signals,
    { embedder, recall: watched, reranker: null, pause },
    { knowledge: asked.context.config.knowledge, now: 1_800_000_000_000, gateCache: newGateCache() },
  );
  const all = process.cpuUsage(cpu);
  const wall = performance.now() - start;
  lateInRoom.disable();
  if (found.ranked.length === 0 || found.degraded.length > 0) throw new Error(JSON.stringify(found.degraded));
  const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  watch.add("whole search: adapter", lastAnswered - firstAsked, ms(used));
  watch.add("whole search: with the room's ranking", wall, ms(all));
  return { adapter: late, room: lateInRoom };
}

function scopeIn(corpus: Corpus): Scope {
  const repo = repoOf(corpus.target);
  return { repo: `${repo.host}/${repo.id}`, ownerPool: null, excludePull: PULL, before: null };
}

function loopClock(): ELDHistogram {
  return monitorEventLoopDelay({ resolution: 1 });
}

/** How late each tick was that a clock saw, in milliseconds. It counts from one tick to the next: the tick is no delay. */
function latenesses(clock: ELDHistogram): number[] {
  const late = (ns: number) => Math.max(0, ns / 1e6 - 1);
  return Array.from({ length: clock.count }, (_, at) => late(clock.percentile((100 * (at + 0.5)) / clock.count)));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
