// What every `Model` promises, whoever answers behind it.
import { describe, expect, test } from "vitest";
import type { ModelAnswer, ModelRequest } from "../../../src/domain/model.ts";
import type { Model } from "../../../src/ports/model.ts";
import type { ModelCall, Replies, Reply } from "../../fakes/anthropic/server.ts";
import { CANARY, FOUND, KEY, QUESTION, QUICK, type Reviewed } from "../anthropic/model-clients.ts";

/** Tokens of one reply. */
interface SaidTokens {
  readonly fresh?: number;
  readonly cacheWrite?: number;
  readonly cacheRead?: number;
  readonly output?: number;
}

/** How a server says in its own protocol what every protocol can say. */
export interface Speech {
  /** 100 tokens in and 20 out without `tokens`. */
  says(answer: unknown, how?: { readonly tokens?: SaidTokens; readonly thinking?: string }): Reply;
  fails(status: number, message: string): Reply;
  /** Replies that are no answer, each with the failure that it is. */
  readonly ends: readonly (readonly [string, readonly Reply[], string])[];
  /** Whole answers, however the server words their end. */
  readonly whole: readonly (readonly [string, Reply])[];
  readonly names: Model["names"];
  /**
   * US$ for a million tokens of the main model, which costs 2 in and 10 out, written to and read
   * from the cache.
   */
  readonly cache: { readonly write: number; readonly read: number };
  /**
   * How long a prompt of the small model may be before it costs more; US$ for a million tokens,
   * then and from then on.
   */
  readonly small: { readonly upTo: number; readonly usd: number; readonly above: number };
}

export interface ModelUnderTest {
  readonly speech: Speech;
  /** Hands over a model that gets these replies, and cleans up afterwards. */
  with(
    replies: Replies,
    use: (model: Model, requests: readonly ModelCall[]) => Promise<void>,
    contextTokens?: number,
  ): Promise<void>;
}

export function modelContract(name: string, under: ModelUnderTest): void {
  const { says, fails, ...speech } = under.speech;

  async function asked(
    replies: Replies,
    request: ModelRequest<Reviewed> = QUESTION,
    contextTokens?: number,
  ): Promise<{ readonly answer: ModelAnswer<Reviewed>; readonly requests: readonly ModelCall[] }> {
    let seen: Awaited<ReturnType<typeof asked>> | null = null;
    const use = async (model: Model, requests: readonly ModelCall[]) => {
      seen = { answer: await model.ask(request), requests };
    };
    await under.with(replies, use, contextTokens);
    return seen ?? expect.fail("nobody asked");
  }
  const ask = async (replies: Replies, request = QUESTION) => (await asked(replies, request)).answer;

  describe(`${name} keeps the promises of a model`, () => {
    test("a reply of the shape asked for is the answer, with what it cost", async () => {
      const answer = await ask([says(FOUND, { tokens: { fresh: 1_000, output: 500 }, thinking: "Let me see. {" })]);
      expect(answer).toEqual({
        kind: "answered",
        value: FOUND,
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
      expect(answer).toMatchObject({ kind: "answered", value: FOUND });
      expect(answer.usage).toMatchObject({ requests: 2, inputTokens: 200, outputTokens: 40 });
    });

    test("a second reply of the wrong shape is the end", async () => {
      const answer = await ask([says("I found nothing wrong with it."), says({ remarks: [] }), says(FOUND)]);
      expect(answer).toMatchObject({ kind: "failed", failure: "malformed", usage: { requests: 2 } });
    });

    test.each([...speech.ends, ["saying nothing", [says("")], "malformed"] as const])(
      "a model %s gave no answer",
      async (_, replies, failure) => {
        const answer = await ask(replies);
        expect(answer).toMatchObject({ kind: "failed", failure, notBefore: null });
        expectSafe(answer);
      },
    );

    test.each(speech.whole)("a whole answer that stops by %s counts", async (_, reply) => {
      expect(await ask([reply])).toMatchObject({ kind: "answered", value: FOUND });
    });

    test("what the cache held costs less and is counted as read", async () => {
      const tokens = { fresh: 10, cacheWrite: 2_000, cacheRead: 50_000, output: 100 };
      const { usage: paid } = await ask([says(FOUND, { tokens })]);
      expect(paid).toMatchObject({ inputTokens: 52_010, cachedTokens: 50_000, outputTokens: 100 });
      const { write, read } = speech.cache;
      expect(paid.usd).toBeCloseTo((10 * 2 + 2_000 * write + 50_000 * read + 100 * 10) / 1e6, 12);
    });

    test("the small model's dearer price begins where its prompt is longer than it says", async () => {
      const cost = async (fresh: number) =>
        (await ask([says(FOUND, { tokens: { fresh, output: 0 } })], QUICK)).usage.usd;
      const { upTo, usd, above } = speech.small;
      expect(await cost(upTo)).toBeCloseTo((upTo * usd) / 1e6, 12);
      expect(await cost(upTo + 1)).toBeCloseTo(((upTo + 1) * above) / 1e6, 12);
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
        expect(model.names).toEqual(speech.names);
        expect(model.contextTokens("main")).toBeGreaterThanOrEqual(1_000_000);
        expect(model.price("main", 100_000, 10_000)).toBeCloseTo(0.3, 9);
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
