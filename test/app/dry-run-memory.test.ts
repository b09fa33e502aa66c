// A dry run posts nothing, and remembers nothing as posted: the real run that comes later starts
// from what really happened.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { answered } from "./conversation-helpers.ts";
import { comment, inMemory, remembering, smallTalk } from "./seed-memory.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

/** Everything that is kept about findings and people. */
const kept = () =>
  inMemory(harness, (db) =>
    ["records", "contents", "evidence", "decided", "rejections", "flagged"].map((table) =>
      db.prepare(`SELECT * FROM ${table}`).all(),
    ),
  );

test("reviews, commands and thumbs of a dry run leave memory as it was", async () => {
  const { world } = harness;
  world.person("otto", { permission: "admin", association: "OWNER" });
  const repository = await world.repository("acme", "shop", { files: { "README.txt": "Shop\n" } });
  await remembering(harness, [comment(repository, "1"), ...smallTalk(repository, 9)]);
  const first = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(first);
  await answered(harness);
  expect(said(world, first)).toHaveLength(1);
  const before = kept();
  expect(before[0]).toHaveLength(11);
  await harness.restart({ dryRun: true, feedbackAfterMs: 0 });
  const [root] = first.comments;
  if (root === undefined) throw new Error("nothing was said");
  world.react(root, "otto", "-1");
  await world.reply(first, "otto", root.id, "/kodiai ignore by design");
  await world.comment(first, "otto", "/kodiai remember always pass a list to subprocess.run in this repository");
  await world.comment(first, "otto", "/kodiai forget mem_0123456789ab");
  const second = await world.pullRequest(repository, { title: "Back up", files: { "ops/nightly.py": BACKUP } });
  await harness.settled(second);
  await answered(harness);
  expect(world.comments(second).inline).toEqual([]);
  expect(() => summaryOf(world, second)).toThrow("0 summaries");
  expect(kept()).toEqual(before);
});
