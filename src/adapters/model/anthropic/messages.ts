// Anthropic's Messages API: Anthropic itself, or a compatible server (Ollama, LM Studio, vLLM, llama.cpp, LiteLLM).
import Anthropic from "@anthropic-ai/sdk";
import { ANTHROPIC_LIMITS } from "../model-limits.ts";
import { fieldsOf, type Protocol, type Server } from "../protocol.ts";
import { accumulateStream } from "./accumulate-stream.ts";
import { requestBody } from "./request-body.ts";

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
function messageEvents(message: Readonly<Record<string, unknown>>): string {
  const { content, stop_reason, stop_details, usage, ...head } = message;
  const blocks = (Array.isArray(content) ? content : []).map(fieldsOf).filter((block) => block !== null);
  return [
    event("message_start", { message: { ...head, content: [], stop_reason: null, usage } }),
    ...blocks.map((content_block, index) => event("content_block_start", { index, content_block })),
    event("message_delta", { delta: { stop_reason, stop_details }, usage }),
    event("message_stop", {}),
  ].join("");
}

function event(type: string, rest: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
