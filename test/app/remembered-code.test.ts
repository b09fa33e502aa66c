// A posted finding is remembered with the code that it was about, also when posting took more than
// one try.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { memoryRows } from "./memory-rows.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const LEAKY = BACKUP.replace("import subprocess\n", `import subprocess\nTOKEN = "${TOKEN}"\n`);

function queue<T>(ask: (db: Database.Database) => T): T {
  const db = new Database(join(harness.dataDir, "queue.db"));
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

/** A pull request whose review was written, saved, and could not be posted. */
async function unposted(name: string) {
  const { world } = harness;
  const repository = await world.repository("acme", name, { files: { "README.md": "# Shop\n" } });
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502 });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": LEAKY } });
  await harness.waitsAgain(pull);
  return { repository, pull };
}

test("the saved review carries it over a failed post, without secrets, and no longer than it is needed", async () => {
  const { repository, pull } = await unposted("shop");
  const saved = () =>
    queue((db) => db.prepare("SELECT review FROM reviews WHERE key LIKE ?").pluck().get(`%/${repository.id}#%`));
  const hunks = (JSON.parse(saved() as string) as { hunks: { hunk: string }[] }).hunks;
  expect(hunks.map(({ hunk }) => hunk.split("\n").at(-1))).toContainEqual(expect.stringContaining("shell=True"));
  expect(JSON.stringify(hunks)).not.toContain(TOKEN);

  await harness.hurry();
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const kept = memoryRows(harness, repository).map(({ hunk }) => hunk ?? "");
  expect(kept).toHaveLength(hunks.length);
  for (const hunk of kept) expect(hunk).toMatch(/^@@ -0,0 \+1,4 @@\n\+import subprocess\n\+TOKEN = "‹redacted:/);
  expect(saved()).not.toContain("+import subprocess");
});

test("a review that an earlier Kodiai saved is still posted and remembered", async () => {
  const { repository, pull } = await unposted("older");
  queue((db) =>
    db.prepare("UPDATE reviews SET review = json_remove(review, '$.hunks') WHERE settled_at IS NULL").run(),
  );
  await harness.hurry();
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const kept = memoryRows(harness, repository);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.map(({ hunk }) => hunk)).toEqual(kept.map(() => null));
});
