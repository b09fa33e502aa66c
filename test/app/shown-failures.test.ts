// Whatever fails on the way of a review, in whatever words, and whoever reads the pull request sees
// no file of the machine, no stack, no address and no secret: every port is made to fail in each of
// its questions, in several ways.

import { afterAll, expect, test } from "vitest";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import type { Review } from "../../src/domain/review.ts";
import type { WritingPorts } from "../../src/flows/review/review-ports.ts";
import { writeReview } from "../../src/flows/review/review-pull-request.ts";
import { aJob, HEAD } from "../fakes/pull-requests.ts";
import { drafted, scriptedModel } from "../fakes/scripted-model.ts";
import { posted } from "../publish/posted-review.ts";
import { atDistance, embedder, memory } from "../retrieve/retrieve-builders.ts";
import { LOGIN, WEAK_LOGIN } from "./change-builders.ts";
import { portsOf } from "./pipeline.ts";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const OWN = "wh-7b1f0e6c5d4a39281706f5e4d3c2b1a0";
const PRIVATE = [TOKEN, OWN, "/srv/kodiai", "10.1.2.3", "secret-host.internal", "at Object.read"];
const WORDS = `ENOENT: no such file or directory, open '/srv/kodiai/data/memory.db' (http://10.1.2.3:8443/?key=${OWN}) with ${TOKEN}`;

function withStack(error: Error): Error {
  error.stack = `${error.name}: ${error.message}\n    at Object.read (/srv/kodiai/src/adapters/x.ts:1:1)`;
  return error;
}

const FAILURES: readonly (readonly [string, () => Error])[] = [
  ["an error", () => withStack(new Error(WORDS))],
  [
    "a type error",
    () => withStack(new TypeError(`fetch failed: ${WORDS}`, { cause: new Error("connect secret-host.internal") })),
  ],
  [
    "a broken disk",
    () => withStack(Object.assign(new Error(WORDS), { code: "SQLITE_CORRUPT", path: "/srv/kodiai/data" })),
  ],
  ["a long text", () => withStack(new RangeError(`${"x".repeat(300)} ${WORDS}`.repeat(50)))],
  ["try later", () => withStack(new Transient(WORDS, null))],
  ["out of reach", () => withStack(new OutOfReach("missing", 404, WORDS))],
];

/** What answers at once; everything else answers with a promise. */
const SYNC = new Set(["known.customRuleProblems", "access.delimiter"]);

/** Every question of the ports, as `PORT.METHOD`. */
function questions(ports: WritingPorts): string[] {
  return Object.entries(ports).flatMap(([port, value]) => {
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value)
      .filter(([, one]) => typeof one === "function")
      .map(([method]) => `${port}.${method}`);
  });
}

function ports(): WritingPorts {
  const model = scriptedModel(() => ({
    findings: [drafted({ quote: "export", path: "src/login.ts", body: "It is exported." })],
    ruleFindings: [],
    walkthrough: "Adds a login.",
  }));
  return portsOf({
    files: { "src/login.ts": WEAK_LOGIN, "src/etag.ts": LOGIN },
    memories: [{ record: memory("mem_000000000001"), vector: atDistance(0.1) }],
    embedder: embedder(),
    access: model,
    world: { texts: { [`${HEAD}:src/login.ts`]: WEAK_LOGIN } },
  });
}

function broken(question: string, fail: () => Error): WritingPorts {
  const [port = "", method = ""] = question.split(".");
  const whole = ports();
  const part = whole[port as keyof WritingPorts] as unknown as Record<string, unknown>;
  const isSync = SYNC.has(question);
  const fails = () => {
    if (isSync) throw fail();
    return Promise.reject(fail());
  };
  return { ...whole, [port]: { ...part, [method]: fails } };
}

const ALL = questions(ports());
let paths = 0;
let reviews = 0;
afterAll(() => console.log(`${paths} ways to fail at ${ALL.length} places, ${reviews} of them end in a review`));

test.each(ALL)("%s may fail as it likes: nothing of the machine is shown", async (question) => {
  const redactor = secretRedactor(new Set([OWN]));
  for (const [, fail] of FAILURES) {
    paths += 1;
    const ended = await writeReview(aJob(), broken(question, fail), (_room, enter) => Promise.resolve(enter())).catch(
      (error: unknown) => error,
    );
    if (ended instanceof Error) continue;
    const { kind } = ended as { readonly kind: string };
    const texts = kind === "skipped" ? [String((ended as { reason?: unknown }).reason)] : posted(ended as Review);
    if (kind !== "skipped") reviews += 1;
    // As it leaves: every body is redacted on its way out.
    const shown = (await Promise.all(texts.map(async (text) => (await redactor.redact(text)).text))).join("\n");
    expect(PRIVATE.filter((one) => shown.includes(one))).toEqual([]);
  }
});

test("there were enough of them, and most are reported and not fatal", () => {
  expect(paths).toBeGreaterThanOrEqual(60);
  expect(reviews).toBeGreaterThan(20);
});
