// Who may command: every kind of person and access is in test/flows/command-rights.test.ts.
import { expect, test } from "vitest";
import { openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { answered, reactions } from "./conversation-helpers.ts";

test("maintain and triage access are what GitHub's role says, not what it folds them into", async () => {
  const harness = await openHarness();
  try {
    const { world } = harness;
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const files = { "ops/backup.py": BACKUP };
    const pull = await world.pullRequest(repository, { title: "feat: back up", author: "mona", files });
    const may = { maintain: "hooray", triage: "-1" } as const;
    for (const permission of ["maintain", "triage"] as const) {
      world.person(permission, { permission });
      const pause = await world.comment(pull, permission, "/kodiai pause");
      const stop = await world.comment(pull, permission, "/kodiai stop");
      await answered(harness);
      expect(reactions(world, pause)).toEqual(["eyes", may[permission]]);
      expect(reactions(world, stop)).toEqual(["eyes", "hooray"]);
    }
  } finally {
    await harness.close();
  }
});
