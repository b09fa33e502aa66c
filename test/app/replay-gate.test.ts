// A replay that did not show that memory helps keeps it out of reviews, and the review says so.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReplayResult } from "../../src/domain/figures/replay.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { openMemoryFile } from "../../src/store/memory/memory-file.ts";
import { storedReplays } from "../../src/store/memory/repositories.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { ALWAYS, summaryOf } from "./change-builders.ts";
import { comment, inMemory, remembering, smallTalk } from "./seed-memory.ts";

let harness: Harness;
const retrieved: Precedents[] = [];
beforeAll(async () => {
  const onStep = (_: unknown, stage: string, value: unknown) => {
    if (stage === "retrieve") retrieved.push(value as Precedents);
  };
  harness = await openHarness({ app: { onStep } });
});
afterAll(() => harness.close());

async function replayed(repository: Repository, over: Partial<ReplayResult> = {}): Promise<void> {
  const db = await openMemoryFile(join(harness.dataDir, "memory.db"));
  const { model } = (await chosenEmbedder({ kind: "local" })).space;
  const gain = { mean: 0.01, low: -0.02, high: 0.04 };
  const result = { at: Date.now() - 1000, pulls: 60, comments: 90, on: 0.05, placebo: 0.04, gain, model, ...over };
  await storedReplays(db).save(`github.com/${repository.id}`, result);
  await db.close();
}

async function reviewed(repository: Repository, path = "src/player.py"): Promise<string> {
  const pull = await harness.world.pullRequest(repository, {
    title: `feat: play ${path}`,
    files: { [path]: "def play(name):\n    return open_stream(name)\n" },
  });
  await harness.settled(pull);
  return summaryOf(harness.world, pull).body;
}

async function shop(name: string, config = ""): Promise<Repository> {
  const repository = await harness.world.repository("acme", name, {
    files: { ".kodiai.yml": `${ALWAYS[".kodiai.yml"]}${config}` },
  });
  await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 9)]);
  return repository;
}

test("memory stays out, the footer says why, and a newer replay lets it in again [005-03]", async () => {
  const repository = await shop("shop");
  await replayed(repository);
  expect(await reviewed(repository)).toMatch(
    /Memory: not searched, a replay on \d{4}-\d\d-\d\d over 60 pull requests did not show that memory helps here/,
  );
  expect(retrieved.at(-1)?.gate).toMatchObject({ retrieve: false, decidedBy: "no-gain" });
  await replayed(repository, { gain: { mean: 0.2, low: 0.1, high: 0.3 } });
  expect(await reviewed(repository, "src/other.py")).not.toContain("not searched");
});

test.each([
  ["too few pull requests", { pulls: 49 }, undefined],
  ["a result of last month", { at: Date.now() - 31 * 86_400_000 }, undefined],
  ["a configuration that does not want it", {}, "knowledge: {retrieval: {gate: {replay: false}}}\n"],
])("%s change nothing", async (name, over, config) => {
  const repository = await shop(name.replaceAll(" ", "-"), config);
  await replayed(repository, over);
  expect(await reviewed(repository)).not.toContain("not searched");
});

test("memory is still searched for risky changes", async () => {
  const repository = await shop("risky");
  await replayed(repository);
  expect(await reviewed(repository, "src/auth/login.py")).not.toContain("not searched");
});

test("what a replay came to goes with its repository", async () => {
  const repository = await shop("gone");
  await replayed(repository);
  const kept = () => inMemory(harness, (db) => db.prepare("SELECT count(*) FROM replays").pluck().get() as number);
  const before = kept();
  await harness.world.deleteRepository(repository);
  await harness.followed(repository);
  expect(kept()).toBe(before - 1);
});
