// Who the fake GitHub lets in: app.yml is proved sufficient by what works and least by what does
// not.
import { generateKeyPairSync } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { octokit, status } from "./driver.ts";
import { type GitHubWorld, startGitHub } from "./github.ts";
import { readManifest } from "./manifest.ts";

describe("the entry module", () => {
  let world: GitHubWorld | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  async function small(options: Parameters<typeof startGitHub>[0] = {}) {
    const made = await startGitHub(options);
    world = made;
    const repository = await made.repository("acme", "ledger", { files: { "a.ts": "export {};\n" }, private: true });
    const pull = await made.pullRequest(repository, { title: "fix: it", files: { "a.ts": "export {};\neval(x);\n" } });
    return { world: made, repository, pull, at: { owner: "acme", repo: "ledger", pull_number: pull.number } };
  }

  test("turns away unknown, missing and revoked tokens, and foreign keys", async () => {
    const { world: here, at } = await small();
    expect(await status(octokit(here, "ghs_unknown").rest.pulls.get(at))).toBe(401);
    expect((await fetch(`${here.apiUrl}/repos/acme/ledger`)).status).toBe(401);
    // With a bare token, because the authentication plugin waits when a token made a moment ago is
    // refused.
    const { token } = (await octokit(here).auth({ type: "installation" })) as { token: string };
    const kodiai = octokit(here, token);
    expect(await status(kodiai.rest.pulls.get(at))).toBe(200);
    here.revokeTokens();
    expect(await status(kodiai.rest.pulls.get(at))).toBe(401);
    const forged = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const privateKey = forged.privateKey.export({ type: "pkcs1", format: "pem" });
    expect(await status(octokit(here, { privateKey, installationId: 1001 }).rest.pulls.get(at))).toBe(401);
  });

  test("grants what app.yml asks for and nothing more", async () => {
    const { world: here, at, pull } = await small();
    const kodiai = octokit(here);
    const content = Buffer.from("x").toString("base64");
    const file = { owner: "acme", repo: "ledger", path: "b.ts", message: "m", content };
    expect(await status(kodiai.rest.repos.createOrUpdateFileContents(file))).toBe(403);
    expect(await status(kodiai.rest.pulls.merge(at))).toBe(403);
    expect(await status(kodiai.rest.checks.create({ ...at, name: "kodiai", head_sha: pull.headSha }))).toBe(201);
    const comment = { owner: "acme", repo: "ledger", issue_number: pull.number, body: "summary" };
    expect(await status(kodiai.rest.issues.createComment(comment))).toBe(201);
    expect(readManifest().permissions).toEqual({
      checks: "write",
      contents: "read",
      issues: "read",
      merge_queues: "read",
      metadata: "read",
      pull_requests: "write",
    });
  });

  test("keeps a narrow token narrow: one repository, one permission", async () => {
    const { world: here, at } = await small();
    await here.repository("acme", ".github", { files: { ".kodiai.yml": "review: {}\n" }, private: true });
    const kodiai = octokit(here);
    const narrow = { type: "installation", repositoryNames: [".github"], permissions: { contents: "read" } };
    const { token } = (await kodiai.auth(narrow)) as { token: string };
    const reader = octokit(here, token);
    const file = { owner: "acme", repo: ".github", path: ".kodiai.yml" };
    expect(await status(reader.rest.repos.getContent(file))).toBe(200);
    expect(await status(reader.rest.pulls.list({ owner: "acme", repo: ".github" }))).toBe(403);
    expect(await status(reader.rest.pulls.get(at))).toBe(404);
  });

  test("lets a person's token read and never write", async () => {
    const { world: here, at } = await small();
    const person = octokit(here, here.personalToken("mona"));
    expect(await status(person.rest.pulls.get(at))).toBe(200);
    expect(await status(person.rest.pulls.createReview({ ...at, event: "COMMENT", body: "x" }))).toBe(403);
  });

  test("two worlds of one process know nothing of each other", async () => {
    const { world: here, at } = await small();
    const other = await startGitHub();
    try {
      const { token } = (await octokit(here).auth({ type: "installation" })) as { token: string };
      expect(await status(octokit(here, token).rest.pulls.get(at))).toBe(200);
      expect(await status(octokit(other, token).rest.pulls.get(at))).toBe(401);
      expect([other.requests.length, other.violations.length]).toEqual([1, 0]);
    } finally {
      await other.close();
    }
  });

  test("a manifest without a permission shows which one is missing", async () => {
    const permissions = { contents: "read", metadata: "read", pull_requests: "read" } as const;
    const { world: here, at } = await small({ manifest: { ...readManifest(), permissions } });
    expect(await status(octokit(here).rest.pulls.createReview({ ...at, event: "COMMENT", body: "x" }))).toBe(403);
  });
});
