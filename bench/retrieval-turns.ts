// The turns of the retrieval benchmark: every way once a turn, each turn with another question.

import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { UNMEASURED } from "../src/adapters/embed-texts.ts";
import type { Precedents, Scope } from "../src/domain/retrieval.ts";
import type { Embedder, Recall } from "../src/ports/memory.ts";
import {
  newGateCache,
  OF_THE_CHANGE,
  type RetrievePorts,
  retrieve,
  searchMemory,
  UNAIDED,
} from "../src/retrieve/retrieve.ts";
import { memoryReader, quantile, type Stopwatch, stopwatch } from "./clocks.ts";
import type { Engine, Stored } from "./engines/engine.ts";
import { NEAREST, type Truth } from "./exact-truth.ts";
import { type Asked, type Corpus, PULL, repoOf, SPACE } from "./retrieval-corpus.ts";
import { askedVector, languageOf } from "./stored-rows.ts";

/** Hits that each way is asked for. */
export const WANTED = 50;
/** Turns in which everything is compiled and loaded: they do not count. */
export const WARM_UP = 5;
/**
 * What takes longer than so many ms has every sixth turn only; the first, which opens files, does
 * not decide.
 */
const SELDOM = { ms: 300, turns: 6 };

export interface Seen {
  readonly reads: readonly { readonly bytes: number; readonly ms: number }[];
  /** Share of the exact 20 nearest that were found, by name, 0–1. */
  readonly recallAt20: Readonly<Record<string, number>>;
  readonly loopLate: Readonly<Record<string, Latenesses>>;
  readonly filters: Readonly<Record<string, { readonly recall: number; readonly violations: number }>>;
}

/** A question, and what its exact answer is. */
type Question = Asked & { readonly truth: Truth | undefined };

interface Turn {
  readonly on: Stopwatch;
  readonly counts: boolean;
  readonly vector: Float32Array;
  readonly text: string;
  readonly language: string;
  readonly exact: ReadonlySet<number>;
  readonly exactOfLanguage: ReadonlySet<number>;
}

/** A store of ours, and what the names of its rows begin with: nothing for the embedded one. */
export interface OwnStore {
  readonly prefix: string;
  readonly recall: Recall;
}

/**
 * @param stores the embedded one first, whose main-loop delay is reported
 * @param ways with what they are called
 */
export async function takeTurns(
  stores: readonly OwnStore[],
  corpus: Corpus,
  engines: readonly { readonly name: string; readonly engine: Engine }[],
  stored: Stored,
  asked: readonly Question[],
  watch: Stopwatch,
): Promise<Seen> {
  const reader = memoryReader();
  const late = new Map<string, number[]>();
  const reads: { bytes: number; ms: number }[] = [];
  const note = scores(stored);
  const slow = new Set<string>();
  for (const { recall } of stores) await searchElsewhere(recall, corpus, asked);
  for (const [number, one] of asked.entries()) {
    const turn = turnOf(number, one, stored, watch);
    const ofStores: StoreLateness[] = [];
    for (const store of stores) ofStores.push(await askStore(store, corpus, one, turn, note));
    for (const { name, engine } of engines) {
      if (slow.has(name) && number % SELDOM.turns !== WARM_UP % SELDOM.turns) continue;
      const start = performance.now();
      await askOne({ name, isOurs: false, engine }, turn, note);
      if (number > 0 && performance.now() - start > SELDOM.ms) slow.add(name);
    }
    const start = performance.now();
    reader.read();
    if (!turn.counts) continue;
    reads.push({ bytes: reader.bytes, ms: performance.now() - start });
    for (const [name, of] of [
      ["whole search, without ranking", ofStores[0]?.adapter],
      ["whole search, with ranking", ofStores[0]?.room],
      ["single searches", ofStores[0]?.single],
    ] as const)
      if (of !== undefined) late.set(name, [...(late.get(name) ?? []), ...latenesses(of)]);
  }
  return {
    reads,
    ...note.reported(),
    loopLate: Object.fromEntries([...late].map(([name, ms]) => [name, latenessesOf(ms)])),
  };
}

/** Milliseconds by which the main thread's loop was late: [p50, p99, max]. */
export type Latenesses = readonly [number, number, number];

export function latenessesOf(ms: readonly number[]): Latenesses {
  return [quantile(ms, 0.5), quantile(ms, 0.99), ms.reduce((most, one) => Math.max(most, one), 0)];
}

/**
 * A server has compiled its code long ago; a process that has not takes twice the processor time
 * for its first ten searches. Another repository is searched, so that nothing is kept of the rows
 * that are measured; where there is none, nothing is.
 */
export async function searchElsewhere(
  recall: Recall,
  { repositories, target }: Corpus,
  asked: readonly Asked[],
): Promise<void> {
  if (repositories === 1) return;
  const repo = repoOf(target === 0 ? 1 : target - 1);
  for (const one of asked) {
    const context = { ...one.context, repo, job: { ...one.context.job, repo } };
    await wholeSearch(recall, { ...one, context });
  }
}

function turnOf(number: number, asked: Question, stored: Stored, watch: Stopwatch): Turn {
  const counts = number >= WARM_UP;
  return {
    on: counts ? watch : stopwatch(),
    counts,
    vector: askedVector(asked),
    text: asked.text,
    language: languageOf(stored, number),
    exact: new Set(asked.truth?.nearest),
    exactOfLanguage: new Set(asked.truth?.ofLanguage),
  };
}

/** The same questions as to every other way, through the adapter. */
function ours(recall: Recall, corpus: Corpus): Engine {
  const scope = scopeIn(corpus);
  const rowOf = ({ id }: { readonly id: string }) => Number(id.slice(4)) - corpus.target * corpus.rowsEach;
  return {
    filters: true,
    async nearest(vector, k, language) {
      const filter = language === null ? {} : { languages: [language] };
      return (await recall.nearest(scope, [vector], SPACE, k, filter)).flat().map(rowOf);
    },
    matching: async (text, k) => (await recall.matching(scope, [text], k, {})).flat().map(rowOf),
    diskBytes: null,
    close: () => {},
  };
}

interface StoreLateness extends Lateness {
  readonly single: ELDHistogram;
}

/** All that one store is asked, one thing after another. */
async function askStore(
  { prefix, recall }: OwnStore,
  corpus: Corpus,
  asked: Asked,
  turn: Turn,
  note: ReturnType<typeof scores>,
): Promise<StoreLateness> {
  const whole = await wholeSearch(recall, asked, turn.on, prefix);
  await searchByText(recall, asked, turn.on, prefix);
  // A clock that was stopped would count the pause as delay: each search has its own.
  const single = loopClock();
  single.enable();
  await askOne({ name: prefix, isOurs: true, engine: ours(recall, corpus) }, turn, note);
  single.disable();
  return { ...whole, single };
}

/** What is asked, and by what name: of ours what the names of its rows begin with. */
interface Named {
  readonly name: string;
  readonly isOurs: boolean;
  readonly engine: Engine;
}

async function askOne({ name, isOurs, engine }: Named, turn: Turn, note: ReturnType<typeof scores>): Promise<void> {
  const called = (what: string) => (isOurs ? `${name}${what}, one text` : `${name}: ${what}`);
  const { on, vector, text, language, exact, exactOfLanguage, counts } = turn;
  const { nearest, matching } = engine;
  if (nearest !== undefined) {
    const found = await on.time(called("nearest"), () => nearest(vector, WANTED, null));
    if (counts) note.recall(called("nearest"), found, exact);
    if (engine.filters) {
      const some = await on.time(called("nearest of a language"), () => nearest(vector, WANTED, language));
      if (counts) note.filter(name, some, exactOfLanguage, language);
    }
  }
  if (matching !== undefined) await on.time(called("matching"), () => matching(text, WANTED));
}

function scores({ languages }: Stored) {
  const recalls = new Map<string, number[]>();
  const filters = new Map<string, { recall: number[]; violations: number }>();
  const share = (found: readonly number[], exact: ReadonlySet<number>) =>
    found.slice(0, NEAREST).filter((row) => exact.has(row)).length / exact.size;
  return {
    recall(name: string, found: readonly number[], exact: ReadonlySet<number>): void {
      recalls.set(name, [...(recalls.get(name) ?? []), share(found, exact)]);
    },
    filter(name: string, found: readonly number[], exact: ReadonlySet<number>, language: string): void {
      const known = filters.get(name) ?? { recall: [], violations: 0 };
      filters.set(name, known);
      known.recall.push(share(found, exact));
      known.violations += found.filter((row) => languages[row] !== language).length;
    },
    reported: () => ({
      recallAt20: Object.fromEntries([...recalls].map(([name, all]) => [name, mean(all)])),
      filters: Object.fromEntries(
        [...filters].map(([name, { recall, violations }]) => [name, { recall: mean(recall), violations }]),
      ),
    }),
  };
}

interface Lateness {
  readonly adapter: ELDHistogram;
  readonly room: ELDHistogram;
}

/**
 * All that a review asks of memory: the real retrieve stage with prepared vectors instead of an
 * embedder. What the adapter does and what the stage does with it are separated by the stage's
 * first question and its last answer.
 *
 * @param prefix what the names of the store's rows begin with
 */
export function wholeSearch(
  recall: Recall,
  asked: Asked,
  watch: Stopwatch = stopwatch(),
  prefix = "",
): Promise<Lateness> {
  const settings = { ...OF_THE_CHANGE, knowledge: asked.context.config.knowledge, now: NOW, gateCache: newGateCache() };
  return inTheRoom(`${prefix}whole search`, recall, asked.vectors, watch, (ports) =>
    retrieve(asked.context, asked.signals, ports, settings),
  );
}

/** The same for one typed text: one list of each kind, ranks fused, no signals of a change. */
export async function searchByText(recall: Recall, asked: Asked, watch: Stopwatch, prefix = ""): Promise<void> {
  const { repo } = asked.context.job;
  const { topK } = asked.context.config.knowledge.retrieval;
  const search = { repo, method: "hybrid", filter: {}, topK, threshold: null, rerank: "auto", now: NOW } as const;
  await inTheRoom(`${prefix}whole search of one text`, recall, asked.vectors, watch, (ports) =>
    searchMemory(asked.text, search, ports),
  );
}

const NOW = 1_800_000_000_000;

async function inTheRoom(
  name: string,
  recall: Recall,
  vectors: Asked["vectors"],
  watch: Stopwatch,
  search: (ports: RetrievePorts) => Promise<Precedents>,
): Promise<Lateness> {
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
    off: recall.off,
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
    ...UNMEASURED,
    weight: 1,
    embed: (texts) =>
      Promise.resolve({
        vectors: texts.map((_, at) => vectors[at] ?? null),
        tokens: 0,
        usd: 0,
        cached: 0,
        failed: null,
      }),
  };
  const start = performance.now();
  const cpu = process.cpuUsage();
  lateInRoom.enable();
  const found = await search({ ...UNAIDED, embedder, recall: watched });
  const all = process.cpuUsage(cpu);
  const wall = performance.now() - start;
  lateInRoom.disable();
  if (found.ranked.length === 0 || found.degraded.length > 0) throw new Error(JSON.stringify(found.degraded));
  const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  watch.add(`${name}: adapter`, lastAnswered - firstAsked, ms(used));
  watch.add(`${name}: with ranking`, wall, ms(all));
  return { adapter: late, room: lateInRoom };
}

export function scopeIn(corpus: Corpus): Scope {
  const repo = repoOf(corpus.target);
  return { repo: `${repo.host}/${repo.id}`, ownerPool: null, excludePull: PULL, before: null };
}

function loopClock(): ELDHistogram {
  return monitorEventLoopDelay({ resolution: 1 });
}

/**
 * How late each tick was that a clock saw, in milliseconds. It counts from one tick to the next:
 * the tick is no delay.
 */
export function latenesses(clock: ELDHistogram): number[] {
  const late = (ns: number) => Math.max(0, ns / 1e6 - 1);
  return Array.from({ length: clock.count }, (_, at) => late(clock.percentile((100 * (at + 0.5)) / clock.count)));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
