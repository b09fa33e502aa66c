// Turns a change into queries: one text and its variants.

import { defaultKnowledge, type Knowledge } from "../../config/knowledge.ts";
import type { Repo } from "../../domain/job.ts";
import { NO_PULL, placeholderPullRequest } from "../../domain/memory/placeholder-pull-request.ts";
import type { HandSearch } from "../../domain/memory/search-result.ts";
import { CORPORA } from "../../domain/memory.ts";
import type { FileDiff, PullRequestContext } from "../../domain/pull-request.ts";
import {
  type EmbeddingUsage,
  type GateDecision,
  type MemoryCounts,
  type MemoryFilter,
  NO_USAGE,
  type QueryVariant,
  type RetrievalQuery,
  type Strategy,
} from "../../domain/retrieval.ts";
import type { FileFacts, ReviewSignals } from "../../domain/signals.ts";
import { counted } from "../../domain/text/counted.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Attempts } from "../degradation-log.ts";
import { gateConfig } from "../gate/gate.ts";
import { type GatedQuestion, questionGate } from "../gate/question-gate.ts";
import type { Tuning } from "../tuning.ts";
import { buildRetrievalQuery, queryVariants } from "./build-query.ts";

/** What a change is about comes first: there is room for a few paths only. */
const KIND_ORDER: Readonly<Record<FileFacts["kind"], number>> = { source: 0, test: 1, infra: 2, config: 2, docs: 3 };

/** Source, tests, configuration, documents; of one kind the most changed lines first. */
function mostTelling(files: readonly FileDiff[], facts: readonly FileFacts[]): readonly FileDiff[] {
  const kinds = new Map(facts.map(({ path, kind }) => [path, KIND_ORDER[kind]]));
  const kindOf = ({ path }: FileDiff) => kinds.get(path) ?? KIND_ORDER.source;
  const lines = ({ additions, deletions }: FileDiff) => additions + deletions;
  return files.toSorted((a, b) => kindOf(a) - kindOf(b) || lines(b) - lines(a));
}

/** The query of a change, with the enabled kinds of variants. */
export function changeQuery(
  context: PullRequestContext,
  signals: ReviewSignals,
  queryChars: number,
  { paths, variants: kinds }: Pick<Tuning, "paths" | "variants">,
): RetrievalQuery {
  const known = signals.author.isKnown ? signals.author : null;
  const subject = { ...context, files: mostTelling(context.files, signals.files) };
  const { text, dropped } = buildRetrievalQuery(subject, { ...signals, author: known }, queryChars);
  const variants = queryVariants(text, subject, signals, paths).filter(({ kind }) => kinds.has(kind));
  return { text, dropped, variants };
}

// A typed text, as a change without files: with the search, ranking and selection of a review.

export interface Asked {
  /** By the strategy of the gate's decision. */
  readonly query: (strategy: Strategy | null) => RetrievalQuery;
  /** Files that the question is about, for the strategy `related-files`; only paths are known. */
  readonly files: readonly FileDiff[];
  readonly filter: MemoryFilter;
  /** Replaces the gate for changes, unless null. Null counts: memory could not be counted. */
  readonly decide: ((counts: MemoryCounts | null) => GateDecision) | null;
}

function queryOf(text: string): RetrievalQuery {
  return { text, dropped: [], variants: [{ kind: "intent", text, path: null }] };
}

/**
 * The arguments of retrieval, made from a typed text. Words need no floor here: a person who types
 * three words wants to see what has them.
 */
export function askedByHand(text: string, search: HandSearch) {
  const { threshold, filter } = search;
  const explicit = threshold !== null;
  return {
    ...placeholderPullRequest(text, search.repo, NO_PULL),
    settings: {
      knowledge: knowledgeOf(search),
      now: search.now,
      before: null,
      gateCache: null,
      tuning: {
        floors: threshold !== 0,
        adaptive: !explicit,
        // When a similarity is required, keywords do not replace it.
        leastProbability: explicit ? Number.POSITIVE_INFINITY : 0,
        budget: false,
      },
      asked: {
        query: () => queryOf(text),
        files: [],
        filter: { ...filter, corpora: filter.corpora ?? CORPORA },
        decide: null,
      } satisfies Asked,
    },
  };
}

function knowledgeOf({ method, topK, threshold, rerank }: HandSearch): Knowledge {
  const { retrieval, ...rest } = defaultKnowledge();
  const distanceThreshold = threshold === null ? "auto" : 1 - threshold;
  const gate = { ...retrieval.gate, enabled: false };
  return { ...rest, retrieval: { ...retrieval, method, topK, distanceThreshold, rerank, gate } };
}

// A question in a comment, as if a change without files asked: the gate for questions, then the
// search, ranking and selection of a review.

export interface AskedQuestion extends GatedQuestion {
  readonly repo: Repo;
  readonly pull: { readonly number: number };
  /** The title of the finding in question; "" without one. */
  readonly about: string;
  /** The files of its pull request. */
  readonly changed: readonly string[];
}

/** Characters of a question that are searched for. */
const QUERY_CHARS = 800;
/** Of the last comment before it, and of the description. */
const SURROUNDING_CHARS = 300;
const MOST_PLACES = 15;

/**
 * The arguments of retrieval from a question, its file and thread, and its change's description.
 * With the strategy `related-files` the files are searched for, too. As in a manual search, words
 * need no floor.
 *
 * @param now epoch milliseconds
 */
export function askedInComment(question: AskedQuestion, knowledge: Knowledge, now: number) {
  const { text, about, path, languages, before, description, changed, repo, pull } = question;
  const joined = (parts: readonly string[]) => cutText(parts.filter((part) => part !== "").join("\n"), QUERY_CHARS);
  const own = joined([text.trim(), about, path ?? ""]);
  const around = joined([before.at(-1) ?? "", description].map((part) => cutText(part.trim(), SURROUNDING_CHARS)));
  const places = (path === null ? changed : [path]).slice(0, MOST_PLACES);
  const asked: Asked = {
    query(strategy) {
      const paths = strategy === "related-files" ? joined(places) : "";
      const more = [
        { kind: "intent", text: around, path: null },
        { kind: "paths", text: paths, path: null },
      ] as const;
      const { variants, ...query } = queryOf(own);
      return { ...query, variants: [...variants, ...more.filter((variant) => variant.text !== "")] };
    },
    files: places.map(unreadFile),
    filter: {},
    decide: (counts) => questionGate(question, gateConfig(knowledge.retrieval.gate), counts),
  };
  const { context, signals } = placeholderPullRequest(joined([text, about, around]), repo, pull.number);
  return {
    context,
    signals: { ...signals, languages },
    settings: { knowledge, now, before: null, gateCache: null, tuning: { leastProbability: 0 }, asked },
  };
}

function unreadFile(path: string): FileDiff {
  const unknown = { previousPath: null, oldMode: null, newMode: null, additions: 0, deletions: 0, hunks: [] };
  return { path, status: "modified", binary: false, complete: false, ...unknown };
}

interface EmbeddedQueries {
  /** In the order of the texts, null for each without one; empty when nothing was embedded. */
  readonly vectors: readonly (Float32Array | null)[];
  readonly usage: EmbeddingUsage;
}

export const NOT_EMBEDDED: EmbeddedQueries = { vectors: [], usage: NO_USAGE };

type EmbedQueries = (
  texts: readonly string[],
  kind: "query",
) => Promise<Omit<EmbeddingUsage, "texts"> & Pick<EmbeddedQueries, "vectors"> & { readonly failed: string | null }>;

/**
 * One request for all texts; null for each without a vector. Never rejects: `tries` has failures.
 *
 * @param embedder null when there is none
 * @param isOn false when the configuration turns it off
 */
export async function embedQueries(
  embedder: { readonly embed: EmbedQueries } | null,
  isOn: boolean,
  variants: readonly QueryVariant[],
  tries: Attempts,
): Promise<EmbeddedQueries> {
  if (embedder === null || !isOn) {
    const off = embedder === null ? "no embedder; memory was searched by words" : "switched off by the configuration";
    tries.note("embedding", off);
    return NOT_EMBEDDED;
  }
  const texts = variants.map(({ text }) => text);
  const answer = await tries.run("embedding", () => embedder.embed(texts, "query"), null);
  if (answer === null) return { vectors: [], usage: { ...NO_USAGE, texts: texts.length } };
  const { vectors, cached, tokens, usd, failed } = answer;
  const missing = texts.filter((_, at) => (vectors[at] ?? null) === null).length;
  if (missing > 0) {
    const all = `${missing} of ${counted(texts.length, "query", "queries")} could not be embedded`;
    tries.note("embedding", failed ? `queries could not be embedded: ${failed}` : all);
  }
  return { vectors, usage: { texts: texts.length, cached, tokens, usd } };
}
