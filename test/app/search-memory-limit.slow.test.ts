// The room for searching that an operator set (KODIAI_SEARCH_MEMORY_MB) is the one that the search
// has.
import { expect, test } from "vitest";
import { openHarness } from "./app-harness.ts";
import { BACKUP, summaryOf } from "./change-builders.ts";
import { comment, remembering, smallTalk } from "./seed-memory.ts";

test("the memory limit that was set for searching is used", async () => {
  // For ten memories.
  const harness = await openHarness({ app: { searchMemoryBytes: 10 * 1_700 } });
  try {
    const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 19)]);
    const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "a.py": BACKUP } });
    await harness.settled(pull);
    expect(summaryOf(harness.world, pull).body).toContain("the newest 10 of 20 memories were searched");
    expect(harness.world.violations).toEqual([]);
  } finally {
    await harness.close();
  }
});
