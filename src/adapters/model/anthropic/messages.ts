// Anthropic's Messages API: of Anthropic, or of a compatible server (Ollama, vLLM, LiteLLM).

import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { estimatedTokens, type ModelRequest, type PromptPiece, type ReplyShape } from "../../../domain/model.ts";
import { ANTHROPIC_LIMITS } from "../model-facts.ts";
import { isBlank, oneText, REMINDER, repairTurns, schemaText } from "../prompt-words.ts";
import {
  type Accumulator,
  countOf,
  type Dialect,
  fieldsOf,
  type Protocol,
  type RequestBody,
  type Server,
  type Turn,
  textOf,
} from "../protocol.ts";

const ANTHROPIC_URL = "https://api.anthropic.com";

export const MESSAGES: Protocol = {
  keyVariable: "ANTHROPIC_API_KEY",
  urlVariable: "ANTHROPIC_BASE_URL",
  ownUrl: ANTHROPIC_URL,
  isOwn: ({ origin }) => origin === ANTHROPIC_URL,
  features: ({ isOwn, isFull }) => [
    "stream",
    "system",
    // Turning structured output on for another server declares that Anthropic is behind it.
    ...(isFull ? (["format", "effort", "thinking", "cache"] as const) : []),
    ...(isOwn ? [] : (["temperature"] as const)),
  ],
  ownLimits: ANTHROPIC_LIMITS,
  body: requestBody,
  async send(server, { json }, fetch, signal) {
    // The SDK's types lack what compatible servers accept and Anthropic does not.
    const body = json as unknown as Anthropic.MessageCreateParamsNonStreaming;
    return clientFor(server, fetch).messages.create({ ...body, stream: true }, { signal });
  },
  accumulator: accumulateStream,
  streamOf(message) {
    return message.type === "message" && Array.isArray(message.content) ? messageEvents(message) : null;
  },
};

function clientFor(server: Server, fetch: typeof globalThis.fetch): Anthropic {
  // Without a key the SDK would look for profiles on disk. Local servers ignore this one.
  const apiKey = server.apiKey ?? "none";
  return new Anthropic({
    apiKey,
    baseURL: server.baseUrl,
    // The current SDK sends `authorization: Bearer`; servers made for earlier ones read x-api-key.
    defaultHeaders: server.isOwn ? {} : { "x-api-key": apiKey },
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
    openTelemetry: false,
    fetch,
  });
}

/** A complete message as the event stream that the SDK reads. */
function messageEvents(message: Fields): string {
  const { content, stop_reason, stop_details, usage, ...head } = message;
  const blocks = (Array.isArray(content) ? content : []).map(fieldsOf).filter((block) => block !== null);
  return [
    event("message_start", { message: { ...head, content: [], stop_reason: null, usage } }),
    ...blocks.map((content_block, index) => event("content_block_start", { index, content_block })),
    event("message_delta", { delta: { stop_reason, stop_details }, usage }),
    event("message_stop", {}),
  ].join("");
}

function event(type: string, rest: Fields): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Assembles the events of one stream into the reply and its cost. */
function accumulateStream(): Accumulator {
  let text = "";
  // Thinking is billed.
  let thought = 0;
  const usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  let stopReason: string | null = null;
  let refusal: string | null = null;
  let isEnd = false;

  /** Later counts are totals and replace the earlier ones. */
  function count(fields: Fields | null): void {
    usage.input = countOf(fields?.input_tokens) ?? usage.input;
    usage.cacheWrite = countOf(fields?.cache_creation_input_tokens) ?? usage.cacheWrite;
    usage.cacheRead = countOf(fields?.cache_read_input_tokens) ?? usage.cacheRead;
    usage.output = countOf(fields?.output_tokens) ?? usage.output;
  }

  function end(fields: Fields): void {
    const delta = fieldsOf(fields.delta);
    stopReason = typeof delta?.stop_reason === "string" ? delta.stop_reason : stopReason;
    const category = fieldsOf(delta?.stop_details)?.category;
    refusal = typeof category === "string" && /^[a-z_]{1,40}$/.test(category) ? category : refusal;
    count(fieldsOf(fields.usage));
  }

  function grow(fields: Fields): void {
    text += textOf(fields.text);
    thought += textOf(fields.thinking).length;
  }

  return {
    add(event) {
      const fields = fieldsOf(event) ?? {};
      if (fields.type === "message_start") count(fieldsOf(fieldsOf(fields.message)?.usage));
      else if (fields.type === "content_block_start") grow(fieldsOf(fields.content_block) ?? {});
      else if (fields.type === "content_block_delta") grow(fieldsOf(fields.delta) ?? {});
      else if (fields.type === "message_delta") end(fields);
      else if (fields.type === "message_stop") isEnd = true;
    },
    reply() {
      const isWhole = isEnd || stopReason !== null;
      // The server reports output tokens at the end; until then they are estimated.
      const output = isWhole ? usage.output : Math.max(usage.output, estimatedTokens(text.length + thought));
      const tokens = { fresh: usage.input, cacheWrite: usage.cacheWrite, cacheRead: usage.cacheRead, output };
      return { text, stopReason, refusal, tokens, isWhole };
    },
  };
}

/** The API refuses more breakpoints. */
const MAX_BREAKPOINTS = 4;

/** A question as a request, with the features that this server and this model support. */
function requestBody({ request, dialect, repair }: Turn): RequestBody {
  const { takes, facts } = dialect;
  const inWords = !takes.has("format");
  const system = [...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])];
  const user = [...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])];
  // The last pieces that end a prefix: the longest prefixes save the most.
  const ending = [...system, ...user].filter((piece) => piece.cache && !isBlank(piece));
  const marked = new Set(ending.slice(-MAX_BREAKPOINTS));
  const blocks = (pieces: readonly PromptPiece[]) =>
    takes.has("cache") ? textBlocks(pieces, marked) : oneText(pieces);
  const isApart = takes.has("system");
  const instructions = isApart ? blocks(system) : [];
  const prompt = {
    ...(instructions.length === 0 ? {} : { system: instructions }),
    messages: [{ role: "user", content: blocks(isApart ? user : [...system, ...user]) }, ...repairTurns(repair)],
  };
  const wanted = Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens);
  const chars = [...system, ...user].reduce((sum, { text }) => sum + text.length, 0);
  const maxTokens = dialect.replyTokens(wanted, chars);
  const json = {
    model: dialect.model,
    max_tokens: maxTokens,
    ...prompt,
    ...(takes.has("stream") ? { stream: true } : {}),
    ...outputConfig(request, dialect),
    ...thinkingOff(request, dialect),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
  return { maxTokens, prompt, json };
}

function outputConfig(request: ModelRequest<unknown>, { takes, facts }: Dialect): Fields {
  const effort = takes.has("effort") && facts.effort ? { effort: request.effort } : {};
  const output = { ...effort, ...(takes.has("format") ? { format: outputFormat(request.shape) } : {}) };
  return Object.keys(output).length === 0 ? {} : { output_config: output };
}

/** Short questions need no thinking, which would cost time. */
function thinkingOff(request: ModelRequest<unknown>, { takes, facts }: Dialect): Fields {
  const isQuick = request.tier === "small" && request.effort === "low" && takes.has("thinking");
  return isQuick && facts.thinkingOff !== null ? { thinking: { type: facts.thinkingOff } } : {};
}

/** @param marked the pieces that end a cached prefix */
function textBlocks(pieces: readonly PromptPiece[], marked: ReadonlySet<PromptPiece>): readonly Fields[] {
  // The API refuses blank blocks, and unpaired surrogates anywhere.
  return pieces
    .filter((piece) => !isBlank(piece))
    .map((piece) => ({
      type: "text",
      text: piece.text.toWellFormed(),
      ...(marked.has(piece) ? { cache_control: { type: "ephemeral", ttl: "5m" } } : {}),
    }));
}

/** Moves limits that the API refuses (`minLength`) into descriptions; `check` enforces them. */
function outputFormat(shape: ReplyShape<unknown>): unknown {
  const { type, schema } = jsonSchemaOutputFormat({ ...shape.jsonSchema, type: "object" });
  return { type, schema };
}
