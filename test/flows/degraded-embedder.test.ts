// The embedding server fails in every way: the review is posted, says so, and words still find what
// was said before.
import { afterAll, beforeAll, expect, test } from "vitest";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { BACKUP } from "../app/change-builders.ts";
import { comment, smallTalk } from "../app/seed-memory.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import { REPO } from "../fakes/pull-requests.ts";
import {
  type Answer,
  hang,
  json,
  type ScriptedServer,
  scriptedServer,
  status,
  text,
} from "../fakes/scripted-server.ts";
import { openReviewFlow, type ReviewFlow } from "./review-flow.ts";

const DIMENSION = 8;
const { id, ownerId, owner, name } = REPO;
const repository = { id, owner, name, private: false, json: { owner: { id: ownerId } } } as unknown as Repository;
const MEMORIES = [comment(repository, "1"), ...smallTalk(repository, 9)].map((record) => ({ record }));

let server: ScriptedServer;
let flow: ReviewFlow;
beforeAll(async () => {
  server = await scriptedServer();
  flow = await openReviewFlow();
});
afterAll(async () => {
  await flow.close();
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

test.each<[string, Answer, string]>([
  ["answers 500", status(500), "the service answered 500"],
  ["hangs past its deadline", hang, "the service did not answer within 400 ms"],
  ["answers a page", text("<!doctype html><title>Login</title>", "text/html"), "something that is not the JSON"],
  ["answers vectors of another dimension", vectors(() => [1, 0, 0]), "a vector has 3 numbers and not 8"],
  ["answers NaN, as JSON cannot say it", vectors(() => [Number.NaN, ...unit().slice(1)]), "not all numbers"],
  ["answers NaN, as Python says it", text('{"data":[{"index":0,"embedding":[NaN,1]}]}'), "not all numbers"],
  ["answers only zeros", vectors(() => unit().map(() => 0)), "a vector is all zero"],
])("the embedding server %s [T28]", async (_what, answer, reason) => {
  server.script(answer);
  const [kind, model] = ["http", "nomic-embed-text"] as const;
  const choice = { kind, baseUrl: server.url, model, dimension: DIMENSION, apiKey: null };
  const limits = { attemptMs: 400, retries: 1, firstWaitMs: 10, breakAfter: 1_000 };
  const embedder = await chosenEmbedder(choice, limits);
  const pull = flow.open({ files: { "ops/backup.py": BACKUP }, memories: MEMORIES });
  expect(await flow.review(pull, { embedder })).toMatchObject({ kind: "posted", notRemembered: null });
  expect(pull.posted.reviews.flatMap(({ comments }) => comments)).toMatchObject([{ path: "ops/backup.py", line: 3 }]);
  const [body] = pull.posted.summaries;
  expect(body).toContain("This review is **incomplete**");
  expect(body).toMatch(new RegExp(`- \`embedding\`: queries could not be embedded: .*${reason}`));
  expect(body).toMatch(/Memory: \d precedents?\./);
});
