// Anthropic's Messages API: Anthropic itself, or a compatible server (Ollama, LM Studio, vLLM, llama.cpp, LiteLLM).

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
  jsonOf,
  type Protocol,
  type RequestBody,
  type Round,
  type Server,
  type ToolCall,
  type Turn,
  toolsOf,
  wordsOf,
} from "../protocol.ts";

const ANTHROPIC_URL = "https://api.anthropic.com";

export const MESSAGES: Protocol = {
  keyVariable: "ANTHROPIC_API_KEY",
  urlVariable: "ANTHROPIC_BASE_URL",
  ownUrl: ANTHROPIC_URL,
  isOwn: ({ origin }) => origin === ANTHROPIC_URL,
  features: ({ isOwn, isFull }) => [
    "tools",
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

/** A content block being assembled. */
interface Block {
  readonly start: Fields;
  text: string;
  thinking: string;
  signature: string;
  input: string;
}

/** Assembles the events of one stream into the reply and its cost. */
function accumulateStream(): Accumulator {
  const blocks: Block[] = [];
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

  function begin(start: Fields): Block {
    const { text, thinking, signature } = start;
    const block = {
      start,
      text: wordsOf(text),
      thinking: wordsOf(thinking),
      signature: wordsOf(signature),
      input: "",
    };
    blocks.push(block);
    return block;
  }

  function grow(delta: Fields): void {
    // Some servers omit the event that begins a block.
    const block = blocks.at(-1) ?? begin({ type: "text" });
    block.text += wordsOf(delta.text);
    // Thinking has its own field, and is billed.
    block.thinking += wordsOf(delta.thinking);
    block.signature += wordsOf(delta.signature);
    block.input += wordsOf(delta.partial_json);
  }

  return {
    add(event) {
      const fields = fieldsOf(event) ?? {};
      if (fields.type === "message_start") count(fieldsOf(fieldsOf(fields.message)?.usage));
      else if (fields.type === "content_block_start") begin(fieldsOf(fields.content_block) ?? { type: "text" });
      else if (fields.type === "content_block_delta") grow(fieldsOf(fields.delta) ?? {});
      else if (fields.type === "message_delta") end(fields);
      else if (fields.type === "message_stop") isEnd = true;
    },
    reply() {
      const text = blocks.map((block) => block.text).join("");
      const thought = blocks.reduce((sum, { thinking, input }) => sum + thinking.length + input.length, 0);
      const isWhole = isEnd || stopReason !== null;
      // The server reports its output tokens at the end; until then they are estimated from the text.
      const output = isWhole ? usage.output : Math.max(usage.output, estimatedTokens(text.length + thought));
      const tokens = { fresh: usage.input, cacheWrite: usage.cacheWrite, cacheRead: usage.cacheRead, output };
      const [calls, turn] = [blocks.flatMap(callOf), blocks.flatMap(sentBack)];
      return { text, stopReason, refusal, calls, turn, tokens, isWhole };
    },
  };
}

function callOf({ start, input }: Block): readonly ToolCall[] {
  if (start.type !== "tool_use") return [];
  const given = input === "" ? (fieldsOf(start.input) ?? {}) : jsonOf(input);
  return [{ id: wordsOf(start.id), name: wordsOf(start.name), input: given }];
}

/** The block in the form that the API accepts back: no blank text, thinking with its signature, a call with an input. */
function sentBack(block: Block): readonly Fields[] {
  const { start, text, thinking, signature } = block;
  if (start.type === "text") return /\S/.test(text) ? [{ type: "text", text: text.toWellFormed() }] : [];
  if (start.type === "thinking") return [{ ...start, thinking, signature }];
  const [call] = callOf(block);
  return [call === undefined ? start : { ...start, input: fieldsOf(call.input) ?? {} }];
}

/** The API refuses more breakpoints. */
const MAX_BREAKPOINTS = 4;

/** A question as a request, with the features that this server and this model support. */
function requestBody(turn: Turn): RequestBody {
  const { request, dialect, repair } = turn;
  const { takes, facts } = dialect;
  const inWords = !takes.has("format");
  const tools = toolsOf(turn);
  const system = [...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])];
  const asked = [...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])];
  // Each round of look-ups reads all of it again.
  const user =
    tools.length === 0
      ? asked
      : asked.map((piece, at) => ({ ...piece, cache: piece.cache || at === asked.length - 1 }));
  // The last pieces that end a prefix: the longest prefixes save the most.
  const ending = [...system, ...user].filter((piece) => piece.cache && !isBlank(piece));
  const marked = new Set(ending.slice(-MAX_BREAKPOINTS));
  const blocks = (pieces: readonly PromptPiece[]) =>
    takes.has("cache") ? textBlocks(pieces, marked) : oneText(pieces);
  const instructions = blocks(system);
  const maxTokens = Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens);
  const prompt = {
    ...(instructions.length === 0 ? {} : { system: instructions }),
    ...toolFields(turn),
    messages: [
      { role: "user", content: blocks(user) },
      ...(tools.length === 0 ? [] : turn.rounds.flatMap(lookedUp)),
      ...repairTurns(repair),
    ],
  };
  const json = {
    model: dialect.model,
    max_tokens: maxTokens,
    ...prompt,
    ...outputConfig(request, dialect),
    ...thinkingOff(request, dialect),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
  return { maxTokens, prompt, json, onlyCalls: false };
}

/** Tools stay in the request when no more calls are allowed: the API requires them beside earlier calls. */
function toolFields(turn: Turn): Fields {
  const tools = toolsOf(turn);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, jsonSchema }) => ({ name, description, input_schema: jsonSchema })),
    ...(turn.mayCall ? {} : { tool_choice: { type: "none" } }),
  };
}

function lookedUp({ reply, results }: Round): readonly unknown[] {
  const content = reply.calls.map(({ id }, at) => ({
    type: "tool_result",
    tool_use_id: id,
    content: (results[at] ?? "").toWellFormed(),
  }));
  return [
    { role: "assistant", content: reply.turn },
    { role: "user", content },
  ];
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

/** Limits that the API refuses, such as `minLength`, move into the descriptions; `check` enforces them anyway. */
function outputFormat(shape: ReplyShape<unknown>): unknown {
  const { type, schema } = jsonSchemaOutputFormat({ ...shape.jsonSchema, type: "object" });
  return { type, schema };
}
