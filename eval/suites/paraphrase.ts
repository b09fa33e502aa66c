// Are findings found in other reviewers' words, among what other tools said wrongly? One question
// at a time, and all that a reviewer said of one pull request together.

import { analyze } from "../../src/analyze/analyze.ts";
import { repoKey } from "../../src/domain/memory.ts";
import type { Scope } from "../../src/domain/retrieval.ts";
import { evaluationRepo } from "../../src/learn/remember/parse-row.ts";
import {
  byScore,
  type FusedHit,
  fuseByRank,
  type Pooling,
  pool,
  type QueryCandidates,
} from "../../src/retrieve/rank/fusion.ts";
import { type Answer, bestAndWorst, figuresOf, gainOver, intervalText, rowOf } from "../answers.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { type ParaphraseData, type QuerySet, readParaphrase } from "../paraphrase-data.ts";
import { pullRequestContext } from "../pull-request-context.ts";
import { runRetrieval } from "../run-retrieval.ts";
import type { Suite } from "../suite.ts";
import { type TemporaryStore, withStore } from "../temporary-store.ts";

export const WITH = "eval/paraphrase";
const WITHOUT = "eval/paraphrase-alone";
const DAY = "2020-01-01T00:00:00Z";
const NEXT_DAY = Date.parse("2020-01-02T00:00:00Z");
/** Hits of each list, as for the other suites: the metrics look at twenty. */
const FETCHED = 250;
const POOLINGS: readonly Pooling[] = ["max", "best-rank", "rrf"];

/**
 * `default`: the retrieve stage, asked by a pull request with the query as its text and no changes.
 * The pooled rows join the stage's own lists of one query (`ranks`) or the scores of words
 * (`words`) over a pull request's queries.
 */
export const suite: Suite = async ({ data }) => {
  const read = await readParaphrase(data);
  return withStore(async (store) => {
    const added = await store.importLines(linesOf(read));
    if (added !== 2 * read.memories.length + read.distractors.length) throw new Error("not every row is in memory");
    const singles = await singleAnswers(read, store);
    const pooled = await pooledAnswers(read.sets, store);
    const answers = new Map([...singles, ...pooled]);
    const figures = new Map([...answers].map(([name, list]) => [name, figuresOf(list, store.embedder.threshold)]));
    const rows = [...answers].map(([name, list]) => {
      const own = figures.get(name) ?? {};
      const base = name.startsWith("pull request") ? "pull request, words, max" : "default";
      const compares = name !== base && !name.includes("no distractors");
      const row = rowOf(name, own, list);
      return compares ? { ...row, against: gainOver(base, own, figures.get(base) ?? {}) } : row;
    });
    return {
      data: { n: read.singles.length + read.sets.length, fingerprint: read.fingerprint },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows,
      printIntervals: ["mrr", "recall@5", "recall@10"],
      notes: [
        `${read.memories.length} findings, ${read.distractors.length} distractors; those of the query's own tool and pull request are left out`,
        ...rows.flatMap(({ name, against }) =>
          against === undefined
            ? []
            : [`${name} against ${against.row}: recall@10 ${intervalText(against.gain["recall@10"] ?? NONE)}`],
        ),
        ...bestAndWorst(answers.get("default") ?? []),
      ],
    };
  });
};

const NONE = { mean: 0, low: 0, high: 0 };

/**
 * One tool's comments on one pull request have one number, so that the store itself leaves it out.
 */
export function linesOf({ memories, distractors }: ParaphraseData): string[] {
  const line = (repo: string, id: string, text: string, language: string, pr: number | null) =>
    JSON.stringify({ id, repo, pr, text, language, createdAt: DAY });
  return [
    ...memories.flatMap(({ id, text, language }) =>
      [WITH, WITHOUT].map((repo) => line(repo, id, text, language, null)),
    ),
    ...distractors.map(({ id, text, language, source }) => line(WITH, id, text, language, source)),
  ];
}

export function scopeOf(repo: string, source: number): Scope {
  return { repo: repoKey(evaluationRepo(repo)), ownerPool: null, excludePull: source, before: null };
}

async function singleAnswers({ singles }: ParaphraseData, store: TemporaryStore): Promise<Map<string, Answer[]>> {
  const lists = new Map<string, Answer[]>();
  const add = (name: string, answer: Answer) => lists.set(name, [...(lists.get(name) ?? []), answer]);
  for (const query of singles) {
    add("default", await roomAnswer(query, store));
    for (const [repo, suffix] of [
      [WITH, ""],
      [WITHOUT, ", no distractors"],
    ] as const) {
      const started = performance.now();
      const found = await listsOf(query.queries[0] ?? "", scopeOf(repo, query.source), store);
      const ms = performance.now() - started;
      const asked = { store, scope: scopeOf(repo, query.source), query, ms };
      add(`words${suffix}`, await answerOf(byWords(found), asked));
      if (suffix === "") add("vectors", await answerOf(byVectors(found), asked));
    }
  }
  return lists;
}

async function roomAnswer(query: QuerySet, store: TemporaryStore): Promise<Answer> {
  const context = pullRequestContext({
    repo: evaluationRepo(WITH),
    number: query.source,
    title: query.queries[0] ?? "",
    body: null,
    files: [],
    explicit: true,
  });
  const truth = query.truth;
  const grades = new Map([...truth].map((id) => [id, 1]));
  const question = { query: { id: query.id, now: NEXT_DAY, before: null, truth, grades }, context };
  return runRetrieval({ ...question, signals: analyze(context) }, { name: "default" }, store);
}

async function pooledAnswers(sets: readonly QuerySet[], store: TemporaryStore): Promise<Map<string, Answer[]>> {
  const lists = new Map<string, Answer[]>();
  const add = (name: string, answer: Answer) => lists.set(name, [...(lists.get(name) ?? []), answer]);
  const known = new Map<string, Promise<QueryCandidates>>();
  for (const query of sets) {
    for (const [repo, suffix] of [
      [WITH, ""],
      [WITHOUT, ", no distractors"],
    ] as const) {
      const scope = scopeOf(repo, query.source);
      const started = performance.now();
      const found: QueryCandidates[] = [];
      for (const text of query.queries) {
        const key = JSON.stringify([repo, query.source, text]);
        const list = known.get(key) ?? listsOf(text, scope, store);
        known.set(key, list);
        found.push(await list);
      }
      const asked = { store, scope, query, ms: performance.now() - started };
      const words = found.map(byWords);
      const ranks = found.map((one) => fuseByRank(one, { vector: store.embedder.weight, keyword: 1 }));
      for (const how of POOLINGS) {
        add(`pull request, words, ${how}${suffix}`, await answerOf(pool(words, how), asked));
        if (suffix === "") add(`pull request, ranks, ${how}`, await answerOf(pool(ranks, how), asked));
      }
    }
  }
  return lists;
}

/** Both lists of one text, from the store. */
export async function listsOf(
  text: string,
  scope: Scope,
  { embedder, recall }: TemporaryStore,
  fetched: number = FETCHED,
): Promise<QueryCandidates> {
  const vector = (await embedder.embed([text], "query")).vectors[0];
  const [[matching = []], [nearest = []]] = await Promise.all([
    recall.matching(scope, [text], fetched, {}),
    vector ? recall.nearest(scope, [vector], embedder.space, fetched, {}) : [],
  ]);
  return { variant: { kind: "intent", text, path: null }, nearest, matching };
}

function byWords({ matching, ...rest }: QueryCandidates): readonly FusedHit[] {
  const ranked = fuseByRank({ ...rest, matching, nearest: [] }, { vector: 0, keyword: 1 });
  return ranked.map((hit) => ({ ...hit, score: hit.keywordScore ?? 0 })).sort(byScore);
}

function byVectors({ nearest, ...rest }: QueryCandidates): readonly FusedHit[] {
  const ranked = fuseByRank({ ...rest, nearest, matching: [] }, { vector: 1, keyword: 0 });
  return ranked.map((hit) => ({ ...hit, score: 1 - (hit.distance ?? 1) })).sort(byScore);
}

interface Asked {
  readonly store: TemporaryStore;
  readonly scope: Scope;
  readonly query: QuerySet;
  readonly ms: number;
}

async function answerOf(hits: readonly FusedHit[], { store, scope, query, ms }: Asked): Promise<Answer> {
  const first = hits.slice(0, 50);
  const records = await store.recall.records(
    scope,
    first.map(({ id }) => id),
  );
  return {
    query: query.id,
    ids: records.map(({ sourceId }) => sourceId),
    distances: first.map(({ distance }) => distance),
    truth: query.truth,
    grades: new Map([...query.truth].map((id) => [id, 1])),
    ms,
  };
}
