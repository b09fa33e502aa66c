// What goes out over OpenAI's chat completions, and what of it servers refuse.
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ServedModelSettings } from "../../../src/adapters/model/served-model.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { REVIEW_REPLY, VERIFY_REPLY } from "../../../src/review/reply.ts";
import { page, body as rawBody } from "../../fakes/anthropic/replies.ts";
import {
  type FakeAnthropic,
  type ModelCall,
  type Reply,
  startAnthropic as startServer,
} from "../../fakes/anthropic/server.ts";
import { errorChunk, fails, says, stalls, wholeReply } from "../../fakes/openai/replies.ts";
import { CANARY, FOUND, KEY, QUESTION, QUICK, type Reviewed } from "../anthropic/model-clients.ts";
import { expectSafe } from "../contracts/model.ts";
import { modelFor, ownServer } from "./model-clients.ts";

let server: FakeAnthropic;
const printed: unknown[] = [];
beforeEach(async () => {
  server = await startServer({ replies: [says(FOUND)] });
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...words) => void printed.push(words));
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.close();
  // What a server answers may hold code and keys: the SDK must not print it either.
  expect(printed.splice(0)).toEqual([]);
});

const local: Partial<ServedModelSettings> = { apiKey: null, names: { main: "qwen3-coder:30b", small: "qwen3:4b" } };
const sent = () => server.requests.map(({ body }) => body);

async function send(more: Partial<ServedModelSettings>, request: ModelRequest<Reviewed> = QUESTION) {
  expect(await modelFor(server.url, more).ask(request)).toMatchObject({ kind: "answered", value: FOUND });
  return sent().at(-1);
}

describe("to OpenAI", () => {
  test("a question goes with its schema and effort, in the words that it takes today", async () => {
    const body = await send(ownServer(server.url));
    expect(body).toEqual({
      model: "gpt-6.1-sol",
      max_completion_tokens: 4_000,
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: "medium",
      messages: [
        { role: "system", content: "You review pull requests.\n\nHouse rules: say only what the diff shows." },
        { role: "user", content: expect.stringMatching(/Which lines are wrong\?$/) },
      ],
      response_format: {
        type: "json_schema",
        json_schema: { name: "review_findings", strict: true, schema: expect.any(Object) },
      },
    });
    expect(server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(server.requests[0]?.headers["api-key"]).toBeUndefined();
  });

  test.each([REVIEW_REPLY, VERIFY_REPLY])(
    "the schema of a reply has no limits, which strict schemas refuse",
    (shape) => {
      expect(JSON.stringify(shape.jsonSchema)).not.toMatch(
        /"(?:minimum|maximum|m\w\wLength|m\w\wItems|format|\$schema)":/,
      );
    },
  );

  test("Azure gets the key in its own header too", async () => {
    await send({
      baseUrl: "https://reviews.openai.azure.com/openai/v1",
      fetch: (url, init) =>
        globalThis.fetch(url.replace("https://reviews.openai.azure.com", server.url), init) as ReturnType<
          ServedModelSettings["fetch"]
        >,
    });
    expect(server.requests[0]).toMatchObject({ path: "/openai/v1/chat/completions", headers: { "api-key": KEY } });
    expect(sent()[0]).toMatchObject({ max_completion_tokens: 4_000, reasoning_effort: "medium" });
  });

  test("the environment of the SDK changes neither server nor key", async () => {
    for (const name of ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"])
      vi.stubEnv(name, "stray");
    vi.stubEnv("OPENAI_BASE_URL", "http://stray.invalid");
    vi.stubEnv("OPENAI_LOG", "debug");
    await send(ownServer(server.url));
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("stray");
  });
});

describe("to another server", () => {
  test("a question goes in words that every such server knows, with the schema twice", async () => {
    const body = await send(local);
    expect(body).toMatchObject({
      model: "qwen3-coder:30b",
      max_tokens: 4_000,
      response_format: { type: "json_schema" },
    });
    expect([body.reasoning_effort, body.max_completion_tokens, body.temperature]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(body.messages[0].content).toContain("JSON Schema (review_findings)");
    expect(body.messages[1].content).toMatch(/Reply now with the one JSON object alone\.$/);
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain(KEY);
  });

  test.each([
    [500, "stream error: connection reset by peer"],
    [500, "unknown error in the stream"],
    [502, "error reading stream: invalid chunk, the temperature of the GPU is too high"],
    [503, "system overloaded; response_format was json_schema"],
    [404, "the streaming endpoint was not found"],
  ])("a passing failure under %s that speaks of a field is not taken for its refusal: %s", async (status, message) => {
    const model = modelFor(server.url, { ...local, limits: { retries: 0 }, temperature: 0.2 });
    server.script([fails(status, { message, type: "server_error" })]);
    await model.ask(QUESTION);
    expect(server.requests).toHaveLength(1);
    expect(model.learned()).toEqual([]);
  });

  test.each<
    [string, string | undefined, Partial<ServedModelSettings>, (body: ModelCall["body"]) => boolean, readonly string[]]
  >([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "max_tokens",
      {},
      (body) => body.max_completion_tokens === 4_000,
      [],
    ],
    [
      "Unsupported value: 'temperature' does not support 0.2 with this model.",
      "temperature",
      { temperature: 0.2 },
      (body) => body.temperature === undefined,
      ["temperature"],
    ],
    [
      "Unrecognized request argument supplied: stream_options",
      undefined,
      {},
      (body) => body.stream_options === undefined,
      [],
    ],
    [
      "response_format type 'json_schema' is not supported",
      "response_format",
      {},
      (body) => body.response_format?.type === "json_object",
      ["structured output"],
    ],
  ])("what it refuses (%s) is left out at once and from then on", async (message, param, more, isWell, without) => {
    server.script(({ body }) =>
      isWell(body) ? says(FOUND) : fails(400, { message, ...(param === undefined ? {} : { param }) }),
    );
    const model = modelFor(server.url, { ...local, ...more });
    const answer = await model.ask(QUESTION);
    expect(answer).toMatchObject({ value: FOUND, usage: { requests: 2 } });
    expect(answer.kind === "answered" ? (answer.without ?? []) : null).toEqual(without);
    expect(await model.ask(QUESTION)).toMatchObject({ value: FOUND, usage: { requests: 1 } });
  });

  test("a server that takes no form of structured output gets the schema in words alone", async () => {
    server.script(({ body }) =>
      body.response_format === undefined
        ? says(FOUND)
        : fails(422, { message: "Extra inputs are not permitted: response_format" }),
    );
    const answer = await modelFor(server.url, local).ask(QUESTION);
    expect(answer).toMatchObject({ value: FOUND, without: ["structured output"], usage: { requests: 2 } });
    expect(sent().map((body) => body.response_format?.type)).toEqual(["json_schema", undefined]);
    expect(sent().at(-1).messages[0].content).toContain("JSON Schema (review_findings)");
  });

  test("`on` is an order: where the schema is refused, the question fails", async () => {
    server.script([fails(400, { message: "response_format is not supported" })]);
    const answer = await modelFor(server.url, { ...local, structuredOutput: "on" }).ask(QUESTION);
    expect(answer).toMatchObject({ failure: "rejected", usage: { requests: 1 } });
  });

  test("its models have no price, and hold what the operator says, else a little", async () => {
    const model = modelFor(server.url, local);
    expect([model.contextTokens("main"), model.price("main", 1_000, 1_000)]).toEqual([32_000, null]);
    expect((await model.ask(QUICK)).usage.usd).toBeNull();
  });
});

describe("faults", () => {
  const LEAK = `Your key ${KEY} and your prompt ${CANARY} at http://127.0.0.1 are bad`;

  test.each<[string, Reply, string, RegExp]>([
    [
      "a wrong key",
      fails(401, { message: LEAK, code: "invalid_api_key" }),
      "denied",
      /401 .*Your key ‹key› and.*check OPENAI_API_KEY$/,
    ],
    [
      "Google's words for that",
      refusesWith(400, [
        {
          error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
        },
      ]),
      "denied",
      /check OPENAI_API_KEY/,
    ],
    [
      "an empty account",
      fails(429, { message: LEAK, type: "insufficient_quota", code: "insufficient_quota" }),
      "unpaid",
      /no credit/,
    ],
    [
      "a model that is not there",
      fails(404, { message: LEAK, code: "model_not_found" }),
      "rejected",
      /404.*KODIAI_MODEL.*OPENAI_BASE_URL/,
    ],
    ["LM Studio's words for that", fails(400, { message: "Model 'qwen' not found" }), "rejected", /KODIAI_MODEL/],
    [
      "a prompt too long",
      fails(400, {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens and max_tokens 4000.",
        code: "context_length_exceeded",
      }),
      "too-long",
      /maximum context length.*set KODIAI_MODEL_CONTEXT_TOKENS=128000$/,
    ],
    ["Azure's filter", fails(400, { message: LEAK, code: "content_filter" }), "refused", /content filter/],
    [
      "a bad place",
      fails(400, { message: LEAK, param: "messages[0].content" }),
      "rejected",
      /about messages\[0\]\.content; /,
    ],
    ["an error of the provider behind it", errorChunk({ code: 403, message: LEAK }), "denied", /broke off/],
  ])("%s is final at once", async (_, fault, failure, detail) => {
    server.script([fault]);
    const answer = await modelFor(server.url, local).ask(QUESTION);
    expect(answer).toMatchObject({
      kind: "failed",
      failure,
      usage: { requests: 1 },
      detail: expect.stringMatching(detail),
    });
    expectSafe(answer);
  });

  test.each<[string, Reply]>([
    ["busy", fails(429, { message: LEAK, code: "rate_limit_exceeded" }, { "retry-after-ms": "3" })],
    ["broken", fails(500, { message: LEAK, type: "server_error" })],
    ["overloaded", fails(503, { message: LEAK })],
    ["breaking off with an error", errorChunk({ message: LEAK, type: "server_error", code: null })],
    ["behind a provider that broke", errorChunk({ message: LEAK, code: 502 })],
    ["behind a proxy that shows a page", page],
    ["sending chunks that are no JSON", rawBody("data: {not json}\n\n")],
    ["answering null", rawBody("null", "application/json")],
  ])("a server that is %s is asked again until it is well", async (_, fault) => {
    server.script([fault, fault, says(FOUND)]);
    const answer = await modelFor(server.url, local).ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", value: FOUND, usage: { requests: 3 } });
  });

  test("a server that answers whole although asked for a stream is understood", async () => {
    server.script([wholeReply(JSON.stringify(FOUND))]);
    const model = modelFor(server.url);
    expect(await model.ask(QUESTION)).toMatchObject({ value: FOUND, usage: { inputTokens: 100, outputTokens: 20 } });
    server.script([wholeReply(JSON.stringify(FOUND), "length")]);
    expect(await model.ask(QUESTION)).toMatchObject({ failure: "truncated" });
  });

  test("a thought is the answer only where it is nothing but JSON, and nothing else was said", async () => {
    const draft = JSON.stringify(FOUND);
    const model = modelFor(server.url, local);
    server.script([says(" \n", { reasoning: draft })]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered", value: FOUND, usage: { requests: 1 } });
    server.script([says("", { reasoning: `Perhaps ${draft}?` })]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "failed", failure: "malformed" });
    server.script([says("I found nothing.", { reasoning: draft })]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "failed", failure: "malformed" });
    server.script([says("", { reasoning: draft, finishReason: "length" })]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "failed", failure: "truncated" });
  });

  test.each([
    ["[THINK]", "[/THINK]"],
    ["<thought>", "</thought>"],
    ["<reasoning>", "</reasoning>"],
    ["<seed:think>", "</seed:think>"],
    ["<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"],
    ["◁think▷", "◁/think▷"],
    ["<|channel>thought\n", "<channel|>"],
  ])("a draft between %s and %s is not the answer; what follows is", async (begin, end) => {
    const draft = '{"findings":[]}';
    const model = modelFor(server.url, local);
    server.script([says(`${begin}Perhaps ${draft}?${end}${JSON.stringify(FOUND)}`)]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered", value: FOUND, usage: { requests: 1 } });
    server.script([says(`${begin}Perhaps ${draft}`), says(FOUND)]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered", value: FOUND, usage: { requests: 2 } });
  });

  test.each([
    ["model_length", "truncated"],
    ["MAX_TOKENS", "truncated"],
    ["SAFETY", "refused"],
  ])("an answer that ended for %s was %s", async (finishReason, failure) => {
    server.script([says('{"findings":[', { finishReason })]);
    expect(await modelFor(server.url, local).ask(QUESTION)).toMatchObject({ failure, usage: { requests: 1 } });
  });

  test("content that is the answer's object instead of its text is read", async () => {
    server.script([wholeReply(FOUND as unknown as string)]);
    expect(await modelFor(server.url, local).ask(QUESTION)).toMatchObject({ value: FOUND, usage: { requests: 1 } });
  });

  test.each([-5, null, "12", Number.MAX_VALUE, {}, [1]])("usage of %j does not upset the bill", async (count) => {
    server.script([says(FOUND, { usage: { prompt_tokens: count, completion_tokens: count } })]);
    const { kind, usage } = await modelFor(server.url).ask(QUESTION);
    expect(kind).toBe("answered");
    for (const sum of [usage.inputTokens, usage.outputTokens, usage.usd]) expect(sum).toSatisfy(Number.isFinite);
  });

  test("a question that is stopped in the middle of a stream costs what was asked and what was said", async () => {
    const long = "a finding and another ".repeat(400);
    server.script([stalls(long)]);
    const stop = new AbortController();
    const asked = modelFor(server.url).ask(QUESTION, stop.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    await wait(300);
    stop.abort();
    const { usage } = await asked;
    expect(usage.inputTokens).toBeGreaterThan(JSON.stringify(sent()[0].messages).length / 8);
    expect(usage.outputTokens).toBeGreaterThan(long.length / 4);
    expect(usage.usd).toBeGreaterThan(0);
  });
});

function refusesWith(status: number, json: unknown): Reply {
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
}
