// The embedding server fails in every way: the review is posted, says so, and words still find what was said before.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Repository } from "../fakes/github/conversation.ts";
import {
  type Answer,
  hang,
  json,
  type ScriptedServer,
  scriptedServer,
  status,
  text,
} from "../fakes/scripted-server.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { comment, remembering, smallTalk } from "./seed-memory.ts";

const DIMENSION = 8;

let server: ScriptedServer;
let harness: Harness;
let repository: Repository;

const over = (baseUrl: string, dimension: number | null = DIMENSION) => ({
  embeddings: { kind: "http", baseUrl, model: "nomic-embed-text", dimension, apiKey: null } as const,
  embeddingLimits: { attemptMs: 400, retries: 1, firstWaitMs: 10, breakAfter: 1_000 },
  // A machine that is busy with other tests is no failure of these.
  memory: { patience: { answerMs: 60_000 } },
});

beforeAll(async () => {
  server = await scriptedServer();
  harness = await openHarness({ app: over(server.url) });
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  server.script(vectors(unit));
  await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 9)]);
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(async () => {
  await harness.close();
  await server.close();
});

/** A vector for each text that is asked for. */
function vectors(of: (index: number) => readonly unknown[]): Answer {
  return (response, request) =>
    json({ data: (request.body.input as string[]).map((_, index) => ({ index, embedding: of(index) })) })(
      response,
      request,
    );
}

function unit(): readonly number[] {
  return [1, 0, 0, 0, 0, 0, 0, 0];
}

async function reviewed() {
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  const job = await harness.settled(pull);
  expect(said(harness.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  return { job, body: summaryOf(harness.world, pull).body };
}

test.each<[string, Answer, string]>([
  ["answers 500", status(500), "the service answered 500"],
  ["hangs past its deadline", hang, "the service did not answer within 400 ms"],
  ["answers a page", text("<!doctype html><title>Login</title>", "text/html"), "something that is not the JSON"],
  ["answers vectors of another dimension", vectors(() => [1, 0, 0]), "a vector has 3 numbers and not 8"],
  [
    "answers NaN, as JSON cannot say it",
    vectors(() => [Number.NaN, ...unit().slice(1)]),
    "embedding.0: expected number",
  ],
  ["answers NaN, as Python says it", text('{"data":[{"index":0,"embedding":[NaN,1]}]}'), "that is not the JSON"],
  ["answers only zeros", vectors(() => unit().map(() => 0)), "a vector is all zero"],
])("the embedding server %s [T28]", async (_what, answer, reason) => {
  server.script(answer);
  const { job, body } = await reviewed();
  expect(job).toMatchObject({ state: "done", attempt: 1, outcome: expect.not.stringContaining("not remembered") });
  expect(body).toContain("This review is **incomplete**");
  expect(body).toMatch(new RegExp(`- \`embedding\`: queries could not be embedded: .*${reason}`));
  expect(body).toMatch(/Memory: \d precedents?\./);
});

test("no server listens at the embedding address [000-33][003-24][R12]", async () => {
  const removed = await scriptedServer();
  await removed.close();
  await harness.restart(over(removed.url));
  const { job, body } = await reviewed();
  expect(job).toMatchObject({ state: "done", attempt: 1 });
  expect(body).toMatch(/- `embedding`: .*no connection to the service \(ECONNREFUSED\)/);
  // What was found by the rules is remembered for words to find, and the log says that it has no vector.
  expect(harness.log.join("")).toMatch(/"stage":"remember".*has no vector/);
});

test("a server that reveals its dimension only in its first response is accepted, also if that response is for storing", async () => {
  server.script(vectors(unit));
  await harness.restart(over(server.url, null));
  const fresh = await harness.world.repository("acme", "fresh", { files: { "README.md": "# Fresh\n" } });
  const pull = await harness.world.pullRequest(fresh, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  expect(summaryOf(harness.world, pull).body).toContain("Remembered so far: nothing yet.");
  const next = await harness.world.pullRequest(fresh, { title: "Back up", files: { "ops/restore.py": BACKUP } });
  await harness.settled(next);
  expect(summaryOf(harness.world, next).body).not.toContain("incomplete");
  expect(summaryOf(harness.world, next).body).toContain("Memory: 1 precedent.");
});
