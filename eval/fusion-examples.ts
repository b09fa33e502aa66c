// What the weights of src/retrieve/rank/fusion-table.json are fitted on: queries of the development
// data with the signals of their candidates.

import { languageOf } from "../src/analyze/analyze.ts";
import type { MemoryRecord } from "../src/domain/memory.ts";
import type { Scope } from "../src/domain/retrieval.ts";
import { BACKGROUND, type Background } from "../src/domain/text/word-rarity.ts";
import { rowRecord } from "../src/learn/learn.ts";
import { changedPlaces, factorTerms } from "../src/retrieve/rank/factors.ts";
import { featureSignals, type Signals } from "../src/retrieve/rank/features.ts";
import { fuseByRank, pool } from "../src/retrieve/rank/fusion.ts";
import type { FusionWeight } from "../src/retrieve/rank/learned-fusion.ts";
import { type PreparedMemory, prepareChange, prepareMemory } from "../src/retrieve/rank/prepare-documents.ts";
import { lexicon } from "../src/retrieve/rank/term-ids.ts";
import { TUNING } from "../src/retrieve/tuning.ts";
import { countWords } from "./background.ts";
import type { JudgedData } from "./judged-data.ts";
import { readParaphrase } from "./paraphrase-data.ts";
import { earlier, type RetrievalRows } from "./retrieval-rows.ts";
import { type TaskQuery, taskOf } from "./retrieval-task.ts";
import { questionOf } from "./run-retrieval.ts";
import { linesOf, listsOf, scopeOf as questionScope, WITH } from "./suites/paraphrase.ts";
import { type TemporaryStore, withStore } from "./temporary-store.ts";
import { untunedFusion } from "./untuned-fusion.ts";

export type Choice = Omit<FusionWeight, "weight" | "mean" | "deviation">;

/** One query: its candidates' ids and signals, and which candidates matter. */
export interface Example {
  readonly query: string;
  /** What stays together when queries are divided: a repository, or a finding that is asked for. */
  readonly group: string;
  readonly ids: readonly string[];
  /** One column per choice: the signal of each candidate, not scaled. */
  readonly columns: readonly Float64Array[];
  /** What factors add to each candidate's score. */
  readonly factors: Float64Array;
  /** Each candidate's share of the truth; all 0 when no candidate matters. */
  readonly hits: Float64Array;
  readonly truth: ReadonlySet<string>;
  readonly untuned: readonly string[];
}

/**
 * Task G: comments of other pull requests of the repository, said before. S: all its texts, without
 * place and date.
 */
export function changeExamples(
  rows: RetrievalRows,
  judged: JudgedData,
  task: "G" | "S",
  choices: readonly Choice[],
): readonly Example[] {
  const data = taskOf(task, judged, null);
  const prepared = new Map(rows.queries.map((query) => [query.id, query]));
  const records = recordsOf(data.lines);
  const backgrounds = new Map<string, Background>();
  return data.queries.flatMap((asked) => {
    const query = prepared.get(asked.id);
    if (query === undefined) return [];
    const memories = task === "G" ? earlier(rows, query) : (rows.memories.get(query.repo) ?? []);
    if (memories.length === 0) return [];
    const background = backgrounds.get(query.repo) ?? countWords(rows, query.repo);
    backgrounds.set(query.repo, background);
    const signals = featureSignals(query.change, memories, background, rows.lexicon);
    const factors = factorsOf(
      asked,
      memories.flatMap(({ id }) => records.get(id) ?? []),
    );
    const untuned = untunedFusion(query, memories, task, rows.lexicon);
    const example = { query: query.id, group: query.repo, truth: asked.truth, untuned };
    return [exampleOf(example, memories, signals, choices, factors)];
  });
}

/** Findings asked for in other reviewers' words, one question at a time. */
export async function questionExamples(folder: string, choices: readonly Choice[]) {
  const read = await readParaphrase(folder);
  const examples = await withStore(async (store) => {
    await store.importLines(linesOf(read));
    const examples: Example[] = [];
    for (const { id, queries, source, truth } of read.singles) {
      const [text = ""] = queries;
      const scope = questionScope(WITH, source);
      const found = await listsOf(text, scope, store, TUNING.overFetch);
      const hits = pool([fuseByRank(found, { vector: store.embedder.weight, keyword: 1 })]);
      const known = await knownRecords(scope, hits, store);
      const candidates = hits.filter((hit) => known.has(hit.id));
      const words = lexicon();
      const change = prepareChange({ title: text, body: "", paths: [], hunks: [] }, words);
      const memories = candidates.map((hit) => preparedRecord(known.get(hit.id), words));
      const signals = featureSignals(change, memories, BACKGROUND, words);
      const untuned = memories.map((memory) => memory.id);
      const example = { query: id, group: [...truth].sort()[0] ?? "", truth, untuned };
      examples.push(exampleOf(example, memories, signals, choices, new Float64Array(memories.length)));
    }
    return examples;
  });
  return { examples, fingerprint: read.fingerprint };
}

async function knownRecords(scope: Scope, hits: readonly { readonly id: string }[], { recall }: TemporaryStore) {
  const records = await recall.records(
    scope,
    hits.map(({ id }) => id),
  );
  return new Map(records.map((record) => [record.id, record]));
}

function preparedRecord(record: MemoryRecord | undefined, words: ReturnType<typeof lexicon>) {
  const { sourceId = "", provenance, text = "" } = record ?? {};
  return prepareMemory({ id: sourceId, pr: provenance?.pull ?? 0, path: "", text, hunk: "" }, words);
}

function recordsOf(lines: readonly string[]): ReadonlyMap<string, MemoryRecord> {
  const records = lines.map((line) => {
    const record = rowRecord(line, { languageOf, lowInformation: () => null });
    if ("kind" in record) throw new Error(`a wrong line: ${record.reason}`);
    return [record.sourceId, record] as const;
  });
  return new Map(records);
}

/** What factors add to the score of each memory. */
function factorsOf(asked: TaskQuery, memories: readonly MemoryRecord[]): Float64Array {
  const { context, signals } = questionOf(asked);
  const places = changedPlaces(context.files.map(({ path }) => path));
  const at = { languages: signals.languages, strategy: null, places, sourceWeights: {}, now: asked.now };
  return Float64Array.from(memories, (memory) => factorTerms(memory, at).reduce((sum, { value }) => sum + value, 0));
}

function exampleOf(
  example: Pick<Example, "query" | "group" | "truth" | "untuned">,
  memories: readonly PreparedMemory[],
  signals: Signals,
  choices: readonly Choice[],
  factors: Float64Array,
): Example {
  const columns = choices.map(({ signal }) => {
    const values = signals[signal];
    if (values === undefined) throw new Error(`there is no signal ${signal}`);
    return values;
  });
  const ids = memories.map(({ id }) => id);
  const found = Math.max(1, ids.filter((id) => example.truth.has(id)).length);
  return {
    ...example,
    ids,
    columns,
    factors,
    hits: Float64Array.from(ids, (id) => (example.truth.has(id) ? 1 / found : 0)),
  };
}
