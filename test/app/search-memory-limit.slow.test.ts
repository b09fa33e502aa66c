// The room for searching that an operator set (KODIAI_SEARCH_MEMORY_MB) is the one that the search has.
import { expect, test } from "vitest";
import { openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { comment, remembering } from "./seed-memory.ts";

test("the memory limit that was set for searching is used", async () => {
  const limit = 300_000_000;
  const harness = await openHarness({ app: { searchMemoryBytes: limit, memory: { patience: { answerMs: 60_000 } } } });
  try {
    const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    await remembering(harness, [comment(repository, "1")]);
    await harness.settled(await harness.world.pullRequest(repository, { title: "Back up", files: { "a.py": BACKUP } }));
    const answer = await fetch(`${harness.adminUrl()}/healthz`);
    expect(await answer.json()).toMatchObject({ memory: { limitBytes: limit } });
    expect(harness.world.violations).toEqual([]);
  } finally {
    await harness.close();
  }
});
