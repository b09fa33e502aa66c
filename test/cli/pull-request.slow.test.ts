// kodiai review URL: reads a pull request with a person's token, and posts nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMemoryFile, reclaimFile } from "../../src/store/memory/memory-file.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { memoryRecord } from "../adapters/contracts/memory.ts";
import { BACKUP, BALANCE, writes } from "../app/change-builders.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { ReviewJson } from "./contract.ts";
import { kodiai } from "./kodiai.ts";

let world: GitHubWorld;
let pull: Pull;
let env: Record<string, string>;
beforeAll(async () => {
  world = await startGitHub();
  const files = { ".kodiai.yml": "rules: {tls-verify-disabled: off}\n" };
  const repository = await world.repository("acme", "shop", { files, private: true });
  const change = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  pull = await world.pullRequest(repository, { title: "feat(ops): back up", files: change });
  await world.closePull(pull, { merged: true });
  env = { GITHUB_TOKEN: world.personalToken("lena"), GITHUB_API_URL: `${world.apiUrl}/` };
});
afterAll(() => world.close());

const run = (words: readonly string[], over: Record<string, string> = {}) =>
  kodiai(words, { cwd: "/", env: { ...env, ...over } });

test("a pull request is reviewed by its own configuration, also after it was merged, and nothing is written", async () => {
  const { code, out, err } = await run(["review", "https://github.com/acme/shop/pull/1/files", "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { findings, degraded } = ReviewJson.parse(JSON.parse(out));
  expect(findings.map(({ path, line, rule }) => `${path}:${line} ${rule}`)).toEqual([
    "ops/backup.py:3 shell-from-strings",
  ]);
  expect(degraded).toEqual([]);
  expect(writes(world)).toEqual([]);
  expect(world.violations).toEqual([]);
});

test("a pull request that is not there, or that the token may not read, is said so", async () => {
  const [absent, refused] = await Promise.all([
    run(["review", "https://github.com/acme/shop/pull/99"]),
    run(["review", "https://github.com/acme/shop/pull/1"], { GITHUB_TOKEN: "ghp_nobody" }),
  ]);
  expect(absent).toMatchObject({
    code: 3,
    err: expect.stringContaining("there is no such pull request, or GITHUB_TOKEN"),
  });
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("GitHub does not take this GITHUB_TOKEN") });
});

test("the token of one GitHub is not sent to another", async () => {
  const before = world.requests.length;
  const elsewhere = await run(["review", "https://github.com/acme/shop/pull/1"], {
    GITHUB_SERVER_URL: "https://github.example.com",
    // Whoever is asked in spite of it is nobody: no test reaches the network.
    HTTPS_PROXY: "http://127.0.0.1:9",
  });
  expect(elsewhere.code).toBe(3);
  expect(world.requests).toHaveLength(before);
  const plain = await run(["review", "https://github.com/acme/shop/pull/1"], {
    GITHUB_API_URL: "http://github.example.com",
  });
  expect(plain).toMatchObject({ code: 2, err: expect.stringContaining("GITHUB_API_URL must begin with https://") });
});

test("what the data folder remembers of that repository is searched, and of another repository nothing is found", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-pull-"));
  const words = ["review", "https://github.com/acme/shop/pull/1", "--json", "--data-dir", dataDir];
  const precedents = async () => ReviewJson.parse(JSON.parse((await run(words)).out)).memory.precedents;
  const remember = async (id: string, repoId: number) => {
    const embedder = await chosenEmbedder({ kind: "local" });
    const text = "feat(ops): back up: shell=True in ops/backup.py lets a name run commands; pass a list";
    const { vectors } = await embedder.embed([text], "document");
    const db = await openMemoryFile(join(dataDir, "memory.db"));
    const repo = `github.com/${repoId}`;
    const record = memoryRecord({ id, repo, text, path: "ops/backup.py", language: "python" });
    await storedMemory(db, () => reclaimFile(db)).remember([{ record, vector: vectors[0] ?? null }], embedder.space);
    await db.close();
  };
  try {
    expect(await precedents()).toEqual([]);
    await remember("mem_00000000000a", pull.repository.id + 1);
    expect(await precedents()).toEqual([]);
    await remember("mem_00000000000b", pull.repository.id);
    expect(await precedents()).toMatchObject([{ id: "mem_00000000000b" }]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
