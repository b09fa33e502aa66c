// The room for searching that an operator set (KODIAI_SEARCH_MEMORY_MB) is the one that the search has.
import { expect, test } from "vitest";
import { openStage } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { comment, remembering } from "./seed-memory.ts";

test("the memory limit that was set for searching is used", async () => {
  const room = 300_000_000;
  const stage = await openStage({ app: { searchMemoryBytes: room, memory: { patience: { answerMs: 60_000 } } } });
  try {
    const repository = await stage.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    await remembering(stage, [comment(repository, "1")]);
    await stage.settled(await stage.world.pullRequest(repository, { title: "Back up", files: { "a.py": BACKUP } }));
    const answer = await fetch(`${stage.adminUrl()}/healthz`);
    expect(await answer.json()).toMatchObject({ memory: { limitBytes: room } });
    expect(stage.world.violations).toEqual([]);
  } finally {
    await stage.close();
  }
});
