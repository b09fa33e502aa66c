// OpenAI's chat completions: OpenAI and Azure themselves, or a compatible server (Gemini's endpoint, OpenRouter, Ollama, vLLM,
// llama.cpp, LM Studio, LiteLLM).
import OpenAI from "openai";
import { OTHER_LIMITS } from "../model-limits.ts";
import type { Protocol, Server } from "../protocol.ts";
import { accumulateStream } from "./accumulate-stream.ts";
import { requestBody } from "./request-body.ts";

/** OpenAI's own addresses, including its regions, and Azure's. */
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
  // OpenAI's thinking models are silent for minutes.
  ownLimits: OTHER_LIMITS,
  body: requestBody,
  async send(server, { json }, fetch, signal) {
    // The SDK's types lack what compatible servers accept and OpenAI does not.
    const body = json as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
    return clientFor(server, fetch).chat.completions.create({ ...body, stream: true }, { signal });
  },
  accumulator: accumulateStream,
  streamOf: (reply) => (Array.isArray(reply.choices) ? `data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n` : null),
};

function clientFor(server: Server, fetch: typeof globalThis.fetch): OpenAI {
  // Local servers ignore this one.
  const apiKey = server.apiKey ?? "none";
  return new OpenAI({
    apiKey,
    baseURL: server.baseUrl,
    // Azure accepts either header; a gateway in front of it may read only `api-key`.
    defaultHeaders: server.isOwn && server.baseUrl.includes(".azure.com") ? { "api-key": apiKey } : {},
    // Otherwise the SDK reads these from the environment.
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
