// What a server takes. Refusals are tried out: each server words them differently.

import type { ModelLessons } from "../../ports/model.ts";
import type { Refusal } from "./model-error.ts";
import { type Feature, fieldsOf, jsonOf } from "./protocol.ts";

/** What a server does not take. */
export interface Lessons {
  readonly without: readonly Feature[];
  /** The longest reply in tokens; null: no limit is known. */
  readonly replyTokens: number | null;
  /** The window for prompt and reply in tokens; null: as configured. */
  readonly contextTokens: number | null;
}

export const NO_LESSONS: Lessons = { without: [], replyTokens: null, contextTokens: null };

/** Both. */
export function together(one: Lessons, other: Lessons): Lessons {
  const lower = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));
  return {
    without: [...new Set([...one.without, ...other.without])],
    replyTokens: lower(one.replyTokens, other.replyTokens),
    contextTokens: lower(one.contextTokens, other.contextTokens),
  };
}

/** Requests of one question beyond the first; the last one is sent without anything optional. */
export const MOST_EXTRA = 3;

/** The fields by which a server can name a feature. One with an underscore is no plain word. */
const FIELDS: Readonly<Record<Feature, readonly string[]>> = {
  stream: ["stream"],
  usage: ["stream_options", "include_usage"],
  format: ["response_format", "json_schema", "output_format", "format", "grammar"],
  json: ["response_format", "json_object", "format", "grammar"],
  effort: ["reasoning_effort", "effort", "reasoning"],
  thinking: ["thinking"],
  cache: ["cache_control"],
  limit: ["max_tokens", "max_completion_tokens"],
  temperature: ["temperature"],
  system: ["system", "role"],
};

/** Where a server names nothing: the most often refused first, together with what depends on it. */
const GUESSES: readonly (readonly Feature[])[] = [
  ["format", "json", "effort", "thinking", "cache"],
  ["stream", "usage"],
];
/** The reply limit of the last attempt: every server takes it. */
const SMALL_REPLY = 4_096;

/**
 * What to leave out of the request that was refused.
 *
 * @returns the lessons for the next attempt; null when there is nothing more to leave out
 */
export function learned(
  lessons: Lessons,
  { sentence, codes, params, size }: Refusal,
  { sent, fixed, replyTokens, extra, mayGuess }: Tried,
): Lessons | null {
  if (extra >= MOST_EXTRA) return null;
  if (size !== null) return withSize(lessons, size);
  const mayGo = (feature: Feature) => sent.includes(feature) && feature !== fixed;
  const named = namedFeatures(sentence, params, [...sent, "limit"]);
  const isLast = extra === MOST_EXTRA - 1;
  if (named.length === 0 ? !mayGuess : !named.some((feature) => feature === "limit" || mayGo(feature))) return null;
  // Named, and not by its name: it is too high.
  const isLower =
    named.includes("limit") && !(sent.includes("limit") && saysOtherName(`${codes.join(" ")} ${sentence}`));
  const guess = GUESSES.map((group) => group.filter(mayGo)).find((group) => group.length > 0);
  // How the limit is called is no option: it stays unless it was named.
  const all = sent.filter((feature) => feature !== "limit" && mayGo(feature));
  const wanted =
    named.length > 0 ? named.filter((feature) => mayGo(feature) && !(isLower && feature === "limit")) : (guess ?? all);
  const dropped = isLast ? [...new Set([...wanted, ...all])] : wanted;
  const less = isLast ? Math.min(replyTokens, SMALL_REPLY) : isLower ? Math.floor(replyTokens / 2) : replyTokens;
  if (dropped.length === 0 && less === replyTokens) return null;
  return {
    ...lessons,
    without: [...lessons.without, ...dropped],
    ...(less === replyTokens ? {} : { replyTokens: less }),
  };
}

interface Tried {
  /** The optional features of the refused request. */
  readonly sent: readonly Feature[];
  /** One that the operator ordered; null without. */
  readonly fixed: Feature | null;
  /** Of the refused request. */
  readonly replyTokens: number;
  /** How many requests of this question were repeated before, from 0. */
  readonly extra: number;
  /** Whether to leave out features that the server does not name. */
  readonly mayGuess: boolean;
}

function withSize(lessons: Lessons, { replyTokens, contextTokens }: NonNullable<Refusal["size"]>): Lessons {
  if (contextTokens === null) return { ...lessons, replyTokens };
  // Room beside this prompt; a review plans its prompts so that a quarter of the window is left.
  return { ...lessons, contextTokens, replyTokens: Math.max(replyTokens ?? 0, Math.floor(contextTokens / 4)) };
}

/** "Use 'max_completion_tokens' instead": only the name of the limit is wrong. */
function saysOtherName(said: string): boolean {
  return /unsupported|instead|not supported|not permitted|unrecognized|unknown|extra/i.test(said);
}

/** In the parameter that the server names; else fields in its sentence; else words in it. */
function namedFeatures(sentence: string, params: readonly string[], taken: readonly Feature[]): readonly Feature[] {
  const steps = new Set(params.flatMap((param) => param.split(/[^a-z_]+/i)));
  const byParam = taken.filter((feature) => FIELDS[feature].some((field) => steps.has(field)));
  if (byParam.length > 0) return apart(byParam, sentence);
  // Anthropic's, of both.
  if (steps.has("output_config")) return taken.filter((feature) => feature === "format" || feature === "effort");
  const fields = taken.filter((feature) =>
    FIELDS[feature].some((field) => field.includes("_") && sentence.includes(field)),
  );
  if (fields.length > 0) return apart(fields, sentence);
  return taken.filter((feature) =>
    FIELDS[feature].some((field) => new RegExp(`\\b${field}(?:ing|s)?\\b`, "i").test(sentence)),
  );
}

/** A server that refuses one type of `response_format` by name may take the other. */
function apart(named: readonly Feature[], sentence: string): readonly Feature[] {
  const refusesSchema = /json_schema/.test(sentence) && !/json_object/.test(sentence) && named.includes("format");
  return refusesSchema ? named.filter((feature) => feature !== "json") : named;
}

/** What is stored about a server, read and written as JSON; anything else counts as nothing. */
export function storedLessons(store: ModelLessons | null, server: string) {
  return {
    async read(): Promise<Lessons> {
      const kept = fieldsOf(jsonOf((await store?.find(server).catch(() => null)) ?? ""));
      const count = (value: unknown) => (typeof value === "number" && value > 0 ? value : null);
      const without = Array.isArray(kept?.without) ? kept.without.filter((one): one is Feature => one in FIELDS) : [];
      return { without, replyTokens: count(kept?.replyTokens), contextTokens: count(kept?.contextTokens) };
    },
    async keep(lessons: Lessons, now: number): Promise<void> {
      await store?.keep(server, JSON.stringify(lessons), now).catch(() => {});
    },
  };
}
