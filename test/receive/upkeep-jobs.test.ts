// Payloads are cut down from those that GitHub sent (octokit/webhooks, MIT).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { receive } from "../../src/receive/receive.ts";

const RECEPTION = { host: "github.com", reviewerLogin: null };
const REPOSITORY = {
  id: 186853002,
  name: "Hello-World",
  full_name: "Codertocat/Hello-World",
  private: false,
  visibility: "public",
  owner: { name: "Codertocat", login: "Codertocat", id: 21031067, type: "User" },
  default_branch: "master",
  master_branch: "master",
};
const REPO = {
  host: "github.com",
  id: 186853002,
  ownerId: 21031067,
  owner: "Codertocat",
  name: "Hello-World",
  visibility: "public",
};
const PUSH = {
  ref: "refs/heads/master",
  before: "0000000000000000000000000000000000000000",
  after: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
  repository: REPOSITORY,
  pusher: { name: "Codertocat", email: "21031067+Codertocat@users.noreply.github.com" },
  installation: { id: 957387, node_id: "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMQ==" },
  created: true,
  deleted: false,
  forced: false,
};
const ACCOUNT = { id: 957387, account: { login: "Codertocat", id: 21031067, type: "User" } };

const read = (event: string, payload: unknown) => receive({ id: "d-1", event, payload }, RECEPTION).outcome;

describe("a push", () => {
  test("to the default branch has it indexed, by any pusher [003-45]", () => {
    expect(read("push", { ...PUSH, sender: { login: "renovate[bot]", id: 29139614, type: "Bot" } })).toEqual({
      kind: "upkeep",
      delivery: "d-1",
      jobs: [
        {
          kind: "index",
          trigger: "push",
          key: "github.com/186853002:index",
          delivery: "d-1",
          installationId: 957387,
          repo: REPO,
          after: null,
        },
      ],
    });
  });

  test.each([
    ["a tag", { ref: "refs/tags/simple-tag" }, "a tag was pushed"],
    ["a tag called like the branch", { ref: "refs/tags/master" }, "a tag was pushed"],
    ["another branch", { ref: "refs/heads/changes" }, "the push is not to the default branch"],
    ["a branch whose name ends like it", { ref: "refs/heads/old/master" }, "the push is not to the default branch"],
    ["the deletion of the branch", { deleted: true, after: "0".repeat(40) }, "the branch was deleted"],
  ])("of %s is ignored with its reason", (_name, change, reason) => {
    expect(read("push", { ...PUSH, ...change })).toEqual({ kind: "ignored", delivery: "d-1", reason });
  });

  test("that lacks a part names it", () => {
    expect(read("push", { ...PUSH, installation: undefined })).toMatchObject({
      reason: expect.stringMatching(/^malformed payload: installation/),
    });
  });
});

describe("a repository", () => {
  const event = (action: string, more: object = {}) =>
    read("repository", { action, repository: REPOSITORY, installation: { id: 1 }, ...more });

  test.each(["renamed", "transferred", "privatized", "publicized"])("that was %s gets its label again", (action) => {
    expect(event(action)).toMatchObject({
      jobs: [{ kind: "label", key: "github.com/186853002:label", trigger: action }],
    });
  });

  test("that was made private is private, though another field still says otherwise", () => {
    expect(event("privatized", { repository: { ...REPOSITORY, private: true } })).toMatchObject({
      jobs: [{ repo: { visibility: "private" } }],
    });
    expect(event("privatized", { repository: { ...REPOSITORY, private: true, visibility: "internal" } })).toMatchObject(
      {
        jobs: [{ repo: { visibility: "internal" } }],
      },
    );
  });

  test("that was deleted is forgotten; with another default branch it is indexed again; other events ask nothing", () => {
    expect(event("deleted")).toMatchObject({ jobs: [{ kind: "forget", trigger: "deleted" }] });
    expect(event("edited", { changes: { default_branch: { from: "main" } } })).toMatchObject({
      jobs: [{ kind: "index", trigger: "default-branch" }],
    });
    expect(event("edited", { changes: { description: { from: "x" } } })).toMatchObject({
      reason: 'action "edited" of a repository is not handled',
    });
  });
});

describe("an installation", () => {
  const LISTED = [
    { id: 186853002, node_id: "x", name: "Hello-World", full_name: "Codertocat/Hello-World", private: false },
    { id: 186853007, node_id: "y", name: "Space", full_name: "Codertocat/Space", private: true },
  ];
  const jobsOf = (event: string, payload: object) => {
    const read_ = read(event, { installation: ACCOUNT, ...payload });
    if (read_.kind !== "upkeep") throw new Error(JSON.stringify(read_));
    return read_.jobs.map(
      ({ kind, trigger, repo }) => `${kind} ${trigger} ${repo.owner}/${repo.name} ${repo.visibility}`,
    );
  };

  test("has each of its repositories indexed and its past imported when it comes or is switched on again, and forgotten when it goes", () => {
    expect(jobsOf("installation", { action: "created", repositories: LISTED })).toEqual([
      "index installed Codertocat/Hello-World public",
      "index installed Codertocat/Space private",
      "history installed Codertocat/Hello-World public",
      "history installed Codertocat/Space private",
    ]);
    const again = jobsOf("installation", { action: "unsuspend", repositories: LISTED });
    expect(again).toEqual(jobsOf("installation", { action: "created", repositories: LISTED }));
    expect(jobsOf("installation", { action: "deleted", repositories: LISTED })).toHaveLength(2);
    const lists = { repositories_added: LISTED.slice(0, 1), repositories_removed: LISTED.slice(1) };
    expect(jobsOf("installation_repositories", { action: "added", ...lists })).toEqual([
      "index installed Codertocat/Hello-World public",
      "history installed Codertocat/Hello-World public",
    ]);
    expect(jobsOf("installation_repositories", { action: "removed", ...lists })).toEqual([
      "forget removed Codertocat/Space private",
    ]);
  });

  test("without repositories, or suspended, asks nothing of us", () => {
    expect(read("installation", { action: "created", installation: ACCOUNT, repositories: [] })).toMatchObject({
      reason: "it names no repository",
    });
    expect(read("installation", { action: "suspend", installation: ACCOUNT })).toMatchObject({
      reason: 'action "suspend" of an installation is not handled',
    });
  });
});

test("any JSON is answered without a throw", () => {
  const events = fc.constantFrom("push", "repository", "installation", "installation_repositories");
  fc.assert(
    fc.property(events, fc.jsonValue(), (event, payload) => {
      expect(read(event, payload).kind).toBe("ignored");
    }),
  );
});
