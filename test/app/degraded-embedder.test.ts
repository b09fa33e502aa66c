// The embedding server is gone, or knows its dimension late: the review is posted, and the server
// lives. Every other fault: test/flows/degraded-embedder.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Repository } from "../fakes/github/conversation.ts";
import { type Answer, json, type ScriptedServer, scriptedServer } from "../fakes/scripted-server.ts";
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

test("no server listens at the embedding address [000-33][003-24][R12]", async () => {
  const removed = await scriptedServer();
  await removed.close();
  await harness.restart(over(removed.url));
  const { job, body } = await reviewed();
  expect(job).toMatchObject({ state: "done", attempt: 1 });
  expect(body).toMatch(/- `embedding`: .*no connection to the service: ECONNREFUSED/);
  // What was found by the rules is remembered for words to find, and the log says that it has no
  // vector.
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
