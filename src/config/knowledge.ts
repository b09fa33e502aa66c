// The `knowledge` section of .kodiai.yml: what may be remembered and shared, how it is searched.
import { z } from "zod";
import { amount, checkedText, choice, documented, flag, section, whole } from "./config-value.ts";
import { knownModel } from "./environment/known-models.ts";
import { PATTERN_COUNT, userPattern } from "./patterns.ts";

/** The model that the price of reranking is said of: the default one for short questions. */
const SMALL_MODEL = "claude-haiku-5-5";
/** Of one question: the mean of 120 prompts was 5,184 tokens; a reply is at most 50 numbers. */
const RERANK_TOKENS = { input: 5_184, output: 160 };
const [{ input = 0, output = 0 } = {}] = knownModel(SMALL_MODEL)?.usd ?? [];
const usd = (RERANK_TOKENS.input * input + RERANK_TOKENS.output * output) / 1_000_000;
const RERANK_USD = String(Number(usd.toPrecision(1))).replace(/^0/, "");

const patterns = z.array(checkedText(userPattern)).max(PATTERN_COUNT).default([]);

const Gate = section({
  enabled: flag(true, "Skip the search where it cannot help, such as for lock files only."),
  model: flag(
    false,
    "Ask the small model whether to search if no rule decides. It gets title, description and paths, and costs money.",
  ),
  confidenceThreshold: amount(
    { min: 0, max: 1, default: 0.7, example: 0.9 },
    "A skip that is less certain than this becomes a search.",
  ),
  cacheDecisions: flag(true, "Remember decisions for a while."),
  cacheTTLSeconds: whole({ min: 1, max: 86_400, default: 300, example: 60 }, "For how many seconds."),
  maxInputTokens: whole({ min: 200, max: 4_000, default: 500, example: 300 }, "Tokens that this model reads."),
  skipPatterns: documented(
    patterns,
    ["^translations/"],
    "RE2 expressions, any case: when every changed path, or a question, matches one, the search is skipped.",
  ),
  retrievePatterns: documented(
    patterns,
    ["^src/billing/", "\\bhotfix\\b"],
    "RE2 expressions, any case, for title, paths and a question: one match and memory is searched. Wins over skipPatterns.",
  ),
});

const Weights = section({
  semantic: amount({ min: 0, max: 1, default: 0.7, example: 0.5 }, "Weight of similarity in meaning."),
  keyword: amount({ min: 0, max: 1, default: 0.3, example: 0.5 }, "Weight of similarity in words."),
});

const Retrieval = section({
  enabled: flag(true, "Search memory for earlier comments about similar code."),
  topK: whole({ min: 1, max: 20, default: 5, example: 8 }, "How many memories a review may use."),
  distanceThreshold: documented(
    z.union([z.literal("auto"), z.number().min(0).max(2)]).default("auto"),
    0.25,
    "Largest cosine distance (1 − similarity) at which the vector alone admits a memory. auto: as calibrated.",
  ),
  maxContextChars: whole(
    { min: 0, max: 5000, default: 2000, example: 3000 },
    "Characters of memories in a prompt; the longest are cut so that all fit.",
  ),
  queryChars: whole(
    { min: 100, max: 800, default: 600, example: 800 },
    "Length of the query text; what matters least goes first.",
  ),
  minKeywordLength: whole(
    { min: 1, max: 10, default: 3, example: 2 },
    "Shorter words of a query are not searched for.",
  ),
  sourceWeights: documented(
    z.partialRecord(z.enum(["finding", "review_comment", "doc", "wiki"]), z.number().min(0.5).max(2)).default({}),
    { doc: 0.8 },
    "What scores are multiplied with, 0.5–2, by source: `finding`, `review_comment`, `doc`, `wiki`; else 1.",
  ),
  method: choice(
    ["semantic", "keyword", "hybrid"],
    { default: "hybrid", example: "semantic" },
    "How memory is searched: by meaning, by words, or both.",
  ),
  fusion: choice(
    ["learned", "rrf", "weighted"],
    { default: "learned", example: "weighted" },
    "How `hybrid` orders: by a learned table, by rank in both lists, or by weighted score.",
  ),
  weights: Weights.describe("Used by `fusion: weighted` only. A weight of 0 leaves the order to the other."),
  rerank: choice(
    ["auto", "model", "off"],
    { default: "auto", example: "off" },
    `What reranks memories; it gets them and changed code. auto: the server's reranker, else the small model (about US$ ${RERANK_USD} a review with ${SMALL_MODEL}); model: the small model.`,
  ),
  modelQueries: flag(false, "Let the small model write 8 to 12 more queries. Costs money; not measured to help."),
  hypothetical: flag(
    false,
    "Let the small model describe a memory that would fit, and search by that. Costs money; not measured to help.",
  ),
  gate: Gate.describe("When memory is not searched."),
});

export const Knowledge = section({
  embeddings: choice(
    ["auto", "off"],
    { default: "auto", example: "off" },
    "What makes vectors. auto: the server's choice; off: nothing, and memory is searched by words only.",
  ),
  sharing: section({
    gives: flag(
      false,
      "Offer patterns of this repository's reviews: common words, without code, names, quotes, paths and links. Nothing of a private repository reaches a public one.",
    ),
    takes: flag(false, "Also search the patterns that others offer."),
  }).describe(
    "Between repositories of one owner: one must set `gives` and the other `takes`. The owner's `.github` repository may set it for all.",
  ),
  corpora: section({
    docs: flag(true, "Remember the Markdown documents of the default branch, and search them."),
  }).describe("What is remembered besides review comments."),
  describe: choice(
    ["off", "model"],
    { default: "off", example: "model" },
    "model: the small model describes review comments after each review, so that searches find them under other words, within review.budget.usdPerMonth.",
  ),
  retrieval: Retrieval.describe("How memory is searched for a review."),
});
export type Knowledge = z.infer<typeof Knowledge>;
export type GateSettings = Knowledge["retrieval"]["gate"];

export function defaultKnowledge(): Knowledge {
  return Knowledge.parse({});
}
