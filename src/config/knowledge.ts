// The `knowledge` section of .kodiai.yml: what may be remembered and shared, and how memory is searched.
import { z } from "zod";
import { PATTERN_COUNT, PATTERN_LENGTH, userPattern } from "./user-pattern.ts";

/** A list of regular expressions; an invalid one is a problem of the file with its place, never an exception later. */
const patterns = z
  .array(
    z
      .string()
      .min(1)
      .max(PATTERN_LENGTH, { abort: true })
      .superRefine((source, context) => {
        const pattern = userPattern(source);
        if ("problem" in pattern) context.addIssue({ code: "custom", message: pattern.problem });
      }),
  )
  .max(PATTERN_COUNT)
  .default([]);

const Gate = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Skip the search where it cannot help, such as a change of lock files only. When false, always search.")
      .meta({ examples: [false] }),
    model: z
      .boolean()
      .default(false)
      .describe(
        "Ask the operator's small model whether to search if no rule decides: for few pull requests, because the rules decide nearly all. Sends it title, description and paths, and costs money.",
      )
      .meta({ examples: [true] }),
    confidenceThreshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe("A decision to skip that is less certain than this becomes a search. 0–1.")
      .meta({ examples: [0.9] }),
    cacheDecisions: z
      .boolean()
      .default(true)
      .describe("Remember decisions for a while, so that the same question is not asked twice.")
      .meta({ examples: [false] }),
    cacheTTLSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(300)
      .describe("For how many seconds a decision is remembered.")
      .meta({ examples: [60] }),
    maxInputTokens: z
      .int()
      .min(200)
      .max(4_000)
      .default(500)
      .describe("How many tokens of instructions and pull request that model reads.")
      .meta({ examples: [300] }),
    replay: z
      .boolean()
      .default(true)
      .describe(
        "Skip the search where the last `kodiai replay` of this repository, over at least 50 pull requests and at most 30 days old, did not show that memory helps. Risky changes, and reviews that a person requests, are still searched.",
      )
      .meta({ examples: [false] }),
    skipPatterns: patterns
      .describe(
        "Regular expressions (RE2, any case): when one of them matches every changed path, the search is skipped.",
      )
      .meta({ examples: [["^translations/"]] }),
    retrievePatterns: patterns
      .describe(
        "Regular expressions (RE2, any case) on title and paths: one match and memory is searched. Wins over skipPatterns.",
      )
      .meta({ examples: [["^src/billing/", "\\bhotfix\\b"]] }),
  })
  .prefault({});

const Weights = z
  .strictObject({
    semantic: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe("Weight of similarity in meaning.")
      .meta({ examples: [0.5] }),
    keyword: z
      .number()
      .min(0)
      .max(1)
      .default(0.3)
      .describe("Weight of similarity in words.")
      .meta({ examples: [0.5] }),
  })
  .prefault({});

const Retrieval = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Search memory for earlier comments about similar code.")
      .meta({ examples: [false] }),
    topK: z
      .int()
      .min(1)
      .max(20)
      .default(5)
      .describe("How many memories a review may use.")
      .meta({ examples: [8] }),
    distanceThreshold: z
      .union([z.literal("auto"), z.number().min(0).max(2)])
      .default("auto")
      .describe(
        "Largest cosine distance (1 − cosine similarity, 0–2) at which a memory counts as relevant. auto: as calibrated for the embedder, .3 for voyage-code-3.",
      )
      .meta({ examples: [0.25] }),
    maxContextChars: z
      .int()
      .min(0)
      .max(5000)
      .default(2000)
      .describe("How many characters of memories a prompt may contain. Memories are never cut in half.")
      .meta({ examples: [3000] }),
    queryChars: z
      .int()
      .min(100)
      .max(800)
      .default(600)
      .describe("How long the text is that a change is searched with; what matters least of it goes first.")
      .meta({ examples: [800] }),
    minKeywordLength: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe("Shorter words of a query are not searched for.")
      .meta({ examples: [2] }),
    maxPerFile: z
      .int()
      .min(1)
      .max(20)
      .default(20)
      .describe(
        "How many memories about one file a review may use, beside findings of earlier reviews. 20: any number.",
      )
      .meta({ examples: [2] }),
    sourceWeights: z
      .partialRecord(z.enum(["finding", "review_comment", "doc", "wiki", "code"]), z.number().min(0.5).max(2))
      .default({})
      .describe(
        "What scores are multiplied with, 0.5–2, by source: `finding`, `review_comment`, `doc`, `wiki`, `code`. 1 for what is not named.",
      )
      .meta({ examples: [{ doc: 0.8 }] }),
    languageBand: z
      .number()
      .min(0)
      .max(2)
      .default(2)
      .describe(
        "Under `method: semantic`, how far apart in distance memories may lie whose places language or age swaps.",
      )
      .meta({ examples: [0.05] }),
    method: z
      .enum(["semantic", "keyword", "hybrid"])
      .default("hybrid")
      .describe("How memory is searched: by meaning, by words, or both.")
      .meta({ examples: ["semantic"] }),
    fusion: z
      .enum(["learned", "rrf", "weighted"])
      .default("learned")
      .describe(
        "How `hybrid` orders results: by a learned table of signals, by rank in the two lists, or by weighted score; each also includes factors of language, age and outcome.",
      )
      .meta({ examples: ["weighted"] }),
    weights: Weights.describe("Used by `fusion: weighted` only. A weight of 0 leaves the order to the other."),
    rerank: z
      .enum(["auto", "model", "off"])
      .default("auto")
      .describe(
        "What reranks the memories that were found before the best are used; its order is fused with the search's own. Receives memories and changed code. auto: the server's reranker (KODIAI_RERANKER), else the operator's small model, within `review.budget` (about US$ .006 a review); model: the small model; off: nothing.",
      )
      .meta({ examples: ["off"] }),
    rerankText: z
      .enum(["situation+lesson", "situation"])
      .default("situation+lesson")
      .describe("What it reads of a memory that a model described; of others the text as it was said.")
      .meta({ examples: ["situation"] }),
    rerankMargin: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe(
        "Nothing is reranked where the first leads the second by more than this share of its lead over the last.",
      )
      .meta({ examples: [0.5] }),
    modelQueries: z
      .boolean()
      .default(false)
      .describe(
        "Let the operator's small model write 8 to 12 more queries, about the patterns in the change. Sends it title, description, 12,000 characters of the diff and five memories, and costs money. Off until it is measured to help.",
      )
      .meta({ examples: [true] }),
    hypothetical: z
      .boolean()
      .default(false)
      .describe(
        "Let the operator's small model describe the situation that a memory for this change would be about, and search by its meaning; if no memory is similar, the search uses the change itself. Sends it title, description and 12,000 characters of the diff, and costs money. Off until it is measured to help.",
      )
      .meta({ examples: [true] }),
    gate: Gate.describe("When memory is not searched at all. Decides about the search only, never about the review."),
  })
  .prefault({});

export const Knowledge = z
  .strictObject({
    embeddings: z
      .enum(["auto", "off"])
      .default("auto")
      .describe(
        "What turns text into vectors. auto: the server's choice; off: nothing, and memory is searched by words only.",
      )
      .meta({ examples: ["off"] }),
    sharing: z
      .strictObject({
        gives: z
          .boolean()
          .default(false)
          .describe(
            "Offer patterns from this repository's reviews to the owner's other repositories that set `takes`: common words, without code, names, quotes, paths, reasons and links. Read from the default branch. Memories of a private repository never reach a public one.",
          )
          .meta({ examples: [true] }),
        takes: z
          .boolean()
          .default(false)
          .describe("Also search the patterns that other repositories of the same owner offer.")
          .meta({ examples: [true] }),
      })
      .prefault({})
      .describe(
        "Sharing between repositories of one owner: one must set `gives` and the other `takes`. The owner's `.github` repository may set it for all.",
      ),
    corpora: z
      .strictObject({
        docs: z
          .boolean()
          .default(true)
          .describe(
            "Remember the Markdown documents of the default branch, kept up to date with every push, and search them.",
          )
          .meta({ examples: [false] }),
        code: z
          .boolean()
          .default(false)
          .describe("The same with functions and classes. Off until it is measured to help.")
          .meta({ examples: [true] }),
      })
      .prefault({})
      .describe("What is remembered besides review comments."),
    describe: z
      .enum(["off", "model"])
      .default("off")
      .describe(
        "What describes review comments, so that searches find them under other words. model: after each review the operator's small model adds a situation, a lesson and tags to each memory, which sends it comments and their code, costs money within review.budget.usdPerMonth and delays no review; off: none.",
      )
      .meta({ examples: ["model"] }),
    retrieval: Retrieval.describe("How memory is searched for a review."),
  })
  .prefault({});
export type Knowledge = z.infer<typeof Knowledge>;
export type GateSettings = Knowledge["retrieval"]["gate"];

/** The section of a repository without one. */
export function defaultKnowledge(): Knowledge {
  return Knowledge.parse({});
}
