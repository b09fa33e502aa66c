// What differs between the protocols that models are asked over. Everything else about asking is the same for all.
import type { LookUpTool, ModelRequest } from "../../domain/model.ts";
import type { Fetch } from "../service-fetch.ts";
import type { ModelFacts, PaidTokens } from "./model-facts.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { Repair } from "./prompt-words.ts";

/** A model's server. */
export interface Server {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The server of those who made the protocol, which takes all of it. */
  readonly isOwn: boolean;
  /** null: it wants none. */
  readonly apiKey: string | null;
  readonly fetch: Fetch;
  readonly limits: ModelLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * What only some servers and models take. `format` is a JSON Schema that replies are held to, `json` any JSON; `limit` the name
 * that the protocol's own server has for the limit of a reply; `effort-beside-tools` thinking while tools are offered.
 */
export type Feature =
  | "format"
  | "json"
  | "effort"
  | "effort-beside-tools"
  | "thinking"
  | "cache"
  | "tools"
  | "usage"
  | "limit"
  | "temperature";

/** How to speak to a server about a model. */
export interface Dialect {
  readonly model: string;
  readonly facts: ModelFacts;
  /** The server of those who made the protocol. */
  readonly isOwn: boolean;
  readonly takes: ReadonlySet<Feature>;
  /** null: left to the server. */
  readonly temperature: number | null;
}

/** A look-up that a model asked for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON; null where what the model wrote is none. */
  readonly input: unknown;
}

/** What a model said in one reply. */
export interface Said {
  readonly text: string;
  /** As the server wrote it; null where it wrote none. */
  readonly stopReason: string | null;
  /** Why it refused: a word such as `cyber`, or null. */
  readonly refusal: string | null;
  readonly calls: readonly ToolCall[];
  /** The reply as the protocol wants it back in front of the results of its calls. */
  readonly turn: unknown;
  readonly tokens: PaidTokens;
  /** The end was reached: without it the stream was cut off. */
  readonly isWhole: boolean;
}

/** A reply that asked for look-ups, and what it got: one text for each call. */
export interface Round {
  readonly said: Said;
  readonly results: readonly string[];
}

/** One request of a question. */
export interface Turn {
  readonly request: ModelRequest<unknown>;
  readonly dialect: Dialect;
  /** What was looked up so far. */
  readonly rounds: readonly Round[];
  /** Whether this reply may ask for look-ups. */
  readonly mayCall: boolean;
  readonly repair: Repair | null;
}

/** What we send, as far as asking looks into it. */
export interface RequestBody {
  readonly maxTokens: number;
  /** What the server reads; its length tells its tokens. */
  readonly prompt: unknown;
  /** The whole body of the request. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The reply counts for the look-ups that it asks for and not as an answer. */
  readonly onlyCalls: boolean;
}

/** Puts the events of one stream together. Servers leave fields out: nothing is taken for granted. */
export interface Accumulator {
  add(event: unknown): void;
  /** What there is so far, so that tokens of a broken stream count as well. */
  said(): Said;
}

export interface Protocol {
  /** The variables that failures name. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly ownUrl: string;
  readonly isOwn: (url: URL) => boolean;
  /** What only some servers take, and these get until they refuse it. */
  readonly features: (server: { readonly isOwn: boolean; readonly isFull: boolean }) => readonly Feature[];
  /** How patient we are with a server of theirs. */
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
  /** A whole reply, sent although a stream was asked for, as the text of a stream; null when it is no reply. */
  streamOf(reply: Readonly<Record<string, unknown>>): string | null;
}

/** The tools of a question as long as its server takes them. */
export function toolsOf({ request, dialect }: Turn): readonly LookUpTool[] {
  return dialect.takes.has("tools") ? (request.lookUps?.tools ?? []) : [];
}

/** The fields of an object of unknown shape; null where it is none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
}

/** A text, or "". */
export function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** No model reads or writes so much in one request. */
const MAX_TOKENS = 1_000_000_000;

/** A count of tokens as a server wrote it; null where it wrote none. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : null;
}

/** The input of a call; null where it is no JSON. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return null;
  }
}
