// Model servers as people have them: each in the words and forms that it really sends, through a
// whole review to a posted comment.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDS, REFUSALS, REPLY_SERVERS, SERVERS, type ServerId } from "../../scripts/model-matrix.ts";
import { readModel } from "../../src/config/environment/read-models.ts";
import { UNLIMITED } from "../../src/ports/model.ts";
import { chosenModel, promptDelimiter } from "../../src/wire/models.ts";
import { LOGIN } from "../app/change-builders.ts";
import { LIMITS } from "../app/model-harness.ts";
import { type ModelCall, type Replies, startAnthropic as startServer } from "../fakes/anthropic/server.ts";
import { openReviewFlow, type ReviewFlow } from "../flows/review-flow.ts";
import { answers, has, refuses } from "./fake-model-server.ts";
import { TITLE } from "./review-replies.ts";

let flow: ReviewFlow;
beforeAll(async () => {
  flow = await openReviewFlow();
});
afterAll(() => flow.close());

/** The variables that a person sets for this server. */
function variables(server: ServerId, url: string): ReadonlyMap<string, string> {
  const name = SERVERS[server].protocol === "openai" ? "OPENAI_BASE_URL" : "ANTHROPIC_BASE_URL";
  return new Map([
    [name, url],
    ["KODIAI_MODEL", "some-model"],
    ["KODIAI_MODEL_TEMPERATURE", "0.2"],
  ]);
}

/** One review by a process that has just started; what the server does not take is in the store. */
async function reviewed(server: ServerId, url: string) {
  return reviewedWith(await started(server, url));
}

async function started(server: ServerId, url: string) {
  const read = readModel(variables(server, url));
  if ("problems" in read || read.model === null) expect.fail("the variables are wrong");
  const choice = { ...read.model, limits: { ...LIMITS, overallMs: 20_000, firstByteMs: 10_000 } };
  return await chosenModel(choice, undefined, flow.records.modelLessons);
}

async function reviewedWith(model: Awaited<ReturnType<typeof started>>) {
  const pull = flow.open({ files: { "src/login.ts": LOGIN } });
  await flow.review(pull, { access: { ...UNLIMITED, model, delimiter: promptDelimiter } });
  return {
    comments: pull.posted.reviews.flatMap(({ comments }) => comments),
    summary: pull.posted.summaries[0] ?? "",
  };
}

async function withServer<T>(replies: Replies, use: (url: string, requests: readonly ModelCall[]) => Promise<T>) {
  await using server = await startServer({ replies });
  return await use(server.url, server.requests);
}

function expectPosted({ comments, summary }: Awaited<ReturnType<typeof reviewed>>): void {
  expect(comments.map(({ path, line, body }) => [path, line, body.includes(TITLE)])).toEqual([
    ["src/login.ts", 3, true],
  ]);
  expect(summary).not.toContain("not read by the model");
}

describe("what a server refuses is left out, once, and never sent again", () => {
  test.each(
    REFUSALS.map((one) => [SERVERS[one.server].name, one.part, JSON.stringify(one.body).slice(0, 90), one] as const),
  )("%s: %s (%s)", async (_name, part, _words, { server, status, body }) => {
    const refused: number[] = [];
    const replies = (call: ModelCall) => {
      if (!has(part, call)) return answers(server)(call);
      refused.push(call.number);
      return refuses(status, body);
    };
    await withServer(replies, async (url) => {
      expectPosted(await reviewed(server, url));
      // One request more where the server says what it refuses; never more than four.
      expect(refused.length).toBeLessThanOrEqual(part === "anything" ? 3 : 1);
      const before = refused.length;
      expectPosted(await reviewed(server, url));
      // Credit may have come since: another process asks for a whole reply.
      expect(refused.length).toBe(status === 402 ? before + 1 : before);
    });
  });

  test("credit for a short reply is remembered by the process alone", async () => {
    const wanted: number[] = [];
    let credit = 5_200;
    const replies = (call: ModelCall) => {
      const most = Number(call.body.max_tokens ?? call.body.max_completion_tokens);
      wanted.push(most);
      const message = `You requested up to ${most} tokens, but can only afford ${credit}.`;
      return most > credit ? refuses(402, { error: { message, code: 402 } }) : answers("openrouter")(call);
    };
    await withServer(replies, async (url) => {
      const model = await started("openrouter", url);
      expectPosted(await reviewedWith(model));
      expectPosted(await reviewedWith(model));
      expect(wanted.filter((one) => one > credit)).toHaveLength(1);
      credit = 1_000_000;
      wanted.length = 0;
      expectPosted(await reviewed("openrouter", url));
      expect(Math.max(...wanted)).toBeGreaterThan(5_200);
    });
  });
});

test.each(REPLY_SERVERS.map(([server, form]) => [SERVERS[server].name, form, server] as const))(
  "%s: a reply in the form of %s is read, and paid for once",
  async (_name, form, server) => {
    await withServer(answers(server, form), async (url, requests) => {
      const seen = await reviewed(server, url);
      expectPosted(seen);
      expect(requests).toHaveLength(2);
      if (form === "words") {
        expect(seen.comments[0]?.body).toMatch(/critical|major/i);
        expect(seen.summary).toContain(
          "1 of 2 findings of the model could not be read: path is missing (It has no path)",
        );
      }
    });
  },
);

test.each(ENDS.map((one) => [SERVERS[one.server].name, one.what, one] as const))(
  "%s: %s is said with the server's sentence and what to do",
  async (_name, _what, { server, status, body, says }) => {
    await withServer([refuses(status, body)], async (url, requests) => {
      const { summary, comments } = await reviewed(server, url);
      expect(comments).toEqual([]);
      expect(summary.replaceAll("\\", "")).toMatch(says);
      expect(requests).toHaveLength(1);
    });
  },
);

test("another address of the same model is asked anew", async () => {
  const replies = (call: ModelCall) =>
    has("stream", call) ? refuses(400, { error: { message: "no", param: "stream" } }) : answers("openai")(call);
  for (let at = 0; at < 2; at++)
    await withServer(replies, async (url, requests) => {
      expectPosted(await reviewed("openai", url));
      expect(requests).toHaveLength(3);
    });
});
