// Every key of .kodiai.yml under `knowledge`, with what it changes in what the retrieve stage hands
// on.
import type { ModelRequest } from "../src/domain/model.ts";
import type { Precedents } from "../src/domain/retrieval.ts";
import type { Reranker } from "../src/ports/memory.ts";
import { newGateCache } from "../src/retrieve/retrieve.ts";
import { type Change, precedentsOf } from "./app/pipeline.ts";
import { aPull, REPO } from "./fakes/pull-requests.ts";
import { type Script, scriptedModel, textOf } from "./fakes/scripted-model.ts";
import { atDistance, embedder, memory, NOW, type Shelved } from "./retrieve/retrieve-builders.ts";

export interface KnowledgeCase {
  readonly key: string;
  /** `knowledge` before the key is set, as YAML in flow style. */
  readonly before?: string;
  readonly knowledge: string;
  /** What the setting changes in what is told of the precedents, with it and without it. */
  readonly says: RegExp;
  readonly insteadOf: RegExp;
  readonly files?: Change["files"];
  readonly memories?: readonly Shelved[];
  /** The server has a reranker. */
  readonly reranked?: boolean;
  /**
   * What the server's model says to whatever it is asked, or to a question; without it the server
   * has none.
   */
  readonly said?: unknown;
  /** When the change is reviewed, in seconds; what the last review says counts. */
  readonly at?: readonly number[];
}

const OWN = {
  repo: `github.com/${REPO.id}`,
  repoName: "acme/player",
  ownerId: REPO.ownerId,
  visibility: "public",
} as const;

/** Words that are in the pull request as well. */
const WORDS = "the price in the cart is to be rounded to whole cents";

function remembered(id: string, distance: number, more: Parameters<typeof memory>[1] = {}): Shelved {
  return { record: memory(id, { ...OWN, text: `mutex ${id}`, ...more }), vector: atDistance(distance) };
}

const NEAR = remembered("near", 0.02);
/** Nothing like the change in meaning, much like it in words. */
const WORDY = remembered("wordy", 0.8, { text: WORDS });
const PATTERN = "Please close the connection before the function returns, also when an error is thrown.";
const BOTH = [NEAR, WORDY];
const FIVE = [0.02, 0.03, 0.04, 0.05, 0.06].map((distance, index) => remembered(`m${index}`, distance));
const FILES = {
  "src/cart/price.ts":
    "export function total(price: number, count: number): number {\n  return Math.round(price * count * 100) / 100;\n}\n",
};
/** Too many for a search by words alone, which is not reranked. */
const MANY_FILES = {
  ...FILES,
  ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`src/${name}.ts`, "start();\n"])),
};
/** Of which no rule of the gate knows anything. */
const TEXTS = Object.fromEntries(
  ["a", "b", "c", "d", "e", "f"].map((name) => [`content/${name}.yaml`, `${name}: whole cents\n`]),
);
const SITUATION =
  "A loop rounds each amount before the amounts are added up. The gap is that small errors add up to a wrong total.";
const LOCK = { "package-lock.json": "{}\n" };

/** Admits both, so that only the order is in question. */
const WIDE = "distanceThreshold: 1";

export const KNOWLEDGE_CASES: readonly KnowledgeCase[] = [
  {
    key: "knowledge.embeddings",
    knowledge: "{embeddings: off}",
    says: /method keyword[\s\S]*embedding: switched off by the configuration/,
    insteadOf: /method hybrid/,
  },
  {
    key: "knowledge.sharing.takes",
    knowledge: "{sharing: {takes: true}}",
    says: /heard pay near\n/,
    insteadOf: /heard near\n/,
    memories: [
      NEAR,
      remembered("pay", 0.03, { repo: "github.com/9", repoName: "acme/pay", text: PATTERN, sharing: "given" }),
    ],
  },
  {
    key: "knowledge.corpora.docs",
    knowledge: "{corpora: {docs: false}}",
    says: /heard near\n/,
    insteadOf: /heard near guide\n/,
    memories: [NEAR, remembered("guide", 0.03, { corpus: "doc", path: "docs/guide.md" })],
  },
  {
    key: "knowledge.retrieval.enabled",
    knowledge: "{retrieval: {enabled: false}}",
    says: /^skipped by configuration: knowledge\.retrieval\.enabled is false\nheard\n/,
    insteadOf: /^searched by few-files: .*\nheard near\n/,
  },
  {
    key: "knowledge.retrieval.topK",
    knowledge: "{retrieval: {topK: 2}}",
    says: /heard m0 m1\n[\s\S]*over the 2 that are used/,
    insteadOf: /heard m0 m1 m2 m3 m4\n/,
    memories: FIVE,
  },
  {
    key: "knowledge.retrieval.distanceThreshold",
    knowledge: "{retrieval: {distanceThreshold: 0.5}}",
    says: /heard near far\n/,
    insteadOf: /heard near\n[\s\S]*far: distance 0\.450 is over the threshold 0\.300/,
    memories: [NEAR, remembered("far", 0.45)],
  },
  {
    key: "knowledge.retrieval.maxContextChars",
    knowledge: "{retrieval: {maxContextChars: 620}}",
    says: /heard m0 m1\n[\s\S]*m2: over the characters that are left/,
    insteadOf: /heard m0 m1 m2 m3 m4\n/,
    memories: FIVE,
  },
  {
    key: "knowledge.retrieval.queryChars",
    knowledge: "{retrieval: {queryChars: 100}}",
    says: /query without paths after the first 1 of 6\n/,
    insteadOf: /query without nothing\n/,
    files: MANY_FILES,
  },
  {
    key: "knowledge.retrieval.minKeywordLength",
    knowledge: "{retrieval: {minKeywordLength: 10}}",
    says: /by words: none/,
    insteadOf: /by words: wordy/,
    memories: [NEAR, remembered("wordy", 0.1, { text: "in whole cents", path: null })],
  },
  {
    key: "knowledge.retrieval.sourceWeights",
    knowledge: "{retrieval: {sourceWeights: {doc: 2}}}",
    says: /heard guide near\n/,
    insteadOf: /heard near guide\n/,
    memories: [NEAR, remembered("guide", 0.03, { corpus: "doc", path: "docs/guide.md" })],
  },
  {
    key: "knowledge.retrieval.method",
    knowledge: "{retrieval: {method: semantic}}",
    says: /method semantic[\s\S]*by words: none/,
    insteadOf: /method hybrid[\s\S]*by words: wordy/,
    memories: [NEAR, remembered("wordy", 0.1, { text: WORDS })],
  },
  {
    key: "knowledge.retrieval.fusion",
    before: `{retrieval: {${WIDE}, fusion: rrf}}`,
    knowledge: `{retrieval: {${WIDE}, fusion: weighted}}`,
    says: /heard near wordy\n/,
    insteadOf: /heard wordy near\n/,
    memories: BOTH,
  },
  {
    key: "knowledge.retrieval.weights.semantic",
    before: `{retrieval: {${WIDE}, fusion: weighted}}`,
    knowledge: `{retrieval: {${WIDE}, fusion: weighted, weights: {semantic: 0.1}}}`,
    says: /heard wordy near\n/,
    insteadOf: /heard near wordy\n/,
    memories: BOTH,
  },
  {
    key: "knowledge.retrieval.weights.keyword",
    before: `{retrieval: {${WIDE}, fusion: weighted}}`,
    knowledge: `{retrieval: {${WIDE}, fusion: weighted, weights: {keyword: 1}}}`,
    says: /heard wordy near\n/,
    insteadOf: /heard near wordy\n/,
    memories: BOTH,
  },
  {
    key: "knowledge.retrieval.rerank",
    before: "{retrieval: {topK: 2}}",
    knowledge: "{retrieval: {topK: 2, rerank: off}}",
    says: /heard m0 m1\n/,
    insteadOf: /heard (?!m0 m1)/,
    memories: FIVE,
    files: MANY_FILES,
    reranked: true,
  },
  {
    key: "knowledge.retrieval.modelQueries",
    knowledge: "{retrieval: {modelQueries: true}}",
    says: /asked .*pattern: A loop rounds each amount before they are added up/,
    insteadOf: /asked (?!.*pattern)intent/,
    said: { code: ["A loop rounds each amount before they are added up"] },
  },
  {
    key: "knowledge.retrieval.hypothetical",
    knowledge: "{retrieval: {hypothetical: true}}",
    says: /asked .*hypothetical: A loop rounds each amount before the amounts/,
    insteadOf: /asked (?!.*hypothetical)intent/,
    said: { situation: SITUATION },
  },
  {
    key: "knowledge.retrieval.rerank",
    before: "{retrieval: {topK: 2, rerank: off}}",
    knowledge: "{retrieval: {topK: 2, rerank: model}}",
    says: /heard (?!m0 m1)/,
    insteadOf: /heard m0 m1\n/,
    memories: FIVE,
    files: MANY_FILES,
    said: { order: [3, 2] },
  },
  {
    key: "knowledge.retrieval.gate.model",
    knowledge: "{retrieval: {gate: {model: true}}}",
    says: /^skipped by model: texts only/,
    insteadOf: /^searched by default/,
    files: TEXTS,
    said: { shouldRetrieve: false, confidence: 0.9, reason: "texts only" },
  },
  {
    key: "knowledge.retrieval.gate.maxInputTokens",
    before: "{retrieval: {gate: {model: true}}}",
    knowledge: "{retrieval: {gate: {model: true, maxInputTokens: 200}}}",
    says: /^skipped by model: a part/,
    insteadOf: /^skipped by model: all files/,
    files: TEXTS,
    said: ({ user }: ModelRequest<unknown>) => {
      const reason = textOf(user).includes("content/f.yaml") ? "all files" : "a part";
      return { shouldRetrieve: false, confidence: 0.9, reason };
    },
  },
  {
    key: "knowledge.retrieval.gate.enabled",
    knowledge: "{retrieval: {gate: {enabled: false}}}",
    says: /^searched by disabled: the gate is disabled/,
    insteadOf: /^skipped by lock-files/,
    files: LOCK,
  },
  {
    key: "knowledge.retrieval.gate.confidenceThreshold",
    knowledge: "{retrieval: {gate: {confidenceThreshold: 1}}}",
    says: /^searched by lock-files: .*because 0\.99 is below the confidence threshold 1/,
    insteadOf: /^skipped by lock-files/,
    files: LOCK,
  },
  {
    key: "knowledge.retrieval.gate.cacheDecisions",
    knowledge: "{retrieval: {gate: {cacheDecisions: false}}}",
    says: /^searched by few-files/,
    insteadOf: /^searched by cache/,
    at: [0, 100],
  },
  {
    key: "knowledge.retrieval.gate.cacheTTLSeconds",
    knowledge: "{retrieval: {gate: {cacheTTLSeconds: 60}}}",
    says: /^searched by few-files/,
    insteadOf: /^searched by cache/,
    at: [0, 100],
  },
  {
    key: "knowledge.retrieval.gate.skipPatterns",
    knowledge: "{retrieval: {gate: {skipPatterns: ['^src/']}}}",
    says: /^skipped by skip-pattern/,
    insteadOf: /^searched by few-files/,
  },
  {
    key: "knowledge.retrieval.gate.retrievePatterns",
    knowledge: "{retrieval: {gate: {retrievePatterns: ['package-lock']}}}",
    says: /^searched by retrieve-pattern: retrievePatterns: package-lock/,
    insteadOf: /^skipped by lock-files/,
    files: LOCK,
  },
];

/** Prefers what says what to do in the end, then what stands last. */
const BACKWARDS: Reranker = {
  name: "judge-1",
  rerank: async (_query, candidates) => {
    const scores = new Map(candidates.map(({ id, text }, place) => [id, text.includes("in the end") ? 99 : place]));
    return { scores, tokens: 1, usd: 0, ms: 1, failed: null };
  },
};

/**
 * Reviews the case's change under these settings, and tells what the last review was handed by the
 * retrieve stage.
 */
export async function retrieved(one: KnowledgeCase, knowledge: string | undefined): Promise<string> {
  const gateCache = newGateCache();
  let last = "";
  for (const seconds of one.at ?? [0]) {
    const precedents = await precedentsOf({
      files: one.files ?? FILES,
      ...(knowledge === undefined ? {} : { config: `knowledge: ${knowledge}` }),
      world: { pull: aPull({ title: "Round prices in the cart to whole cents", body: null }) },
      memories: one.memories ?? [NEAR],
      embedder: embedder(),
      ...(one.reranked === true ? { reranker: BACKWARDS } : {}),
      ...(one.said === undefined
        ? {}
        : { access: scriptedModel(typeof one.said === "function" ? (one.said as Script) : () => one.said) }),
      gateCache,
      now: NOW + seconds * 1000,
    });
    last = reported(precedents);
  }
  return last;
}

function reported({ gate, query, ranked, cut, provenance, degraded }: Precedents): string {
  const byWords = ranked.filter(({ keywordRank }) => keywordRank !== null).map(({ record }) => record.id);
  return [
    `${gate.retrieve ? "searched" : "skipped"} by ${gate.decidedBy}: ${gate.reason}`,
    ["heard", ...ranked.map(({ record }) => record.id)].join(" "),
    `asked ${query?.variants.map(({ kind, text }) => (kind === "pattern" || kind === "hypothetical" ? `${kind}: ${text}` : kind)).join(" ")}`,
    `query without ${query?.dropped.join() || "nothing"}`,
    `method ${provenance.method}`,
    `by words: ${byWords.join(" ") || "none"}`,
    ...cut.map(({ id, reason }) => `${id}: ${reason}`),
    ...degraded.map(({ part, reason }) => `${part}: ${reason}`),
  ].join("\n");
}
