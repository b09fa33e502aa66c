// What the eleven texts of a review cost each way to search, in processor time of one core:
// `npm run bench -- search`. One way after another, each alone in this process and warm; every
// question is asked several times and its best run counts, since what else the machine does only
// adds to it. Prints JSON; search-table.ts makes the table.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defaultKnowledge } from "../src/config/knowledge.ts";
import type { Recall } from "../src/ports/memory.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../src/retrieve/retrieve.ts";
import { memorySearch, ROWS_IN_DATABASE } from "../src/search/memory-search.ts";
import { usearchExact } from "../src/search/vector-index.ts";
import { storedRows as rowsOf } from "../src/store/memory/search-rows.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { builtEngines } from "./built-engines.ts";
import type { Engine } from "./engines/engine.ts";
import { NEAREST } from "./exact-truth.ts";
import { type Asked, type Corpus, MOST_QUESTIONS, retrievalCorpus, SPACE } from "./retrieval-corpus.ts";
import { scopeIn, WANTED } from "./retrieval-turns.ts";
import { askedVector, type Filled, storedRows } from "./stored-rows.ts";

export interface ElevenTexts {
  readonly rows: number;
  /** Texts of a question, each searched with. */
  readonly texts: number;
  readonly seen: Readonly<Record<string, SeenEngine>>;
}

export interface SeenEngine {
  /**
   * Milliseconds of processor time for all texts of a question: the mean over questions of their
   * best runs.
   */
  readonly cpuMs: number;
  /**
   * Of the nearest by exact float32 the share that was found, 0–1; null where words are searched.
   */
  readonly recallAt20: number | null;
}

/** A way to search, and which of its two lists is asked for. */
interface Contender {
  readonly name: string;
  nearestAll?(vectors: readonly Float32Array[], k: number): Promise<readonly (readonly number[])[]>;
  matchingAll?(texts: readonly string[], k: number): Promise<unknown>;
}

const TEXTS = 11;
const QUESTIONS = 5;
/** Of each question: the first ones compile and load. */
const RUNS = 7;
/** A run that takes so many milliseconds is not repeated more often than twice. */
const SLOW_MS = 1_000;
const OURS = "ours";
const WAYS = ["usearch exactSearch int8", "vec0 int8", "plain BM25", "FTS5, 60 rarest words"];

const { values } = parseArgs({ options: { rows: { type: "string", default: "20000" }, keep: { type: "string" } } });
const folder = values.keep ?? mkdtempSync(join(tmpdir(), "kodiai-bench-"));
try {
  process.stdout.write(`${JSON.stringify(await measure(Number(values.rows)))}\n`);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true });
}

async function measure(rows: number): Promise<ElevenTexts> {
  const { corpus, asked } = await retrievalCorpus(rows, 1, MOST_QUESTIONS);
  const filled = await storedRows(folder, corpus, asked);
  const questions = await Promise.all(asked.slice(0, QUESTIONS).map(questionOf));
  const seen: Record<string, SeenEngine> = {};
  const take = async (contender: Contender) => {
    const { name, nearestAll, matchingAll } = contender;
    if (nearestAll !== undefined) {
      const cpuMs = await bestOf(
        questions.map(
          ({ vectors }) =>
            () =>
              nearestAll(vectors, WANTED),
        ),
      );
      seen[matchingAll === undefined ? name : `${name} vectors`] = {
        cpuMs,
        recallAt20: await recallOf(nearestAll, filled, asked),
      };
    }
    if (matchingAll !== undefined) {
      const cpuMs = await bestOf(
        questions.map(
          ({ texts }) =>
            () =>
              matchingAll(texts, WANTED),
        ),
      );
      seen[nearestAll === undefined ? name : `${name} words`] = { cpuMs, recallAt20: null };
    }
  };
  const db = openSqlite(join(folder, "memory.db"), { now: Date.now, vectors: "installed" });
  const settings = { memoryBytes: 2e9, rowsInDatabase: ROWS_IN_DATABASE, exact: usearchExact() };
  await take(ownSearch(memorySearch(rowsOf(db), settings), corpus));
  await db.close();
  for (const name of WAYS) {
    const place = { folder: join(folder, "ways"), fingerprint: filled.fingerprint, words: [name] };
    const engines = await builtEngines(filled.stored, { ...place, stays: values.keep !== undefined });
    for (const { engine, ...built } of engines.filter((one) => one.name === name))
      await take(oneAfterAnother(built.name, engine));
    for (const { engine } of engines) await engine.close();
    globalThis.gc?.();
  }
  return { rows, texts: TEXTS, seen };
}

function ownSearch(search: ReturnType<typeof memorySearch>, corpus: Corpus): Contender {
  const scope = scopeIn(corpus);
  const rowOf = ({ id }: { readonly id: string }) => Number(id.slice("mem_".length));
  return {
    name: OURS,
    nearestAll: async (vectors, k) =>
      (await search.nearest(scope, vectors, SPACE, k, {}, () => {})).map((hits) => hits.map(rowOf)),
    matchingAll: (texts, k) => search.matching(scope, texts, k, {}, () => {}),
  };
}

function oneAfterAnother(name: string, { nearest, nearestAll, matching }: Engine): Contender {
  const each = async <In, Out>(all: readonly In[], work: (one: In) => Out | Promise<Out>) => {
    const found: Out[] = [];
    for (const one of all) found.push(await work(one));
    return found;
  };
  return {
    name,
    ...(nearest === undefined
      ? {}
      : {
          nearestAll: async (vectors, k) =>
            nearestAll?.(vectors, k) ?? (await each(vectors, (vector) => nearest(vector, k, null))),
        }),
    ...(matching === undefined ? {} : { matchingAll: (texts, k) => each(texts, (text) => matching(text, k)) }),
  };
}

/** Milliseconds of processor time: the best run of each question, and of these the mean. */
async function bestOf(questions: readonly (() => Promise<unknown>)[]): Promise<number> {
  const best: number[] = [];
  for (const ask of questions) {
    const seen: number[] = [];
    while (seen.length < (Math.min(...seen) > SLOW_MS ? 2 : RUNS)) {
      const before = process.cpuUsage();
      await ask();
      const { user, system } = process.cpuUsage(before);
      seen.push((user + system) / 1_000);
    }
    best.push(Math.min(...seen));
  }
  return best.reduce((sum, ms) => sum + ms, 0) / best.length;
}

async function recallOf(
  nearestAll: NonNullable<Contender["nearestAll"]>,
  { truths }: Filled,
  asked: readonly Asked[],
): Promise<number> {
  const found = await nearestAll(asked.map(askedVector), WANTED);
  const shares = found.map((rows, at) => {
    const near = new Set(rows.slice(0, NEAREST));
    return (truths[at]?.nearest ?? []).filter((row) => near.has(row)).length / NEAREST;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The texts with which a review of the change searches, and a vector for each. */
async function questionOf({ context, signals, vectors }: Asked) {
  const texts: string[] = [];
  const recall: Recall = {
    off: null,
    nearest: () => Promise.resolve([]),
    matching(_, asked) {
      texts.push(...asked);
      return Promise.resolve([]);
    },
    records: () => Promise.resolve([]),
    counts: () => Promise.resolve({ total: 1, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
    version: () => Promise.resolve(1),
  };
  const knowledge = defaultKnowledge();
  await retrieve(context, signals, { ...UNAIDED, recall }, { ...OF_THE_CHANGE, knowledge, now: 0 });
  if (texts.length !== TEXTS) throw new Error(`a review searches with ${texts.length} texts`);
  return { texts, vectors: vectors.slice(0, TEXTS) };
}
