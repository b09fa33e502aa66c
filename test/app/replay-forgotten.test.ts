// The result of a replay is deleted with its repository.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openMemoryFile } from "../../src/store/memory/memory-file.ts";
import { storedReplays } from "../../src/store/memory/repositories.ts";
import { openHarness } from "./app-harness.ts";
import { comment, inMemory, remembering } from "./seed-memory.ts";

test("what a replay came to goes with its repository", async () => {
  const harness = await openHarness();
  onTestFinished(() => harness.close());
  const repository = await harness.world.repository("acme", "shop", { files: {} });
  await remembering(harness, [comment(repository, "1")]);
  const db = await openMemoryFile(join(harness.dataDir, "memory.db"));
  const result = { at: Date.now(), pulls: 60, comments: 90, on: 0.05, placebo: null, gain: null, model: "local" };
  await storedReplays(db).save(`github.com/${repository.id}`, result);
  await db.close();
  const kept = () => inMemory(harness, (one) => one.prepare("SELECT count(*) FROM replays").pluck().get() as number);
  expect(kept()).toBe(1);
  await harness.world.deleteRepository(repository);
  await harness.followed(repository);
  expect(kept()).toBe(0);
});
