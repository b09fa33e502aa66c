// What was tried of model servers and embedders: the words and forms that each really sends, and
// what Kodiai makes of them. The tests in test/matrix are made from this table, and so is
// docs/models.md.

/** A server, and how to configure it. */
export interface TriedServer {
  readonly name: string;
  readonly protocol: "openai" | "anthropic";
  /** For the documents. */
  readonly address: string;
}

export const SERVERS = {
  openai: { name: "OpenAI", protocol: "openai", address: "without one" },
  azure: { name: "Azure OpenAI", protocol: "openai", address: "https://NAME.openai.azure.com/openai/v1" },
  openrouter: { name: "OpenRouter", protocol: "openai", address: "https://openrouter.ai/api/v1" },
  ollama: { name: "Ollama", protocol: "openai", address: "http://localhost:11434" },
  vllm: { name: "vLLM", protocol: "openai", address: "http://localhost:8000" },
  llamacpp: { name: "llama.cpp", protocol: "openai", address: "http://localhost:8080" },
  lmstudio: { name: "LM Studio", protocol: "openai", address: "http://localhost:1234" },
  groq: { name: "Groq", protocol: "openai", address: "https://api.groq.com/openai/v1" },
  mistral: { name: "Mistral", protocol: "openai", address: "https://api.mistral.ai/v1" },
  gptoss: { name: "gpt-oss without a reasoning parser", protocol: "openai", address: "that of its server" },
  anthropic: { name: "Anthropic's protocol", protocol: "anthropic", address: "that of its server" },
  gateway: { name: "a gateway (LiteLLM, Portkey)", protocol: "openai", address: "that of the gateway" },
} as const satisfies Readonly<Record<string, TriedServer>>;
export type ServerId = keyof typeof SERVERS;

/** The part of a request that a server refuses. */
export type RefusedPart =
  | "schema"
  | "stream"
  | "usage"
  | "system"
  | "format"
  | "temperature"
  | "limit"
  | "window"
  | "anything";

/** What Kodiai does about each, in the words of docs/models.md. */
export const PARTS: Readonly<Record<RefusedPart, { readonly refused: string; readonly does: string }>> = {
  stream: { refused: "streaming", does: "asks without a stream" },
  usage: { refused: "the count of tokens in a stream", does: "asks without it, and estimates tokens" },
  system: { refused: "the system role", does: "puts the instructions into the user's message" },
  schema: { refused: "a schema, but not JSON", does: "asks for any JSON, with the schema in the prompt" },
  format: { refused: "a schema for the reply", does: "writes the schema into the prompt" },
  temperature: { refused: "a temperature", does: "leaves it out" },
  limit: { refused: "a reply so long", does: "asks for the length that the server names, else for half" },
  window: { refused: "prompt and reply together", does: "asks for a reply that fits" },
  anything: {
    refused: "one of them, without a name",
    does: "leaves out the schema, then the stream, then everything optional",
  },
};

/** A refusal as a server words it; `{limit}` stands for the length that was asked for. */
export interface TriedRefusal {
  readonly server: ServerId;
  readonly part: RefusedPart;
  readonly status: number;
  readonly body: unknown;
}

const openai = (message: string, param: string | null, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code },
});
const vllm = (message: string) => ({ object: "error", message, type: "BadRequestError", param: null, code: 400 });

export const REFUSALS: readonly TriedRefusal[] = [
  {
    server: "openai",
    part: "stream",
    status: 400,
    body: openai(
      "Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
      "stream",
      "unsupported_value",
    ),
  },
  {
    server: "openai",
    part: "system",
    status: 400,
    body: openai(
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      "messages[0].role",
      "unsupported_value",
    ),
  },
  {
    server: "openai",
    part: "limit",
    status: 400,
    body: openai(
      "max_tokens is too large: {limit}. This model supports at most 4096 completion tokens, whereas you provided {limit}.",
      "max_tokens",
      "invalid_value",
    ),
  },
  {
    server: "openai",
    part: "temperature",
    status: 400,
    body: openai(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      "temperature",
      "unsupported_value",
    ),
  },
  {
    server: "azure",
    part: "usage",
    status: 400,
    body: openai("Unrecognized request argument supplied: stream_options", null),
  },
  {
    server: "azure",
    part: "schema",
    status: 400,
    body: openai("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", null),
  },
  {
    server: "openrouter",
    part: "limit",
    status: 402,
    body: {
      error: {
        message:
          "This request requires more credits, or fewer max_tokens. You requested up to {limit} tokens, but can only afford 5200. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
        code: 402,
      },
    },
  },
  {
    server: "openrouter",
    part: "format",
    status: 400,
    body: {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"error":{"message":"response_format is not supported by this model"}}',
          provider_name: "Some",
        },
      },
    },
  },
  {
    server: "ollama",
    part: "format",
    status: 400,
    body: {
      error: { message: "invalid format: expected an object", type: "invalid_request_error", param: null, code: null },
    },
  },
  { server: "vllm", part: "system", status: 400, body: vllm("System role not supported") },
  {
    server: "vllm",
    part: "window",
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's maximum context length is 8192 tokens and your request has 3500 input tokens ({limit} > 8192 - 3500).",
    ),
  },
  {
    server: "vllm",
    part: "format",
    status: 400,
    body: vllm("The provided JSON schema contains features not supported by xgrammar."),
  },
  {
    server: "llamacpp",
    part: "format",
    status: 400,
    body: { error: { code: 400, message: "failed to parse grammar", type: "invalid_request_error" } },
  },
  {
    server: "lmstudio",
    part: "system",
    status: 400,
    body: { error: 'Error rendering prompt with jinja template: "Only user and assistant roles are supported!".' },
  },
  {
    server: "lmstudio",
    part: "format",
    status: 400,
    body: { error: "'response_format.type' must be 'text'" },
  },
  {
    server: "groq",
    part: "format",
    status: 400,
    body: {
      error: {
        message: "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        type: "invalid_request_error",
        code: "json_validate_failed",
        failed_generation: '{"findings": [',
      },
    },
  },
  {
    server: "groq",
    part: "limit",
    status: 400,
    body: openai(
      "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      null,
    ),
  },
  {
    server: "mistral",
    part: "usage",
    status: 422,
    body: {
      object: "error",
      message: {
        detail: [
          {
            type: "extra_forbidden",
            loc: ["body", "stream_options"],
            msg: "Extra inputs are not permitted",
            input: { include_usage: true },
          },
        ],
      },
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  },
  {
    server: "anthropic",
    part: "limit",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "max_tokens: {limit} > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
      },
    },
  },
  {
    server: "anthropic",
    part: "stream",
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "stream: Streaming is not supported" } },
  },
  {
    server: "anthropic",
    part: "system",
    status: 400,
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "system: Extra inputs are not permitted" },
    },
  },
  {
    server: "gateway",
    part: "format",
    status: 400,
    body: {
      error: {
        message:
          "litellm.UnsupportedParamsError: bedrock does not support parameters: ['response_format'], for model=some-model.",
        type: "None",
        param: "None",
        code: "400",
      },
    },
  },
  {
    server: "gateway",
    part: "stream",
    status: 400,
    body: { detail: [{ loc: ["body", "stream"], msg: "unexpected value" }] },
  },
  {
    server: "llamacpp",
    part: "format",
    status: 500,
    body: { error: { code: 500, message: "failed to parse grammar", type: "server_error" } },
  },
  {
    server: "llamacpp",
    part: "system",
    status: 500,
    body: { error: { code: 500, message: "Jinja Exception: System role not supported", type: "server_error" } },
  },
  {
    server: "llamacpp",
    part: "stream",
    status: 501,
    body: { error: { code: 501, message: "Streaming is not supported", type: "not_supported_error" } },
  },
  {
    server: "gateway",
    part: "format",
    status: 404,
    body: { error: { message: "This model doesn't support response_format", code: 404 } },
  },
  {
    server: "gateway",
    part: "usage",
    status: 415,
    body: { detail: "Unsupported parameter: stream_options" },
  },
  {
    server: "gateway",
    part: "temperature",
    status: 500,
    body: { error: { message: "generate() got an unexpected keyword argument 'temperature'", type: "server_error" } },
  },
  {
    server: "gateway",
    part: "schema",
    status: 422,
    body: { error: "response_format of type json_schema is not supported", error_type: "validation" },
  },
  { server: "gateway", part: "anything", status: 400, body: "Bad Request" },
  { server: "gateway", part: "anything", status: 422, body: {} },
];

/** Forms of replies that are no plain JSON. */
export const REPLIES = {
  parts: "a list of parts, with thoughts among them",
  harmony: "channel marks (`<|channel|>analysis…`)",
  think: "`<think>…</think>` before the reply",
  marks: "thoughts with a draft between other marks, such as `[THINK]` or `◁think▷`",
  thought: "no content, and a thought that is the JSON of the reply",
  fenced: "JSON in a code fence, with words around it",
  unfinished: "no `finish_reason`",
  whole: "one message although a stream was asked for",
  untyped: "that message under another content type than JSON's",
  mistyped: "a stream under the content type of JSON",
  words: "other words, numbers as text, more or fewer fields",
  list: "a bare list of findings",
} as const;
export type ReplyForm = keyof typeof REPLIES;

/** The servers that were seen to send each. */
export const REPLY_SERVERS: readonly (readonly [ServerId, ReplyForm])[] = [
  ["mistral", "parts"],
  ["gptoss", "harmony"],
  ["ollama", "think"],
  ["vllm", "think"],
  ["vllm", "marks"],
  ["vllm", "thought"],
  ["openrouter", "fenced"],
  ["llamacpp", "unfinished"],
  ["gateway", "whole"],
  ["gateway", "untyped"],
  ["gateway", "mistyped"],
  ["lmstudio", "words"],
  ["ollama", "words"],
  ["groq", "list"],
  ["anthropic", "fenced"],
  ["anthropic", "words"],
];

/** Answers that end the question: what the summary says of them. */
export const ENDS: readonly {
  readonly server: ServerId;
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
  readonly says: RegExp;
}[] = [
  {
    server: "openai",
    what: "a wrong key",
    status: 401,
    body: openai("Incorrect API key provided.", null, "invalid_api_key"),
    says: /refused our key: it answered 401 .*Incorrect API key provided; check OPENAI_API_KEY/,
  },
  {
    server: "openai",
    what: "an empty account",
    status: 429,
    body: openai(
      "You exceeded your current quota, please check your plan and billing details.",
      null,
      "insufficient_quota",
    ),
    says: /account has no credit: .*You exceeded your current quota.*add some/,
  },
  {
    server: "anthropic",
    what: "an empty account, under status 400",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      },
    },
    says: /account has no credit: .*credit balance is too low.*add some/,
  },
  {
    server: "gateway",
    what: "an empty account, under status 403",
    status: 403,
    body: { code: "forbidden", error: "Your newly created team doesn't have any credits yet." },
    says: /account has no credit: .*have any credits yet.*add some/,
  },
  {
    server: "gateway",
    what: "an empty account, in Moonshot's words",
    status: 429,
    body: openai(
      "Your account is suspended, please check your plan and billing details",
      null,
      "exceeded_current_quota_error",
    ),
    says: /account has no credit: .*check your plan and billing.*add some/,
  },
  {
    server: "openrouter",
    what: "an empty account, under status 200",
    status: 200,
    body: { error: { message: "Insufficient credits", code: 402 } },
    says: /account has no credit: .*402.*Insufficient credits/,
  },
  {
    server: "vllm",
    what: "a prompt that does not fit",
    status: 400,
    body: vllm(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9500 tokens. Please reduce the length of the messages.",
    ),
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=8192/,
  },
  {
    server: "llamacpp",
    what: "a prompt that does not fit",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "the request exceeds the available context size (8192 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9_000,
        n_ctx: 8_192,
      },
    },
    says: /did not fit the model's context: .*8192/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in xAI's words",
    status: 400,
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=131072/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in Bedrock's words",
    status: 400,
    body: { error: { message: "Input is too long for requested model.", type: "ValidationException" } },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS to what/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in DashScope's words",
    status: 400,
    body: openai("Range of input length should be [1, 30720]", null, "invalid_parameter_error"),
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=30720/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in Moonshot's words",
    status: 400,
    body: openai("Invalid request: Your request exceeded model token limit: 8192", null),
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=8192/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in Zhipu's words",
    status: 400,
    body: { error: { code: "1261", message: "Prompt exceeds max length" } },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS to what/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in TensorRT-LLM's words",
    status: 400,
    body: {
      object: "error",
      message: "The sum of prompt length (9500.0) and query length (0) should not exceed max_num_tokens (8192)",
      type: "BadRequestError",
    },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=8192/,
  },
  {
    server: "gateway",
    what: "a prompt that does not fit, in TGI's words",
    status: 422,
    body: {
      error: "Input validation error: `inputs` must have less than 8192 tokens. Given: 9500",
      error_type: "validation",
    },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=8192/,
  },
  {
    server: "vllm",
    what: "a prompt that does not fit, in vLLM's older words",
    status: 400,
    body: vllm(
      "The decoder prompt (length 9500) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
    ),
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS=8192/,
  },
  {
    server: "llamacpp",
    what: "a prompt that does not fit, in llama.cpp's words under 500",
    status: 500,
    body: { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    says: /did not fit the model's context: .*set KODIAI.MODEL.CONTEXT.TOKENS to what/,
  },
  {
    server: "ollama",
    what: "a model that is not there",
    status: 404,
    body: { error: { message: 'model "some-model" not found, try pulling it first', type: "api_error" } },
    says: /refused the question: it answered 404 .*not found.*check KODIAI.MODEL/,
  },
  {
    server: "azure",
    what: "a content filter",
    status: 400,
    body: openai(
      "The response was filtered due to the prompt triggering a content management policy.",
      "prompt",
      "content_filter",
    ),
    says: /refused to answer: .*content management policy/,
  },
];

/** Embedders, and what they do to one text of many. */
export const EMBEDDERS: readonly {
  readonly name: string;
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
  readonly does: string;
}[] = [
  {
    name: "Ollama",
    what: "`unsupported value: NaN` for one text",
    status: 500,
    body: { error: { message: "failed to encode response: json: unsupported value: NaN", type: "api_error" } },
    does: "this text alone is found by words",
  },
  {
    name: "llama.cpp",
    what: "one text longer than the batch",
    status: 500,
    body: {
      error: {
        code: 500,
        message: "input is too large to process. increase the physical batch size",
        type: "server_error",
      },
    },
    does: "this text is shortened",
  },
  {
    name: "OpenAI",
    what: "one text longer than the context",
    status: 400,
    body: openai("This model's maximum context length is 8192 tokens, however you requested 9000 tokens", null),
    does: "this text is shortened",
  },
  {
    name: "text-embeddings-inference",
    what: "one text longer than the context",
    status: 413,
    body: {
      error: "Input validation error: `inputs` must have less than 512 tokens. Given: 900",
      error_type: "Validation",
    },
    does: "this text is shortened",
  },
  {
    name: "a Python server",
    what: "`null` or `NaN` in one vector",
    status: 200,
    body: "null",
    does: "this text alone is found by words",
  },
  {
    name: "any server",
    what: "one vector of another length",
    status: 200,
    body: "short",
    does: "this text alone is found by words",
  },
  {
    name: "any server",
    what: "all vectors of another length: it has another model",
    status: 200,
    body: "other",
    does: "an error that says so; `kodiai index` embeds memory again, in a space of its own",
  },
];
