// OpenAI's chat completions: OpenAI and Azure themselves, or a compatible server (Gemini's
// endpoint, OpenRouter, Ollama, vLLM, llama.cpp, LM Studio, LiteLLM).

import OpenAI from "openai";
import { estimatedTokens, type ReplyShape } from "../../../domain/model.ts";
import { OTHER_LIMITS } from "../model-facts.ts";
import { oneText, REMINDER, repairTurns, schemaText } from "../prompt-words.ts";
import {
  type Accumulator,
  countOf,
  type Dialect,
  fieldsOf,
  jsonOf,
  type Protocol,
  type RequestBody,
  type Server,
  type Turn,
  textOf,
} from "../protocol.ts";

/** OpenAI's own addresses, including its regions, and Azure's. */
const OWN_HOST = /^(?:[a-z-]{1,20}\.)?api\.openai\.com$|\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/;

export const COMPLETIONS: Protocol = {
  keyVariable: "OPENAI_API_KEY",
  urlVariable: "OPENAI_BASE_URL",
  ownUrl: "https://api.openai.com/v1",
  isOwn: ({ hostname }) => OWN_HOST.test(hostname),
  features: ({ isFull }) => [
    "stream",
    "system",
    "format",
    "json",
    "limit",
    "usage",
    "temperature",
    ...(isFull ? (["effort"] as const) : []),
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

type Fields = Readonly<Record<string, unknown>>;

/** Mistral's thinking models send a list of parts; those that are no text are thoughts. */
function contentText(content: unknown): string {
  if (Array.isArray(content)) return content.map((part) => textOf(fieldsOf(part)?.text)).join("");
  // Some gateways parse the JSON that was asked for.
  return fieldsOf(content) === null ? textOf(content) : JSON.stringify(content);
}

/** Assembles the chunks of one stream into the reply and its cost. */
function accumulateStream(): Accumulator {
  let text = "";
  let thought = "";
  let refused = "";
  let stopReason: string | null = null;
  let usage: Fields | null = null;

  return {
    add(event) {
      const fields = fieldsOf(event);
      usage = fieldsOf(fields?.usage) ?? usage;
      const choice = fieldsOf(Array.isArray(fields?.choices) ? fields.choices[0] : null);
      // OpenRouter ends a reply with the error of its provider.
      if (fieldsOf(choice?.error) !== null)
        throw Object.assign(new Error("an error in the reply"), { error: choice?.error });
      // A complete reply has a message instead of a delta.
      const delta = fieldsOf(choice?.delta) ?? fieldsOf(choice?.message);
      text += contentText(delta?.content);
      // Gateways send the same under both names.
      thought += textOf(delta?.reasoning_content) || textOf(delta?.reasoning);
      refused += textOf(delta?.refusal);
      stopReason = typeof choice?.finish_reason === "string" ? choice.finish_reason : stopReason;
    },
    reply() {
      const isWhole = stopReason !== null;
      const details = fieldsOf(usage?.prompt_tokens_details);
      const all = countOf(usage?.prompt_tokens) ?? 0;
      // Both are included in the total.
      const cacheRead = Math.min(countOf(details?.cached_tokens) ?? 0, all);
      const cacheWrite = Math.min(countOf(details?.cache_write_tokens) ?? 0, all - cacheRead);
      const counted = countOf(usage?.completion_tokens);
      // The server reports output tokens at the end; until then they are estimated.
      const output = counted ?? (isWhole ? 0 : estimatedTokens(text.length + thought.length));
      // A reasoning parser takes the answer of a model that does not think for its thought (vLLM).
      const isThought = isWhole && text.trim() === "" && fieldsOf(jsonOf(thought)) !== null;
      return {
        text: isThought ? thought : text,
        stopReason: refused === "" ? stopReason : "refusal",
        refusal: null,
        tokens: { fresh: all - cacheRead - cacheWrite, cacheWrite, cacheRead, output },
        isWhole,
      };
    },
  };
}

/** A question as a request, with the features that this server and this model support. */
function requestBody({ request, dialect, repair }: Turn): RequestBody {
  const { takes, facts, isOwn } = dialect;
  // Another server may accept the schema and ignore it.
  const inWords = !(isOwn && takes.has("format"));
  const system = oneText([...request.system, ...(inWords ? [{ text: schemaText(request.shape), cache: false }] : [])]);
  const user = oneText([...request.user, ...(inWords ? [{ text: REMINDER, cache: false }] : [])]);
  const isApart = system !== "" && takes.has("system");
  const prompt = {
    messages: [
      ...(isApart ? [{ role: "system", content: system }] : []),
      { role: "user", content: isApart || system === "" ? user : `${system}\n\n${user}` },
      ...repairTurns(repair),
    ],
  };
  const wanted = Math.min(request.maxOutputTokens, facts.outputTokens ?? request.maxOutputTokens);
  const maxTokens = dialect.replyTokens(wanted, system.length + user.length);
  const json = {
    model: dialect.model,
    // OpenAI's current name for the limit, and the earlier name that other servers use.
    [takes.has("limit") === isOwn ? "max_completion_tokens" : "max_tokens"]: maxTokens,
    ...prompt,
    ...responseFormat(request.shape, dialect),
    ...(takes.has("effort") ? { reasoning_effort: request.effort } : {}),
    ...(takes.has("stream") ? { stream: true } : {}),
    ...(takes.has("stream") && takes.has("usage") ? { stream_options: { include_usage: true } } : {}),
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
  };
  return { maxTokens, prompt, json };
}

function responseFormat(shape: ReplyShape<unknown>, { takes }: Dialect): Fields {
  if (takes.has("format")) {
    const json_schema = { name: shape.name, strict: true, schema: shape.jsonSchema };
    return { response_format: { type: "json_schema", json_schema } };
  }
  return takes.has("json") ? { response_format: { type: "json_object" } } : {};
}
