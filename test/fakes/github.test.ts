// The fake GitHub is what the end-to-end tests rest on, so it is tested like a product: by a client
// that behaves as the app does, with installation tokens, against every answer that GitHub would
// give.
import type { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pull, Repository } from "./github/conversation.ts";
import { octokit, refused, status } from "./github/driver.ts";
import { type GitHubWorld, startGitHub } from "./github/github.ts";

const LOGIN_PY = ["import sqlite3", "", "", "def find(db, name):", "    return db.execute('select 1')", ""].join("\n");
const LONG = Array.from({ length: 40 }, (_, index) => `line_${index + 1} = ${index + 1}`);

describe("a pull request on the fake GitHub", () => {
  let world: GitHubWorld;
  let repository: Repository;
  let pull: Pull;
  let kodiai: Octokit;
  let at: { owner: string; repo: string; pull_number: number };

  beforeAll(async () => {
    world = await startGitHub();
    repository = await world.repository("acme", "ledger", {
      files: { "app/login.py": LOGIN_PY, "long.py": `${LONG.join("\n")}\n`, "docs/old.md": "# Ledger\n" },
    });
    const changed = LONG.with(1, "line_2 = 'two'").with(35, "line_36 = 'thirty-six'");
    pull = await world.pullRequest(repository, {
      title: "feat(auth): look people up by name",
      author: "mona",
      files: {
        "app/login.py": LOGIN_PY.replace("'select 1'", 'f"select * from people where name = {name}"'),
        "long.py": `${changed.join("\n")}\n`,
        "docs/old.md": null,
        "docs/new file é.md": "# Ledger\n",
        "logo.png": new Uint8Array([137, 80, 78, 71, 0, 1, 2, 0]),
      },
    });
    kodiai = octokit(world);
    at = { owner: "acme", repo: "ledger", pull_number: pull.number };
  });
  afterAll(() => world.close());

  test("its files are the real ones, with patches, a rename and a binary file without patch", async () => {
    const { data } = await kodiai.rest.pulls.listFiles(at);
    expect(
      data.map(({ filename, status: how, additions, deletions }) => [filename, how, additions, deletions]),
    ).toEqual([
      ["app/login.py", "modified", 1, 1],
      ["docs/new file é.md", "renamed", 0, 0],
      ["logo.png", "added", 0, 0],
      ["long.py", "modified", 2, 2],
    ]);
    expect(data[0]?.patch).toContain('+    return db.execute(f"select * from people');
    expect(data[2]?.patch).toBeUndefined();
    expect(data[1]?.previous_filename).toBe("docs/old.md");
  });

  test("it counts what it changes, and its diff comes by media type", async () => {
    const { data } = await kodiai.rest.pulls.get(at);
    expect([data.changed_files, data.additions, data.commits, data.user.login]).toEqual([4, 3, 1, "mona"]);
    const diff = await kodiai.rest.pulls.get({ ...at, mediaType: { format: "diff" } });
    const text = String(diff.data);
    expect(text).toContain("diff --git a/app/login.py b/app/login.py\n--- a/app/login.py\n+++ b/app/login.py\n@@ ");
    expect(text).toContain("rename from docs/old.md\nrename to docs/new file é.md");
    expect(text).toContain("Binary files");
    expect((await kodiai.rest.pulls.listCommits(at)).data.map((commit) => commit.sha)).toEqual([pull.headSha]);
  });

  test("a review is posted on the lines it names, and is listed back with them", async () => {
    const comments = [
      { path: "app/login.py", line: 5, side: "RIGHT", body: "SQL from strings" },
      { path: "app/login.py", line: 5, side: "LEFT", body: "was fine" },
      { path: "long.py", start_line: 1, start_side: "RIGHT", line: 3, side: "RIGHT", body: "three lines" },
    ] as const;
    const { data } = await kodiai.rest.pulls.createReview({
      ...at,
      commit_id: pull.headSha,
      event: "COMMENT",
      body: "Three findings",
      comments: [...comments],
    });
    expect([data.state, data.user?.login, data.html_url]).toEqual([
      "COMMENTED",
      "kodiai[bot]",
      `https://github.com/acme/ledger/pull/${pull.number}#pullrequestreview-${data.id}`,
    ]);
    const listed = await kodiai.rest.pulls.listReviewComments(at);
    expect(listed.data.map(({ path, line, side, start_line }) => [path, line, side, start_line])).toEqual([
      ["app/login.py", 5, "RIGHT", null],
      ["app/login.py", 5, "LEFT", null],
      ["long.py", 3, "RIGHT", 1],
    ]);
    expect(listed.data[0]?.diff_hunk.split("\n").at(-1)).toContain("select * from people");
    expect(world.comments(pull).inline[2]).toMatchObject({ startLine: 1, line: 3, commitId: pull.headSha });
  });

  test.each([
    ["a line outside the diff", { path: "long.py", line: 20 }, "Line could not be resolved"],
    ["a line of the other side only", { path: "docs/new file é.md", line: 1 }, "Line could not be resolved"],
    ["a path outside the diff", { path: "constructor", line: 1 }, "Path could not be resolved"],
    [
      "a start in another hunk",
      { path: "long.py", start_line: 2, line: 36 },
      "Start line must be part of the same hunk",
    ],
    ["a start behind the end", { path: "long.py", start_line: 4, line: 2 }, "Start line must precede the end line"],
  ])("%s refuses the whole review, and nothing is kept", async (_name, wrong, reason) => {
    const before = structuredClone([world.comments(pull).inline.length, world.comments(pull).reviews.length]);
    const good = { path: "app/login.py", line: 5, side: "RIGHT", body: "kept?" } as const;
    const bad = { side: "RIGHT", body: "nowhere", ...wrong } as const;
    const request = kodiai.rest.pulls.createReview({ ...at, event: "COMMENT", comments: [good, bad] });
    const { status: code, errors } = await refused(request);
    expect([code, JSON.stringify(errors)]).toEqual([422, expect.stringContaining(reason)]);
    expect([world.comments(pull).inline.length, world.comments(pull).reviews.length]).toEqual(before);
  });

  test("a foreign commit, a body over GitHub's limit and an empty review are refused", async () => {
    const review = { ...at, event: "COMMENT", body: "text" } as const;
    expect(await status(kodiai.rest.pulls.createReview({ ...review, commit_id: "0".repeat(40) }))).toBe(422);
    expect(await status(kodiai.rest.pulls.createReview({ ...review, body: "é".repeat(65_537) }))).toBe(422);
    expect(await status(kodiai.rest.pulls.createReview({ ...review, body: "é".repeat(65_536) }))).toBe(200);
    expect(await status(kodiai.rest.pulls.createReview({ ...review, body: "" }))).toBe(422);
  });

  test("a person has one pending review at most, no one else sees it, and it can be deleted", async () => {
    const visible = world.comments(pull).reviews.length;
    const comments = [{ path: "app/login.py", line: 5, side: "RIGHT", body: "later" }];
    const { data } = await kodiai.rest.pulls.createReview({ ...at, comments });
    expect(await status(kodiai.rest.pulls.createReview({ ...at, event: "COMMENT", body: "now" }))).toBe(422);
    expect(world.comments(pull).reviews.length).toBe(visible);
    await kodiai.rest.pulls.deletePendingReview({ ...at, review_id: data.id });
    expect(await status(kodiai.rest.pulls.createReview({ ...at, event: "COMMENT", body: "now" }))).toBe(200);
  });

  test("a file takes a comment as a whole, a thread takes replies, and both take reactions", async () => {
    const file = { ...at, commit_id: pull.headSha, path: "logo.png", subject_type: "file" } as const;
    const { data } = await kodiai.rest.pulls.createReviewComment({ ...file, body: "why a picture?" });
    expect([data.subject_type, data.line ?? null, data.path]).toEqual(["file", null, "logo.png"]);
    expect(await status(kodiai.rest.pulls.createReviewComment({ ...file, path: "gone.png", body: "x" }))).toBe(422);
    const reply = { ...at, comment_id: data.id, body: "because" };
    const first = await kodiai.rest.pulls.createReplyForReviewComment(reply);
    const second = await kodiai.rest.pulls.createReplyForReviewComment({ ...reply, comment_id: first.data.id });
    expect(second.data.in_reply_to_id).toBe(data.id);
    const reaction = { owner: "acme", repo: "ledger", comment_id: data.id, content: "eyes" } as const;
    expect(await status(kodiai.rest.reactions.createForPullRequestReviewComment(reaction))).toBe(201);
    expect(world.comments(pull).file[0]).toMatchObject({ path: "logo.png", author: "kodiai[bot]" });
  });

  test("the summary is edited in place", async () => {
    const talk = { owner: "acme", repo: "ledger", issue_number: pull.number };
    const { data } = await kodiai.rest.issues.createComment({ ...talk, body: "<!-- kodiai --> first" });
    await kodiai.rest.issues.updateComment({ owner: "acme", repo: "ledger", comment_id: data.id, body: "second" });
    expect(world.comments(pull).summary).toMatchObject([{ id: data.id, body: "second", editedTimes: 1 }]);
    expect((await kodiai.rest.issues.listComments(talk)).data[0]?.user?.type).toBe("Bot");
  });

  test("contents come as JSON and raw, people with their permission and merged pull requests", async () => {
    const file = { owner: "acme", repo: "ledger", path: "docs/new file é.md", ref: pull.headSha };
    const { data } = await kodiai.rest.repos.getContent({ ...file, mediaType: { format: "raw" } });
    expect(data).toBe("# Ledger\n");
    world.person("mona", { permission: "write", mergedPullRequests: 12 });
    const who = { owner: "acme", repo: "ledger", username: "mona" };
    expect((await kodiai.rest.repos.getCollaboratorPermissionLevel(who)).data.permission).toBe("write");
    const q = "repo:acme/ledger is:pr is:merged author:mona";
    expect((await kodiai.rest.search.issuesAndPullRequests({ q })).data.total_count).toBe(12);
    expect(await status(kodiai.rest.search.issuesAndPullRequests({ q: "is:merged author:nobody-at-all" }))).toBe(422);
    const app = octokit(world, {});
    expect((await kodiai.rest.repos.get({ owner: "acme", repo: "ledger" })).data.default_branch).toBe("main");
    expect((await app.rest.apps.getAuthenticated()).data?.slug).toBe("kodiai");
  });

  test("everything above kept to GitHub's description, questions and answers", () => {
    // GitHub's description says that a line is a number; for a comment on a whole file its answer
    // says null.
    const known = /comments.* answers 201: \/line must be integer; \/original_line must be integer$/;
    expect(world.unfaithful.filter((difference) => !known.test(difference))).toEqual([]);
    expect(world.violations).toEqual([]);
    expect(world.requests.length).toBeGreaterThan(30);
  });
});
