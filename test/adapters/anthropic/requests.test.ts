import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { modelFacts } from "../../../src/adapters/model/model-facts.ts";
import type { ServedModelSettings } from "../../../src/adapters/model/served-model.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { fails, redirects, says, stalls } from "../../fakes/anthropic/replies.ts";
import { type FakeAnthropic, startAnthropic } from "../../fakes/anthropic/server.ts";
import { CANARY, FOUND, KEY, modelFor, QUESTION, QUICK, type Reviewed } from "./model-clients.ts";

let server: FakeAnthropic;
beforeEach(async () => {
  server = await startAnthropic({ replies: [says(FOUND)] });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** Anthropic's own address, answered by the fake. */
const anthropic: Partial<ServedModelSettings> = {
  baseUrl: null,
  structuredOutput: "auto",
  fetch: (url, init) => {
    const path = url.replace("https://api.anthropic.com", "");
    expect(path).toMatch(/^\//);
    return globalThis.fetch(`${server.url}${path}`, init) as ReturnType<ServedModelSettings["fetch"]>;
  },
};
const sent = () => server.requests.map(({ body }) => body);

async function send(more: Partial<ServedModelSettings>, request: ModelRequest<Reviewed> = QUESTION) {
  expect(await modelFor(server.url, more).ask(request)).toMatchObject({ kind: "answered", value: FOUND });
  return sent().at(-1);
}

describe("to Anthropic", () => {
  test("a question goes with its schema, effort and cache marks, and without what the API refuses", async () => {
    const body = await send(anthropic);
    expect(body).toEqual({
      model: "claude-sonnet-5-5",
      max_tokens: 4_000,
      stream: true,
      system: [
        { type: "text", text: "You review pull requests." },
        { type: "text", text: expect.stringContaining("House rules"), cache_control: { type: "ephemeral", ttl: "5m" } },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: expect.stringContaining(CANARY), cache_control: { type: "ephemeral", ttl: "5m" } },
            { type: "text", text: "Which lines are wrong?" },
          ],
        },
      ],
      output_config: { effort: "medium", format: { type: "json_schema", schema: expect.any(Object) } },
    });
    // The API refuses limits of numbers and lengths; they stand in words instead.
    expect(JSON.stringify(body.output_config)).not.toMatch(/"(?:minimum|maximum|maxLength)":/);
    expect(JSON.stringify(body.output_config)).toContain("maxLength: 200");
    expect(server.requests[0]).toMatchObject({ path: "/v1/messages", headers: { authorization: `Bearer ${KEY}` } });
    expect(server.requests[0]?.headers["x-api-key"]).toBeUndefined();
  });

  test("the small model does not think about short questions, in the word that it knows", async () => {
    expect(await send(anthropic, QUICK)).toMatchObject({
      model: "claude-haiku-5-5",
      thinking: { type: "disabled" },
      output_config: { effort: "low" },
    });
    expect((await send(anthropic, { ...QUICK, effort: "high" })).thinking).toBeUndefined();
    expect((await send(anthropic, { ...QUESTION, effort: "low" })).thinking).toBeUndefined();
    const small = (name: string) => ({ ...anthropic, names: { main: "claude-sonnet-5-5", small: name } });
    expect((await send(small("claude-sonnet-5-5"), QUICK)).thinking).toEqual({ type: "between_tools" });
    expect((await send(small("claude-opus-5-5"), QUICK)).thinking).toBeUndefined();
    const old = await send(small("claude-haiku-4-5-20251001"), QUICK);
    expect([old.thinking, old.output_config.effort]).toEqual([undefined, undefined]);
  });

  test("of more than four cache marks the last four are set; blank pieces travel without their mark or not at all", async () => {
    const piece = (text: string) => ({ text, cache: true });
    const system = [piece("1"), piece(" \n"), piece("2"), piece("3")];
    const body = await send(anthropic, { ...QUESTION, system, user: [piece("4"), piece("5"), piece("")] });
    const blocks = [...body.system, ...body.messages[0].content];
    expect(blocks.map(({ text, cache_control }) => [text, cache_control !== undefined])).toEqual([
      ["1", false],
      ["2", true],
      ["3", true],
      ["4", true],
      ["5", true],
    ]);
  });

  test("halves of surrogate pairs are fixed, and no reply is longer than the model writes", async () => {
    const body = await send(anthropic, {
      ...QUESTION,
      maxOutputTokens: 999_999,
      user: [{ text: "a\ud83db", cache: false }],
    });
    expect(body.messages[0].content[0].text).toBe("a\ufffdb");
    expect(body.max_tokens).toBe(128_000);
  });

  test.each([
    ["output_config.format.schema: The compiled grammar is too large", { format: false, effort: true, cache: true }],
    ["This model does not support the effort parameter.", { format: true, effort: false, cache: true }],
    ["output_config: Extra inputs are not permitted", { format: false, effort: false, cache: true }],
    ["Extra inputs are not permitted", { format: false, effort: false, cache: false }],
  ])("what it refuses (%s) is left out at once and from then on", async (message, left) => {
    const model = modelFor(server.url, anthropic);
    server.script([fails(400, { message }), says(FOUND)]);
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered", usage: { requests: 2 } });
    expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered", usage: { requests: 1 } });
    for (const body of sent().slice(1)) {
      expect({
        format: body.output_config?.format !== undefined,
        effort: body.output_config?.effort !== undefined,
        cache: JSON.stringify(body).includes("cache_control"),
      }).toEqual(left);
      expect(JSON.stringify(body).includes("JSON Schema (review_findings)")).toBe(!left.format);
    }
    // Of another model nothing was learnt.
    await model.ask(QUICK);
    expect(sent().at(-1).output_config).toMatchObject({ effort: "low", format: {} });
  });

  test("two questions at once learn the same, and both are answered", async () => {
    const model = modelFor(server.url, anthropic);
    server.script(({ body }) =>
      body.output_config?.format ? fails(400, { message: "output_config.format: no" }) : says(FOUND),
    );
    const both = await Promise.all([model.ask(QUESTION), model.ask(QUESTION)]);
    expect(both.map(({ kind }) => kind)).toEqual(["answered", "answered"]);
  });

  test("a server that refuses every request is asked a few times and no more", async () => {
    server.script([fails(400, { message: "thinking, effort, cache_control and output_config.format: Extra inputs" })]);
    const answer = await modelFor(server.url, anthropic).ask(QUICK);
    expect(answer).toMatchObject({ failure: "rejected", usage: { requests: 4 } });
  });

  test("the environment of the SDK changes neither server nor key", async () => {
    for (const name of ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_PROFILE"]) vi.stubEnv(name, "stray");
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://stray.invalid");
    vi.stubEnv("ANTHROPIC_LOG", "debug");
    const log = vi.spyOn(console, "debug").mockImplementation(() => {});
    await send(anthropic);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });
});

describe("to another server", () => {
  const local: Partial<ServedModelSettings> = {
    structuredOutput: "auto",
    names: { main: "qwen3-coder:30b", small: "qwen3:4b" },
  };

  test("a question goes in plain texts that every such server knows, with the schema in words", async () => {
    const body = await send(local);
    expect(body).toEqual({
      model: "qwen3-coder:30b",
      max_tokens: 4_000,
      stream: true,
      system: expect.stringMatching(
        /^You review pull requests\.\n\nHouse rules[^{]*JSON Schema \(review_findings\):\n\n\{.*"findings"/s,
      ),
      messages: [
        {
          role: "user",
          content: expect.stringMatching(/Which lines are wrong\?\n\nReply now with the one JSON object alone\.$/),
        },
      ],
    });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-api-key": KEY });
  });

  test("without a key it gets a word that is none", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", KEY);
    await send({ ...local, apiKey: null });
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain(KEY);
  });

  test("a temperature is sent only when asked for, and never to Anthropic [001-10]", async () => {
    expect((await send({ ...local, temperature: 0.2 })).temperature).toBe(0.2);
    expect((await send(local)).temperature).toBeUndefined();
    expect((await send({ ...anthropic, temperature: 0.2 })).temperature).toBeUndefined();
  });

  test("`on` sends it all that Anthropic takes, and says so when that is refused", async () => {
    const on: Partial<ServedModelSettings> = { ...local, structuredOutput: "on" };
    expect(await send(on)).toMatchObject({ output_config: { effort: "medium", format: { type: "json_schema" } } });
    server.script([fails(400, { message: "output_config.format: unknown" })]);
    const answer = await modelFor(server.url, on).ask(QUESTION);
    expect(answer).toMatchObject({
      failure: "rejected",
      usage: { requests: 1 },
      detail: expect.stringContaining("output_config.format"),
    });
  });

  test("its models have no price, and hold what the operator says, else a little", async () => {
    const model = modelFor(server.url, local);
    expect([model.contextTokens("main"), model.price("main", 1_000, 1_000)]).toEqual([32_000, null]);
    expect(modelFor(server.url, { ...local, contextTokens: 65_536 }).contextTokens("small")).toBe(65_536);
    expect((await model.ask(QUESTION)).usage.usd).toBeNull();
  });
});

test("prices are those of the table; a snapshot's date does not matter, an inherited name is no model", () => {
  const million = { fresh: 1_000_000, cacheWrite: 0, cacheRead: 0, output: 0 };
  expect(modelFacts("claude-opus-5-5").price(million)).toBe(4);
  expect(modelFacts("claude-haiku-4-5-20251001").price(million)).toBe(1);
  for (const name of ["constructor", "__proto__", "claude", "claude-opus-5-5-latest", ""]) {
    expect(modelFacts(name).price(million)).toBeNull();
  }
});

describe("through the guarded fetch that the server uses", () => {
  test("a question is answered over its origin, and nothing reaches another", async () => {
    const fetch = guardedFetch({ origins: [server.url], deadlineMs: null });
    expect(await send({ structuredOutput: "auto", fetch })).toBeDefined();
    await using elsewhere = await startAnthropic({ replies: [says(FOUND)] });
    const astray = modelFor(elsewhere.url, { fetch, limits: { retries: 0 } });
    expect(await astray.ask(QUESTION)).toMatchObject({
      failure: "unreachable",
      detail: expect.stringContaining("are not allowed"),
    });
    server.script([redirects(`${elsewhere.url}/v1/messages`)]);
    expect(await modelFor(server.url, { fetch }).ask(QUESTION)).toMatchObject({
      failure: "unreachable",
      usage: { requests: 1 },
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test("a stream that falls silent is given up by us, since the fetch itself waits for ever", async () => {
    server.script([stalls()]);
    const fetch = guardedFetch({ origins: [server.url], deadlineMs: null });
    const model = modelFor(server.url, { fetch, limits: { retries: 0, idleMs: 300 } });
    expect(await model.ask(QUESTION)).toMatchObject({ failure: "timeout", usage: { requests: 1 } });
  });
});
