// Where protocols of models differ. Everything else about a request is the same.

import type { ModelRequest } from "../../domain/model.ts";
import type { Fetch } from "../service-call.ts";
import type { ModelFacts, ModelLimits, PaidTokens } from "./model-facts.ts";
import type { Repair } from "./prompt-words.ts";

/** A model's server. */
export interface Server {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The server of the protocol's author, which supports all of it. */
  readonly isOwn: boolean;
  /** null: it needs none. */
  readonly apiKey: string | null;
  readonly fetch: Fetch;
  readonly limits: ModelLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Features of some servers and models. `format`: a JSON Schema for replies; `json`: any JSON;
 * `limit`: the official name of the reply's limit; `system`: a part for instructions.
 */
export type Feature =
  | "stream"
  | "usage"
  | "format"
  | "json"
  | "effort"
  | "thinking"
  | "cache"
  | "limit"
  | "temperature"
  | "system";

/** How to use a server and a model. */
export interface Dialect {
  readonly model: string;
  readonly facts: ModelFacts;
  /** The server of the protocol's author. */
  readonly isOwn: boolean;
  readonly takes: ReadonlySet<Feature>;
  /** null: the server decides. */
  readonly temperature: number | null;
  /** The most tokens of a reply to a prompt of so many UTF-16 units, as far as known. */
  readonly replyTokens: (wanted: number, promptChars: number) => number;
}

/** One reply of a model. */
export interface ModelReply {
  readonly text: string;
  /** As the server wrote it; null if absent. */
  readonly stopReason: string | null;
  /** The category of a refusal, such as `cyber`, or null. */
  readonly refusal: string | null;
  readonly tokens: PaidTokens;
  /** Whether the end was reached; otherwise the stream was cut off. */
  readonly isWhole: boolean;
}

/** One request of a question. */
export interface Turn {
  readonly request: ModelRequest<unknown>;
  readonly dialect: Dialect;
  readonly repair: Repair | null;
}

/** The request body, as far as this code inspects it. */
export interface RequestBody {
  readonly maxTokens: number;
  /** What the server reads; its length gives its estimated tokens. */
  readonly prompt: unknown;
  /** The whole body of the request. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Assembles the events of one stream. Any field may be missing. */
export interface Accumulator {
  add(event: unknown): void;
  /** The reply so far, so that the tokens of a broken stream count as well. */
  reply(): ModelReply;
}

export interface Protocol {
  /** The variables that error messages name. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly ownUrl: string;
  readonly isOwn: (url: URL) => boolean;
  /** Optional features, sent until the server refuses them. */
  readonly features: (server: { readonly isOwn: boolean; readonly isFull: boolean }) => readonly Feature[];
  readonly ownLimits: ModelLimits;
  body(turn: Turn): RequestBody;
  /** Sends the request with the vendor's SDK, which neither waits, retries nor logs. */
  send(
    server: Server,
    body: RequestBody,
    fetch: typeof globalThis.fetch,
    signal: AbortSignal,
  ): Promise<AsyncIterable<unknown>>;
  accumulator(): Accumulator;
  /** A complete reply, sent instead of a stream, as the text of one; null for anything else. */
  streamOf(reply: Readonly<Record<string, unknown>>): string | null;
}

/** The fields of an object of unknown shape; null for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
}

/** A text, or "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Larger counts are not plausible. */
const MAX_TOKENS = 1_000_000_000;

/** A token count from a server; null if it is missing or invalid. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : null;
}

/** The value of JSON; null if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
