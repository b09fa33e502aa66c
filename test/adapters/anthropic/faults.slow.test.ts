import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ModelLimits } from "../../../src/adapters/model/model-facts.ts";
import type { ServedModelSettings } from "../../../src/adapters/model/served-model.ts";
import {
  bareStream,
  body,
  breaksOff,
  endsEarly,
  errorEvent,
  events,
  fails,
  hangs,
  page,
  pingsOnly,
  redirects,
  resets,
  says,
  stalls,
  wholeMessage,
} from "../../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../../fakes/anthropic/server.ts";
import { expectSafe } from "../contracts/model.ts";
import { CANARY, FOUND, KEY, modelFor, QUESTION } from "./model-clients.ts";

const NOW = Date.UTC(2026, 10, 21);
const LEAK = { message: `Your key ${KEY} and your prompt ${CANARY} at http://127.0.0.1 are bad` };
const RIGHT = JSON.stringify(FOUND);

describe.each(["on", "off"] as const)("with structured output %s", (structuredOutput) => {
  let server: FakeAnthropic;
  const printed: unknown[] = [];
  const timers = { now: () => NOW };
  const model = (more: Partial<ServedModelSettings> = {}) =>
    modelFor(server.url, { structuredOutput, ...timers, ...more });
  /**
   * A short patience only for what never answers: a busy machine may need long for a first request.
   */
  const hasty = (limits: Partial<ModelLimits>) => model({ limits: { retries: 1, ...limits } });

  beforeEach(async () => {
    server = await startAnthropic();
    for (const level of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, level).mockImplementation((...words) => void printed.push(words));
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.close();
    // What a server answers may hold code and keys: the SDK must not print it either.
    expect(printed.splice(0)).toEqual([]);
  });

  test.each<[string, Reply]>([
    ["busy", fails(529)],
    ["busy and says when to come back", fails(429, { headers: { "retry-after-ms": "3" } })],
    ["busy and says when in seconds", fails(429, { headers: { "retry-after": "0.01" } })],
    ["broken", fails(500)],
    ["behind a broken proxy", fails(502, { body: "<html>Bad gateway</html>" })],
    ["out of time", fails(504)],
    ["in conflict", fails(409)],
    ["breaking off with an event", errorEvent("overloaded_error")],
    ["breaking off in the middle of its words", breaksOff()],
    ["behind a proxy that shows a page", page],
    ["answering with another kind of stream", body("data: {}\n\ndata: [DONE]\n\n")],
    ["sending events that are no JSON", body("event: message_start\ndata: {not json}\n\n")],
    ["sending bytes", body("\u0000\u0001�", "application/octet-stream")],
    ["sending nothing", body("")],
    ["answering null", body("null", "application/json")],
    ["answering without a body", fails(204, { body: "" })],
    ["resetting connections", resets],
  ])("a server that is %s is asked again until it is well", async (_, fault) => {
    server.script([fault, fault, says(FOUND)]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", value: FOUND, usage: { requests: 3 } });
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map((request) => JSON.stringify(request.body))).size).toBe(1);
  });

  test.each<[string, Reply, string]>([
    ["busy", fails(529, LEAK), "overloaded"],
    ["over its limit", fails(429, LEAK), "rate-limited"],
    ["broken", fails(500, LEAK), "overloaded"],
    ["broken in its own words", fails(599, { body: `{"detail":"${KEY}"}` }), "overloaded"],
    ["out of time", fails(504, LEAK), "timeout"],
    ["breaking off", breaksOff(), "unreachable"],
    ["limiting in the stream", errorEvent("rate_limit_error"), "rate-limited"],
    ["failing in the stream in new words", errorEvent("Weird Error!"), "overloaded"],
    ["resetting connections", resets, "unreachable"],
    ["showing a page", page, "unreachable"],
  ])("a server that stays %s costs four requests", async (_, fault, failure) => {
    server.script([fault]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({ kind: "failed", failure, usage: { requests: 4 } });
    expect(server.requests).toHaveLength(4);
    expectSafe(answer);
  });

  test.each<[string, Reply, string, RegExp]>([
    ["a wrong key", fails(401, LEAK), "denied", /401 \(authentication_error\): Your key.*; check ANTHROPIC_API_KEY/],
    ["a key without the right", fails(403, LEAK), "denied", /403/],
    ["no credit", fails(402, LEAK), "unpaid", /no credit/],
    ["a model that is not there", fails(404, LEAK), "rejected", /404.*KODIAI_MODEL/],
    [
      "a bad place in it",
      fails(400, { message: "messages.0.content: bad" }),
      "rejected",
      /messages\.0\.content: bad; /,
    ],
    [
      "a prompt too long",
      fails(400, { message: "prompt is too long: 1000001 tokens > 1000000 maximum" }),
      "too-long",
      /400/,
    ],
    [
      "vLLM's words for that",
      fails(400, { body: '{"error":{"message":"This model\'s maximum context length is 8192 tokens."}}' }),
      "too-long",
      /400/,
    ],
    [
      "llama.cpp's words for that",
      fails(400, {
        body: '{"error":{"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}',
      }),
      "too-long",
      /400/,
    ],
    ["a body too large", fails(413, LEAK), "too-long", /413/],
    ["denial in the stream", errorEvent("permission_error"), "denied", /permission_error/],
    ["an order not to come back", fails(500, { headers: { "x-should-retry": "false" } }), "overloaded", /500/],
  ])("%s is final at once", async (_, fault, failure, detail) => {
    server.script([fault]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({
      kind: "failed",
      failure,
      usage: { requests: 1 },
      detail: expect.stringMatching(detail),
    });
    expectSafe(answer);
  });

  test.each([
    ["retry-after", "86400", 86_400_000],
    ["retry-after", "1", 1_000],
    ["retry-after", new Date(NOW + 3_600_000).toUTCString(), 3_600_000],
    ["retry-after", "99999999999", 7 * 86_400_000],
    ["retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", 7 * 86_400_000],
    ["retry-after-ms", "60000", 60_000],
  ])("%s: %s is not waited for: the failure names the time to retry", async (name, value, ms) => {
    server.script([fails(429, { headers: { [name]: value } })]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({ failure: "rate-limited", notBefore: NOW + ms, usage: { requests: 1 } });
  });

  test.each(["NaN", "-5", "soon", "Infinity", "1e9", "Thu, 01 Jan 1970 00:00:00 GMT", ""])(
    "retry-after: %j says nothing",
    async (value) => {
      server.script([fails(429, { headers: { "retry-after": value } }), says(FOUND)]);
      expect(await model().ask(QUESTION)).toMatchObject({ kind: "answered", usage: { requests: 2 } });
    },
  );

  test("a server that does not answer is given up and asked again; the dead request is let go", async () => {
    server.script([hangs, says(FOUND)]);
    const answer = await hasty({ firstByteMs: 500 }).ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", usage: { requests: 2 } });
    await expect.poll(() => server.requests[0]?.isAbandoned).toBe(true);
  });

  test("a stream that falls silent is given up and asked again, and its tokens are paid", async () => {
    server.script([stalls(), says(FOUND)]);
    const answer = await hasty({ idleMs: 500 }).ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", usage: { requests: 2, inputTokens: 200, outputTokens: 25 } });
  });

  test("silence for ever ends in a reason", async () => {
    server.script([hangs]);
    const answer = await hasty({ firstByteMs: 300 }).ask(QUESTION);
    expect(answer).toMatchObject({
      failure: "timeout",
      detail: expect.stringContaining("within 300 ms"),
      usage: { requests: 2 },
    });
    expectSafe(answer);
  });

  test("a model that writes and writes is stopped once and not asked again", async () => {
    server.script([pingsOnly()]);
    const answer = await hasty({ attemptMs: 600, msPerToken: 0 }).ask(QUESTION);
    expect(answer).toMatchObject({ failure: "timeout", usage: { requests: 1 } });
    await expect.poll(() => server.requests[0]?.isAbandoned).toBe(true);
  });

  test("pings keep a quiet stream alive", async () => {
    server.script([
      (response, call) => {
        pingsOnly(50)(response, call);
        setTimeout(() => {
          const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: RIGHT } };
          response.write(`event: content_block_delta\ndata: ${JSON.stringify(text)}\n\n`);
          response.end('event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n');
        }, 900);
      },
    ]);
    const answer = await hasty({ idleMs: 500 }).ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", usage: { requests: 1 } });
  });

  test("all attempts and waits together end at the overall deadline [R10]", async () => {
    server.script([fails(529)]);
    const limits = { overallMs: 400, firstWaitMs: 200, maxWaitMs: 10_000, retries: 50, breakAfter: 99 };
    const answer = await model({ limits }).ask(QUESTION);
    expect(answer).toMatchObject({ failure: "timeout", detail: expect.stringContaining("400 ms"), notBefore: null });
  });

  test.each<[string, Reply, Partial<ModelLimits>]>([
    ["before the first byte", hangs, {}],
    ["in the middle of a stream", stalls(), {}],
    ["between two attempts", fails(529), { firstWaitMs: 60_000, maxWaitMs: 60_000 }],
  ])("a question is stopped %s, at once", async (_, reply, limits) => {
    server.script([reply]);
    const stop = new AbortController();
    const asked = model({ limits }).ask(QUESTION, stop.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    await wait(50);
    stop.abort();
    expect(await asked).toMatchObject({ kind: "failed", failure: "stopped", notBefore: null, usage: { requests: 1 } });
  });

  const LONG = "a finding and another ".repeat(400);
  /** Says all of it but the end, where the server counts its words. */
  const unended: Reply = (response, call) => {
    const all = events(LONG, { thinking: "Let me think. ".repeat(100) }, call.body.model);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(all.slice(0, -3).join(""));
  };
  /** The same, of a server that counts nothing at the beginning either. */
  const uncounted: Reply = (response, call) => {
    const all = events(LONG, {}, call.body.model);
    response.writeHead(200, { "content-type": "text/event-stream" }).write(all.slice(1, -3).join(""));
  };

  test.each<[string, Reply, number | "the question"]>([
    ["in the middle of a stream", unended, 100],
    ["in the middle of a stream that counts nothing", uncounted, "the question"],
    ["before the first byte", hangs, "the question"],
  ])("a question that is stopped %s costs what was asked and what was said", async (_, reply, input) => {
    server.script([reply]);
    const stop = new AbortController();
    const asked = model().ask(QUESTION, stop.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    await wait(200);
    stop.abort();
    const { usage } = await asked;
    if (input === "the question") {
      const sent = JSON.stringify(server.requests[0]?.body).length;
      expect(usage.inputTokens).toBeGreaterThan(sent / 8);
      expect(usage.inputTokens).toBeLessThan(sent);
    } else expect(usage.inputTokens).toBe(input);
    const said = reply === hangs ? 0 : LONG.length + (reply === unended ? 1_400 : 0);
    expect(usage.outputTokens).toBeGreaterThanOrEqual(said / 4);
    expect(usage.outputTokens).toBeLessThanOrEqual(said / 2);
    expect(usage.usd).toBeGreaterThan(0);
  });

  test("a stream that the network cuts costs what was said, and one that overruns the deadline as well", async () => {
    const cuts: Reply = (response, call) => {
      unended(response, call);
      setTimeout(() => response.destroy(), 100);
    };
    server.script([cuts]);
    const cut = await model({ limits: { retries: 0 } }).ask(QUESTION);
    server.script([unended]);
    const late = await model({ limits: { retries: 0, overallMs: 500 } }).ask(QUESTION);
    for (const { usage } of [cut, late]) {
      expect(usage.inputTokens).toBe(100);
      expect(usage.outputTokens).toBeGreaterThan(LONG.length / 4);
    }
    expect([cut, late]).toMatchObject([{ failure: "unreachable" }, { failure: "timeout" }]);
  });

  test.each([
    ["refuses", fails(400)],
    ["is overloaded", fails(529)],
    ["resets the connection", resets],
    ["shows a page", page],
  ])("a server that %s is paid nothing", async (_, reply) => {
    server.script([reply]);
    const { usage } = await model({ limits: { retries: 0 } }).ask(QUESTION);
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, usd: 0 });
  });

  test("after five failures in a row requests stop for a while; then one probe reopens the circuit [R10]", async () => {
    server.script([fails(529)]);
    let clock = NOW;
    const asked = model({ now: () => clock, limits: { breakMs: 400 } });
    expect(await asked.ask(QUESTION)).toMatchObject({ failure: "overloaded", usage: { requests: 4 } });
    // The fifth failure opens the circuit in the middle of a question, which still tells what it
    // met.
    expect(await asked.ask(QUESTION)).toMatchObject({ failure: "overloaded", usage: { requests: 1 } });
    clock += 100;
    const open = await asked.ask({ ...QUESTION, tier: "small" });
    expect(open).toMatchObject({ failure: "circuit-open", notBefore: NOW + 400, usage: { requests: 0, usd: 0 } });
    expectSafe(open);
    expect(server.requests).toHaveLength(5);
    server.script([says(FOUND)]);
    await wait(500);
    const together = await Promise.all([asked.ask(QUESTION), asked.ask(QUESTION), asked.ask(QUESTION)]);
    expect(together.map(({ kind }) => kind)).toEqual(["answered", "answered", "answered"]);
  });

  test("a failed probe opens the circuit again, and other calls of that moment send no request", async () => {
    server.script([fails(529)]);
    const asked = model({ limits: { breakMs: 400, retries: 0 } });
    for (let time = 0; time < 5; time++) await asked.ask(QUESTION);
    await wait(500);
    const together = await Promise.all([asked.ask(QUESTION), asked.ask(QUESTION), asked.ask(QUESTION)]);
    expect(together.map((answer) => answer.kind === "failed" && answer.failure).sort()).toEqual([
      "circuit-open",
      "circuit-open",
      "overloaded",
    ]);
    expect(server.requests).toHaveLength(6);
  });

  test("refusals of a request never open the circuit", async () => {
    server.script([fails(400)]);
    const asked = model();
    for (let time = 0; time < 8; time++) await asked.ask(QUESTION);
    server.script([says(FOUND)]);
    expect(await asked.ask(QUESTION)).toMatchObject({ kind: "answered" });
  });

  test.each([301, 302, 303, 307, 308])("a redirect (%d) is not followed, so no key travels on", async (code) => {
    await using elsewhere = await startAnthropic({ replies: [says(FOUND)] });
    server.script([redirects(`${elsewhere.url}/v1/messages`, code)]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({
      failure: "unreachable",
      detail: expect.stringContaining("redirect"),
      usage: { requests: 1 },
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test("with no server listening there is a reason and no error", async () => {
    const removed = await startAnthropic();
    await removed.close();
    const answer = await modelFor(removed.url, { structuredOutput }).ask(QUESTION);
    expect(answer).toMatchObject({ failure: "unreachable", detail: expect.stringMatching(/^ECONNREFUSED .*check /) });
    expectSafe(answer);
  });

  test("a key that no header can hold ends in a reason that does not contain it", async () => {
    const answer = await model({ apiKey: `${KEY}\nx-evil: 1` }).ask(QUESTION);
    expect(answer.kind).toBe("failed");
    expectSafe(answer);
    expect(server.requests).toEqual([]);
  });

  test("a server that streams although it leaves out usage and the end is understood", async () => {
    server.script([bareStream(RIGHT)]);
    const answer = await model().ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", value: FOUND, usage: { inputTokens: 0, outputTokens: 0 } });
  });

  test("a server that answers whole although asked for a stream is understood", async () => {
    server.script([wholeMessage(RIGHT)]);
    expect(await model().ask(QUESTION)).toMatchObject({ kind: "answered", value: FOUND, usage: { inputTokens: 100 } });
    server.script([wholeMessage(RIGHT, "length")]);
    expect(await model().ask(QUESTION)).toMatchObject({ failure: "truncated" });
  });

  test.each([-5, null, "12", Number.MAX_VALUE, {}, [1]])("usage of %j does not upset the bill", async (count) => {
    const usage = { input_tokens: count as number, output_tokens: count as number };
    server.script([says(FOUND, { usage })]);
    const { kind, usage: paid } = await model().ask(QUESTION);
    expect(kind).toBe("answered");
    for (const sum of [paid.inputTokens, paid.outputTokens, paid.usd]) expect(sum).toSatisfy(Number.isFinite);
  });

  test("faults at every other request never surface as anything but an answer or a reason [R10]", async () => {
    const faults = [fails(529), breaksOff(), page, fails(500), resets, endsEarly(), errorEvent()];
    server.script((call) =>
      call.number % 2 === 0 ? (faults[(call.number / 2) % faults.length] ?? page) : says(FOUND),
    );
    const asked = model();
    for (let time = 0; time < 7; time++) expect(await asked.ask(QUESTION)).toMatchObject({ kind: "answered" });
  });
});
