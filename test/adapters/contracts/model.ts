// What every `Model` promises, whoever answers behind it.
import { describe, expect, test } from "vitest";
import type { ModelAnswer } from "../../../src/domain/model.ts";
import type { Model } from "../../../src/ports/model.ts";
import { isCut, refuses, says } from "../../fakes/anthropic/replies.ts";
import type { Replies } from "../../fakes/anthropic/server.ts";
import { CANARY, FOUND, KEY, QUESTION, QUICK, type Reviewed } from "../anthropic/asked.ts";

export interface ModelUnderTest {
  /** Hands over a model that gets these replies, and cleans up afterwards. */
  with(replies: Replies, use: (model: Model) => Promise<void>): Promise<void>;
}

export function modelContract(name: string, under: ModelUnderTest): void {
  const ask = async (replies: Replies, request = QUESTION): Promise<ModelAnswer<Reviewed>> => {
    let answer: ModelAnswer<Reviewed> | null = null;
    await under.with(replies, async (model) => {
      answer = await model.ask(request);
    });
    return answer ?? expect.fail("nobody asked");
  };

  describe(`${name} keeps the promises of a model`, () => {
    test("a reply of the shape asked for is the answer, with what it cost", async () => {
      const usage = { input_tokens: 1_000, output_tokens: 500 };
      const answer = await ask([says(FOUND, { usage, thinking: "Let me see. {" })]);
      expect(answer).toEqual({
        kind: "answered",
        value: FOUND,
        repaired: false,
        usage: {
          inputTokens: 1_000,
          cachedTokens: 0,
          outputTokens: 500,
          usd: 0.007,
          ms: expect.any(Number),
          requests: 1,
        },
      });
    });

    test("nothing found is an answer too, when it is said", async () => {
      expect(await ask([says({ findings: [] })])).toMatchObject({ kind: "answered", value: { findings: [] } });
    });

    test("a reply of the wrong shape is sent back once with the reason, and the second one counts", async () => {
      const answer = await ask([says({ findings: [{ path: "a.ts", line: 0, title: "x" }] }), says(FOUND)]);
      expect(answer).toMatchObject({ kind: "answered", value: FOUND, repaired: true });
      expect(answer.usage).toMatchObject({ requests: 2, inputTokens: 200, outputTokens: 40 });
    });

    test("a second reply of the wrong shape is the end", async () => {
      const answer = await ask([says("I found nothing wrong with it."), says({ remarks: [] }), says(FOUND)]);
      expect(answer).toMatchObject({ kind: "failed", failure: "malformed", usage: { requests: 2 } });
    });

    test.each<[string, Replies, string]>([
      ["refusing", [refuses()], "refused"],
      ["cut off by its limit", [isCut()], "truncated"],
      ["cut off by its limit just behind a whole object", [isCut('{"findings":[]}')], "truncated"],
      ["refusing after it began", [says({ findings: [] }, { stopReason: "refusal" })], "refused"],
      ["out of context", [says("", { stopReason: "model_context_window_exceeded" })], "too-long"],
      ["pausing twice", [says({ findings: [] }, { stopReason: "pause_turn" })], "malformed"],
      ["calling a tool that it does not have", [says("", { stopReason: "tool_use" })], "malformed"],
      ["saying nothing", [says("")], "malformed"],
    ])("a model %s gave no answer", async (_, replies, failure) => {
      const answer = await ask(replies);
      expect(answer).toMatchObject({ kind: "failed", failure, notBefore: null });
      expectSafe(answer);
    });

    test.each(["end_turn", "stop_sequence", "tool_use", null])(
      "a whole answer that stops by %s counts",
      async (stopReason) => {
        expect(await ask([says(FOUND, { stopReason })])).toMatchObject({ kind: "answered", value: FOUND });
      },
    );

    test("what the cache held costs less and is counted as read", async () => {
      const usage = {
        input_tokens: 10,
        cache_creation_input_tokens: 2_000,
        cache_read_input_tokens: 50_000,
        output_tokens: 100,
      };
      const { usage: paid } = await ask([says(FOUND, { usage })]);
      expect(paid).toMatchObject({ inputTokens: 52_010, cachedTokens: 50_000, outputTokens: 100 });
      expect(paid.usd).toBeCloseTo((10 * 2 + 2_000 * 2.5 + 50_000 * 0.2 + 100 * 10) / 1e6, 12);
    });

    test("the small model's dearer price begins where its prompt is longer than 100,000 tokens", async () => {
      const cost = async (input_tokens: number) =>
        (await ask([says(FOUND, { usage: { input_tokens, output_tokens: 0 } })], QUICK)).usage.usd;
      expect(await cost(100_000)).toBeCloseTo(0.01, 12);
      expect(await cost(100_001)).toBeCloseTo(0.0500005, 12);
    });

    test("a question that was stopped before it was asked costs nothing", async () => {
      await under.with([says(FOUND)], async (model) => {
        const answer = await model.ask(QUESTION, AbortSignal.abort());
        expect(answer).toMatchObject({
          kind: "failed",
          failure: "stopped",
          usage: { requests: 0, inputTokens: 0, usd: 0 },
        });
      });
    });

    test("it knows what its models hold and cost", async () => {
      await under.with([says(FOUND)], async (model) => {
        expect(model.names).toEqual({ main: "claude-sonnet-5-5", small: "claude-haiku-5-5" });
        expect(model.contextTokens("main")).toBe(1_000_000);
        expect(model.price("main", 1_000_000, 100_000)).toBeCloseTo(3, 9);
        await model.ask(QUESTION);
      });
    });
  });
}

/** What people read of a failure tells neither keys nor prompts. */
export function expectSafe(answer: ModelAnswer<unknown>): void {
  const said = answer.kind === "failed" ? answer.detail : "";
  expect(said).not.toBe("");
  expect(said).not.toContain("\n");
  for (const secret of [KEY, CANARY, "127.0.0.1", "very-secret"]) expect(said).not.toContain(secret);
}
