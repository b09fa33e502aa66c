// OpenAI's chat completions: OpenAI and Azure themselves, or any server that speaks like them (Gemini's endpoint, OpenRouter,
// Ollama, vLLM, llama.cpp, LM Studio, LiteLLM).
import OpenAI from "openai";
import { OTHER_LIMITS } from "../model-limits.ts";
import type { Protocol, Server } from "../protocol.ts";
import { accumulateStream } from "./accumulate-stream.ts";
import { requestBody } from "./request-body.ts";

/** OpenAI's own addresses, its regions among them, and Azure's. */
const OWN_HOST = /^(?:[a-z-]{1,20}\.)?api\.openai\.com$|\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/;

export const COMPLETIONS: Protocol = {
  keyVariable: "OPENAI_API_KEY",
  urlVariable: "OPENAI_BASE_URL",
  ownUrl: "https://api.openai.com/v1",
  isOwn: ({ hostname }) => OWN_HOST.test(hostname),
  features: ({ isFull }) => [
    "tools",
    "format",
    "json",
    "limit",
    "usage",
    "temperature",
    ...(isFull ? (["effort", "effort-beside-tools"] as const) : []),
  ],
  // A model of theirs that thinks is silent for minutes.
  ownLimits: OTHER_LIMITS,
  body: requestBody,
  async send(server, { json }, fetch, signal) {
    // What compatible servers take and OpenAI does not is in no type of the SDK.
    const body = json as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return clientFor(server, fetch).chat.completions.create({ ...body, stream: true }, { signal });
  },
  accumulator: accumulateStream,
  streamOf: (reply) => (Array.isArray(reply.choices) ? `data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n` : null),
};

function clientFor(server: Server, fetch: typeof globalThis.fetch): OpenAI {
  // Servers of one's own ignore this one.
  const apiKey = server.apiKey ?? "none";
  return new OpenAI({
    apiKey,
    baseURL: server.baseUrl,
    // Azure takes either; what is in front of it may read only its own.
    defaultHeaders: server.isOwn && server.baseUrl.includes(".azure.com") ? { "api-key": apiKey } : {},
    // Otherwise the SDK reads them from the environment.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: "off",
    fetch,
  });
}
