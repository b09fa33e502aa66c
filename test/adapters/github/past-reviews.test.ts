// What was said on pull requests, as GitHub's own API tells it: each request is checked against
// GitHub's description.
import { Octokit } from "@octokit/rest";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { githubPastReviews } from "../../../src/adapters/github/read/past-reviews.ts";
import { Transient } from "../../../src/domain/errors.ts";
import type { Repo } from "../../../src/domain/job.ts";
import type { PastReviews } from "../../../src/ports/history.ts";
import { mergedPull, people, saidInConversation, saidInReview, saidOnLine } from "../../app/past-reviews.ts";
import type { Pull, Repository } from "../../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../../fakes/github/github.ts";

let world: GitHubWorld;
let shop: Repository;
let pull: Pull;
let root: number;
beforeAll(async () => {
  world = await startGitHub();
  people(world);
  shop = await world.repository("acme", "shop", { files: { "a.txt": "a" } });
  pull = await mergedPull(world, shop, "feat: back up");
  const first = saidOnLine(world, pull, { by: "ines", body: "Give it a list.", isOutdated: true, day: 1 });
  root = first.id;
  saidOnLine(world, pull, { by: "lena", body: "Done", day: 2 }, first);
  saidInConversation(world, pull, { by: "mallory", body: "Nice.", day: 3 });
  saidInReview(world, pull, { by: "ines", body: "One question.", day: 4 });
  saidInReview(world, pull, { by: "ines", body: "", day: 5 });
});
afterEach(() => expect(world.violations).toEqual([]));
afterAll(() => world.close());

function past(): PastReviews {
  const repo: Repo = { host: "github.com", id: shop.id, ownerId: 1, owner: "acme", name: "shop", visibility: "public" };
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const github = new Octokit({ auth: world.personalToken("mona"), baseUrl: world.apiUrl, log: silent });
  return githubPastReviews(github, repo, 0);
}

test("comments have author, place, thread and whether their line is still there; a review without a text says nothing", async () => {
  const items = await past().commentsOn(pull.number);
  expect(items.toSorted((a, b) => a.at - b.at)).toMatchObject([
    {
      id: root,
      place: "line",
      body: "Give it a list.",
      replyTo: null,
      path: "ops/backup.py",
      isOutdated: true,
      sha: pull.baseSha,
      url: `https://github.com/acme/shop/pull/${pull.number}#discussion_r${root}`,
      at: Date.UTC(2026, 2, 2),
    },
    { body: "Done", replyTo: root, pull: pull.number, author: { login: "lena", association: "COLLABORATOR" } },
    { place: "conversation", body: "Nice.", path: null, isOutdated: null, author: { login: "mallory" } },
    { place: "review", body: "One question." },
  ]);
  const onLines = items.filter(({ place }) => place === "line");
  expect(onLines.map(({ hunk }) => hunk?.startsWith("@@"))).toEqual([true, true]);
  expect(await past().commentsOn(99)).toEqual([]);
});

test("open pull requests are distinguished from closed ones", async () => {
  const open = await world.pullRequest(shop, { title: "feat: more", files: { "b.txt": "b" }, announce: false });
  expect(await past().closedPulls(1)).toMatchObject({ items: [{ number: pull.number }], hasNext: false });
  const states = await Promise.all([open.number, pull.number, 99].map((number) => past().isOpen(number)));
  expect(states).toEqual([true, false, false]);
});

test("GitHub is asked who has write access; if it does not answer, that is unknown", async () => {
  const author = (login: string) => ({ id: world.person(login).id, login, isBot: false, association: "NONE" });
  const asked = past();
  expect(await asked.mayWrite(author("ines"))).toBe(true);
  expect(await asked.mayWrite(author("olga"))).toBe(true);
  expect(await asked.mayWrite(author("mallory"))).toBe(false);
  // The login was given to somebody else since.
  expect(await asked.mayWrite({ ...author("ines"), id: 1 })).toBe(false);
  world.fail({
    match: { path: /\/permission$/ },
    status: 403,
    body: { message: "Must have push access to view collaborator permission." },
  });
  expect(await asked.mayWrite(author("ines"))).toBeNull();
  expect(await asked.mayWrite({ ...author("ines"), login: "nobody-of-that-name" })).toBe(false);
});

test("one query returns who resolved threads of many pull requests and which were merged; a refusal affects only that", async () => {
  const files = { "c.txt": "c" };
  const other = await world.pullRequest(shop, { title: "feat: no", author: "mallory", files, announce: false });
  const resolved = saidOnLine(world, other, { by: "ines", body: "Also here." });
  await world.resolve(other, resolved.id, "mallory");
  await world.closePull(other, { announce: false });
  const before = world.requests.length;
  const mallory = { id: world.person("mallory").id, login: "mallory", isBot: false };
  expect(await past().fates([pull.number, other.number])).toEqual({
    pulls: new Map([
      [pull.number, { isMerged: true, author: expect.objectContaining({ login: "mona", isBot: false }) }],
      [other.number, { isMerged: false, author: { ...mallory, association: "FIRST_TIME_CONTRIBUTOR" } }],
    ]),
    resolvedBy: new Map([[resolved.id, { ...mallory, association: "NONE" }]]),
    failed: null,
  });
  expect(world.requests.length - before).toBe(1);
  world.fail({ match: { path: "/graphql" }, status: 403, body: { message: "Resource not accessible by integration" } });
  expect(await past().fates([pull.number])).toEqual({
    pulls: new Map(),
    resolvedBy: new Map(),
    failed: "GitHub does not report who resolved which thread and which pull requests were merged",
  });
});

test("the hour's budget is known from each answer; a list that ends early says so; trouble is worth another try", async () => {
  const asked = past();
  expect(asked.budget()).toEqual({ sent: 0, isEnough: true, until: null });
  const headers = { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "999", "x-ratelimit-reset": "1790000000" };
  world.fail({ match: { path: /\/pulls$/ }, onlyHeaders: true, headers });
  await asked.closedPulls(1);
  expect(asked.budget()).toEqual({ sent: 1, isEnough: false, until: 1_790_000_000_000 });
  world.fail({ match: { path: /\/pulls$/ }, status: 422, body: { message: "pagination is limited" } });
  expect(await asked.closedPulls(400)).toEqual({ items: [], hasNext: false, cut: "GitHub lists no older ones" });
  for (const fault of [{ status: 502 }, { status: 429, retryAfter: 30 }, { drop: true }]) {
    world.fail({ match: { path: /\/pulls\/\d+\/comments$/ }, ...fault });
    await expect(asked.commentsOn(pull.number)).rejects.toBeInstanceOf(Transient);
  }
  world.fail({ match: { path: /\/permission$/ }, status: 403, retryAfter: 30 });
  await expect(asked.mayWrite({ id: 1, login: "ines", isBot: false, association: "NONE" })).rejects.toBeInstanceOf(
    Transient,
  );
});
