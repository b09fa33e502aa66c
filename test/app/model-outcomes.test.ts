// Whatever a model's server does, the pull request gets the rules' review, and its summary says
// what became of the model.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelLimits } from "../../src/adapters/model/model-facts.ts";
import type { ModelChoice } from "../../src/config/environment/read-models.ts";
import { UNLIMITED } from "../../src/ports/model.ts";
import { renderComment } from "../../src/publish/render-comment.ts";
import { renderSummary } from "../../src/publish/render-summary.ts";
import { chosenModel, promptDelimiter } from "../../src/wire/models.ts";
import { malformedReplies } from "../fakes/anthropic/malformed.ts";
import {
  body,
  breaksOff,
  endsEarly,
  errorEvent,
  fails,
  hangs,
  isCut,
  page,
  pingsOnly,
  refuses,
  resets,
  says,
  stalls,
} from "../fakes/anthropic/replies.ts";
import { type ModelCall, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import { aPull } from "../fakes/pull-requests.ts";
import { LOGIN, WEAK_LOGIN } from "./change-builders.ts";
import { API_KEY, LIMITS, openModelHarness, type Seen } from "./model-harness.ts";
import { reviewed } from "./pipeline.ts";

const ETAG = "export function etag(content: string): string {";
const TITLE = "The etag of an empty file is the same for every file";

/** What a good model says of LOGIN, at the anchor that the prompt gave. */
function found(call: ModelCall) {
  const anchor = /(\d+#[0-9a-f]{4}):\+export function etag/.exec(call.prompt)?.[1] ?? "";
  return {
    findings: [
      {
        path: "src/login.ts",
        anchor,
        endAnchor: null,
        quote: ETAG,
        severity: "major",
        category: "correctness",
        title: TITLE,
        body: "`etag` hashes the content only. Hash the path too.",
        true: 0.9,
        wanted: 1,
        suggestion: null,
        precedents: [],
      },
    ],
    ruleFindings: [],
    walkthrough: "Adds an etag.",
  };
}

function holds(call: ModelCall) {
  const ids = [...call.prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
  return {
    findings: ids.map((id) => ({ id, verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." })),
  };
}

const isVerify = (call: ModelCall) => call.system.startsWith("You check drafted");
/** A good second look, whatever the first is. */
const first = (reply: (call: ModelCall) => Reply) => (call: ModelCall) =>
  isVerify(call) ? says(holds(call)) : reply(call);

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: 19 of 20 malformed replies; NIGHTLY=1 tries one in twelve");

const INCOMPLETE = "This review is **incomplete**, see below.";

type Read = Pick<Seen, "summary" | "inline" | "asked">;

/** The pipeline without a server and GitHub, with the real client of a model on loopback. */
async function openModelPipeline(choice: Dialect) {
  const anthropic = await startAnthropic();
  const given: ModelChoice & { readonly limits: Partial<ModelLimits> } = {
    apiKey: API_KEY,
    baseUrl: anthropic.url,
    names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
    temperature: null,
    contextTokens: null,
    ...choice,
    limits: LIMITS,
  };
  const model = await chosenModel(given);
  return {
    anthropic,
    async review(title: string, files: Readonly<Record<string, string>>): Promise<Read> {
      anthropic.requests.length = 0;
      const world = { pull: aPull({ title }) };
      const review = await reviewed({ files, world, access: { ...UNLIMITED, model, delimiter: promptDelimiter } });
      return {
        summary: renderSummary(review, review.findings),
        inline: review.findings
          .filter(({ place }) => place === "inline")
          .map(({ finding }) => ({
            path: finding.path,
            line: finding.line,
            body: renderComment(review, finding, "inline"),
          })),
        asked: [...anthropic.requests],
      };
    },
    close: () => anthropic.close(),
  };
}

function expectUnread({ summary, inline }: Read, words: string): void {
  expect(summary).toContain(words);
  expect(summary).toContain(INCOMPLETE);
  expect(summary).toMatch(/1 file not read, or not wholly, by the model/);
  // The rules' finding stands whatever the model did.
  expect(inline.map(({ body: said }) => said).join()).toContain("weak-password-hash");
  expect(summary).not.toContain("**No findings**");
}

type Dialect = Pick<ModelChoice, "structuredOutput"> & Partial<Pick<ModelChoice, "apiKey" | "names">>;

const DIALECTS: readonly (readonly [kind: string, dialect: Dialect])[] = [
  ["Anthropic's shapes", { structuredOutput: "on" }],
  [
    "a local server without structured output",
    { structuredOutput: "off", apiKey: null, names: { main: "qwen3-coder", small: "qwen3-coder" } },
  ],
];

const STOPS: readonly (readonly [string, Reply, string])[] = [
  ["max_tokens", isCut(), "the model's answer was cut off"],
  ["refusal", refuses(), "the model refused to answer"],
  [
    "model_context_window_exceeded",
    says("{}", { stopReason: "model_context_window_exceeded" }),
    "it did not fit the model's context",
  ],
  ["pause_turn", says("{}", { stopReason: "pause_turn" }), "did not have the requested form"],
];

const FAULTS: readonly (readonly [string, Reply, string])[] = [
  ["429", fails(429), "rate limited"],
  ["429 for a day", fails(429, { headers: { "retry-after": "86400" } }), "rate limited"],
  ["529", fails(529), "overloaded"],
  ["500", fails(500), "overloaded"],
  ["401", fails(401), "refused our key"],
  ["400", fails(400), "refused the question"],
  [
    "400, the prompt is too long",
    fails(400, { message: "prompt is too long: 9 > 8" }),
    "did not fit the model's context",
  ],
  ["a page", page, "could not be reached"],
  ["a page with status 502", fails(502, { body: "<html>Bad gateway</html>" }), "could not be reached"],
  ["nothing at all", hangs, "did not answer in time"],
  ["a beginning and then silence", stalls(), "did not answer in time"],
  ["pings for ever", pingsOnly(), "did not answer in time"],
  ["a stream that is cut", breaksOff(), "could not be reached"],
  ["a stream that ends early", endsEarly(`{"findings":[`), "could not be reached"],
  ["an error in the stream", errorEvent(), "overloaded"],
  ["a reset", resets, "could not be reached"],
  ["bytes", body("\u0000\u0001", "application/octet-stream"), "could not be reached"],
];

describe.each(DIALECTS)("%s", (kind, choice) => {
  let at: Awaited<ReturnType<typeof openModelPipeline>>;
  beforeAll(async () => {
    at = await openModelPipeline(choice);
  });
  afterAll(async () => {
    await at.close();
  });

  test.each(["end_turn", "stop_sequence", "tool_use"])(
    "a whole answer that stopped with %s is posted on its line, with its cost",
    async (stopReason) => {
      at.anthropic.script(first((call) => says(found(call), { stopReason })));
      const seen = await at.review("feat: etags", { "src/login.ts": LOGIN });
      expect(seen.inline).toMatchObject([{ path: "src/login.ts", line: 3 }]);
      expect(seen.inline[0]?.body).toContain(`**${TITLE}**`);
      expect(seen.summary).toContain("Adds an etag.");
      expect(seen.summary).toMatch(
        kind === "Anthropic's shapes"
          ? /Cost: \d+ tokens in, \d+ out .*, USD 0\.\d{4}/
          : /Cost: \d+ tokens in, \d+ out .*, no price known/,
      );
      expect(seen.summary).not.toContain(INCOMPLETE);
      expect(seen.asked.map(isVerify)).toEqual([false, true]);
    },
  );

  test.each(STOPS)(
    "an answer that stopped with %s is reported, and the review by rules is posted",
    async (_, reply, words) => {
      at.anthropic.script(first(() => reply));
      expectUnread(await at.review("feat: login", { "src/login.ts": WEAK_LOGIN }), words);
    },
  );

  test.each(FAULTS)(
    "a server that answers with %s is reported, and the review by rules is posted",
    async (_, reply, words) => {
      at.anthropic.script(first(() => reply));
      expectUnread(await at.review("feat: login", { "src/login.ts": WEAK_LOGIN }), words);
    },
  );

  test("a second look that fails leaves the finding, less sure, and says so", async () => {
    at.anthropic.script((call) => (isVerify(call) ? fails(529) : says(found(call))));
    const seen = await at.review("feat: etags", { "src/login.ts": LOGIN });
    expect(seen.inline).toHaveLength(1);
    expect(seen.summary).toContain("were not checked a second time: the model's server is overloaded");
  });

  test("malformed answers are reported, never taken for silence [R11]", async () => {
    const shapes = malformedReplies(found({ prompt: "3#0000:+export function etag" } as ModelCall))
      .filter(({ text }) => text.length < 20_000)
      .filter((_, index) => index % (NIGHTLY ? 12 : 240) === 11);
    expect(shapes.length).toBeGreaterThan(NIGHTLY ? 50 : 2);
    for (const { name, text } of shapes) {
      at.anthropic.script(first(() => says(text)));
      const { summary } = await at.review(`feat: ${name}`, { "src/login.ts": LOGIN });
      const isRead = /\*\*1 \w+ finding open\*\*|1 finding held back/.test(summary);
      if (!isRead) {
        expect(summary, name).toContain(INCOMPLETE);
        expect(summary, name).toContain("did not have the requested form");
        expect(summary, name).toContain("**No rule fired** in 1 file; no model read it");
      }
    }
  });
});

test.each(DIALECTS)(
  "through the running app, %s: a whole answer, a fault and nonsense become comments",
  async (_, choice) => {
    const at = await openModelHarness(choice);
    try {
      at.anthropic.script(first((call) => says(found(call))));
      const whole = await at.review("feat: etags", { "src/login.ts": LOGIN });
      expect(whole.state).toBe("done");
      expect(whole.inline).toMatchObject([
        { path: "src/login.ts", line: 3, body: expect.stringContaining(`**${TITLE}**`) },
      ]);
      expect(whole.summary).not.toContain(INCOMPLETE);
      for (const [reply, words] of [
        [fails(529), "overloaded"],
        [says("no JSON at all"), "did not have the requested form"],
      ] as const) {
        at.anthropic.script(first(() => reply));
        const seen = await at.review("feat: login", { "src/login.ts": WEAK_LOGIN });
        expect(seen.state).toBe("done");
        expectUnread(seen, words);
      }
      // GitHub was asked for nothing that its description does not know.
      expect(at.harness.world.violations).toEqual([]);
    } finally {
      await at.close();
    }
  },
);
