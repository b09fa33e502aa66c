// Questions to a language model and their answers. A reply, or the reason for its absence, is a
// value; the reply's content is untrusted text until the caller has checked it.

/** The purpose of a question, as in logs, budgets and recordings. */
export type Purpose = "review" | "verify" | "answer" | "memory" | "queries" | "rerank" | "gate";

/** `main` writes reviews; `small` is the cheaper model for short questions. */
export type ModelTier = "main" | "small";

/**
 * One piece of a prompt. A piece with `cache` ends a prefix that later requests repeat word for
 * word.
 */
export interface PromptPiece {
  readonly text: string;
  readonly cache: boolean;
}

/** The shape of a reply, in two forms: JSON Schema for the server, a check for us. */
export interface ReplyShape<T> {
  /** Lower-case words with underscores: part of the request. */
  readonly name: string;
  /**
   * JSON Schema (draft 2020-12), an object at the top, `additionalProperties: false` throughout,
   * without limits of numbers and lengths: not every server takes them, and `check` enforces them.
   */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /**
   * Never throws. `problem` names the place and the fix; it is shown to the model for its one
   * repair.
   */
  readonly check: (
    value: unknown,
  ) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };
  /**
   * Reads a reply in plain text that holds no such JSON: a list, a line of numbers. Never throws;
   * null when it cannot. Absent: the model is asked to repair such a reply.
   */
  readonly readText?: (text: string) => T | null;
}

export interface ModelRequest<T> {
  readonly purpose: Purpose;
  readonly tier: ModelTier;
  /** Only our own text. */
  readonly system: readonly PromptPiece[];
  /** Text of others in it is fenced by the caller. */
  readonly user: readonly PromptPiece[];
  readonly effort: "low" | "medium" | "high";
  /** Includes thinking. */
  readonly maxOutputTokens: number;
  readonly shape: ReplyShape<T>;
}

/** The cost of one question: all attempts and the repair together. */
export interface ModelUsage {
  /** Everything read, cached or not. */
  readonly inputTokens: number;
  /** Of these, read from the cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US$; null when the model has no price in the table (local models). */
  readonly usd: number | null;
  /** Wall time. */
  readonly ms: number;
  /** HTTP requests, repeats counted. */
  readonly requests: number;
}

/** What something cost; `usd` is null where there is no price. */
type Spent = Pick<ModelUsage, "inputTokens" | "outputTokens" | "usd">;

/** US$ of several questions together, without unpriced usage. */
export function usdOf(spent: readonly Pick<Spent, "usd">[]): number {
  return spent.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/** Null as soon as one part has no price: a sum without it would be wrong. */
export function costOf(spent: readonly Spent[]): Spent {
  return {
    inputTokens: spent.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: spent.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: spent.some(({ usd }) => usd === null) ? null : usdOf(spent),
  };
}

/** Why there is no reply. */
export type ModelFailure =
  /** The model declined to answer. */
  | "refused"
  /** The token limit cut the reply. */
  | "truncated"
  /** The question exceeds the model's context. */
  | "too-long"
  /** The reply does not have the requested shape, even after the repair. */
  | "malformed"
  | "rate-limited"
  | "overloaded"
  | "timeout"
  | "unreachable"
  /** The key is wrong or has no right to this model. */
  | "denied"
  /** The account has no credit. */
  | "unpaid"
  /** The server rejected the request. */
  | "rejected"
  /** Not sent: the last requests all failed. */
  | "circuit-open"
  | "stopped";

export type ModelAnswer<T> =
  | {
      readonly kind: "answered";
      readonly value: T;
      readonly usage: ModelUsage;
      /**
       * What the server refused, so that it was asked without: `structured output`. Absent:
       * nothing.
       */
      readonly without?: readonly string[];
    }
  | {
      readonly kind: "failed";
      readonly failure: ModelFailure;
      /** One line for people; holds no key and none of the prompt. */
      readonly detail: string;
      /** Epoch milliseconds before which another try is pointless, or null. */
      readonly notBefore: number | null;
      readonly usage: ModelUsage;
    };

/** A model as stages ask it. It never throws and never decides. */
export interface AskableModel {
  /** The names for footers and fingerprints: `claude-sonnet-5-5`. */
  readonly names: Readonly<Record<ModelTier, string>>;
  /** Context window of this tier in tokens, including the reply. */
  contextTokens(tier: ModelTier): number;
  /** Cost of so many tokens in US$, or null when there is no price. */
  price(tier: ModelTier, inputTokens: number, outputTokens: number): number | null;
  /**
   * Masks secrets in untrusted text as they are masked when it is sent; the number of lines stays.
   */
  mask(text: string): Promise<string>;
  /** Never rejects. */
  ask<T>(request: ModelRequest<T>): Promise<ModelAnswer<T>>;
}

/** A model for one piece of work. Its questions end when the work is no longer wanted. */
export interface AllowedModel {
  readonly model: AskableModel;
  /** Maximum cost of this piece of work in US$; Infinity for a free model. */
  readonly usd: number;
  /**
   * Delimiter around untrusted text in a prompt: `kodiai-` and at least 16 random hex digits, new
   * for each call.
   */
  readonly delimiter: () => string;
}

/**
 * An allowance to ask a model for one piece of work, or why there is none; null when no model is
 * expected.
 */
export type ModelAllowance = AllowedModel | { readonly model: null; readonly reason: string | null };

export const NO_ALLOWANCE: ModelAllowance = { model: null, reason: null };

/** Whether the next question would meet this failure again. */
export function isLastingFailure(answer: ModelAnswer<unknown>): boolean {
  return answer.kind === "failed" && (LASTING.has(answer.failure) || answer.notBefore !== null);
}

const LASTING: ReadonlySet<ModelFailure> = new Set(["denied", "unpaid", "circuit-open", "stopped"]);

/** UTF-16 units per token, cautiously: English is about 4, dense code with anchors about 2.7. */
export const CHARS_PER_TOKEN = 2.7;

/** Estimated tokens of a text of this length. */
export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Estimated tokens of the pieces of a question, not fewer than it has. */
export function tokensOf(pieces: readonly PromptPiece[]): number {
  return estimatedTokens(pieces.reduce((sum, { text }) => sum + text.length, 0));
}
