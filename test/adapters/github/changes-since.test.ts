import { Octokit } from "@octokit/rest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changesSince } from "../../../src/adapters/github/read/list-changes.ts";
import type { Repo } from "../../../src/domain/job.ts";
import type { Pull, Repository } from "../../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../../fakes/github/github.ts";
import { aPull } from "../../fakes/pull-requests.ts";

let world: GitHubWorld;
let repository: Repository;
let pull: Pull;
beforeEach(async () => {
  world = await startGitHub();
  repository = await world.repository("acme", "player", {
    files: { "README.md": "# Player\n", "old.ts": "a\nb\nc\n" },
  });
  pull = await world.pullRequest(repository, {
    title: "feat: play",
    files: { "play.ts": "one\ntwo\n" },
    announce: false,
  });
});
afterEach(() => world.close());

const silently = { announce: false };

/** What changed since the pull request stood at these two commits. */
function since(earlier: { readonly headSha: string; readonly baseSha: string }) {
  const github = new Octokit({ auth: world.personalToken("mona"), baseUrl: world.apiUrl, log: quiet });
  const { id, owner, name } = repository;
  const repo: Repo = { host: "github.com", id, ownerId: 77, owner, name, visibility: "public" };
  const { baseRef, baseSha, headRef, headSha } = pull;
  const now = aPull({ base: { ref: baseRef, sha: baseSha }, head: { ref: headRef, sha: headSha, repo: null } });
  return changesSince(github, repo, now, earlier);
}
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const stand = () => ({ headSha: pull.headSha, baseSha: pull.baseSha });

test("commits on top are listed as the files that they changed, a renamed one with its old name", async () => {
  const before = stand();
  await world.push(pull, { "play.ts": "one\n2\n" }, silently);
  await world.rename(pull, "old.ts", "new.ts", silently);
  expect(await since(before)).toMatchObject({
    kind: "since",
    changes: {
      kind: "listing",
      total: 2,
      files: [
        { path: "new.ts", previousPath: "old.ts", status: "renamed", patch: null },
        { path: "play.ts", previousPath: null, status: "modified", patch: expect.stringContaining("-two\n+2") },
      ],
    },
  });
  expect(await since(stand())).toMatchObject({ kind: "since", changes: { total: 0 } });
});

test("a base that went on is no matter while the branch starts where it started", async () => {
  const before = stand();
  pull.baseSha = await world.commit(repository, { "CHANGELOG.md": "- More\n" });
  await world.push(pull, { "play.ts": "one\n2\n" }, silently);
  expect(await since(before)).toMatchObject({ kind: "since", changes: { total: 1 } });
});

test("a rewritten branch, another base and a removed head are named", async () => {
  const before = stand();
  await world.forcePush(pull, { "play.ts": "one\n" }, silently);
  expect(await since(before)).toEqual({ kind: "unknown", reason: "the branch was rewritten since the last review" });
  expect(await since({ ...before, headSha: "1".repeat(40) })).toEqual({
    kind: "unknown",
    reason: "the head of the last review no longer exists",
  });
  const now = stand();
  pull.baseSha = pull.headSha;
  expect(await since(now)).toEqual({
    kind: "unknown",
    reason: "the branch starts from another commit of its base than at the last review",
  });
});

test("more files than a comparison lists are too many", async () => {
  const before = stand();
  const many = Array.from({ length: 300 }, (_, at) => [`src/${at}.ts`, `export const n = ${at};\n`] as const);
  await world.push(pull, Object.fromEntries(many), silently);
  expect(await since(before)).toEqual({ kind: "unknown", reason: "too many files changed since the last review" });
});
