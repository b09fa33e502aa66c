// What was flagged and what it became are learnt from pushes and from the past, and a change that
// holds the fix is not held against what was flagged.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { Review } from "../../src/domain/review.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { anHourPasses } from "./memory-assertions.ts";
import { people, saidOnLine } from "./past-reviews.ts";
import { inMemory } from "./seed-memory.ts";

let harness: Harness | undefined;
afterEach(async () => {
  expect(harness?.world.violations).toEqual([]);
  await harness?.close();
  harness = undefined;
});

const job = (run: string) =>
  [
    "import subprocess",
    "",
    "def backup(name: str) -> None:",
    '    """Archives the folder of a customer."""',
    "    target = archive_of(name)",
    run,
    "",
  ].join("\n");
const FLAGGED = '    subprocess.run("tar czf " + target + " " + name, shell=True)';
const FIXED = '    subprocess.run(["tar", "czf", target, name])';

interface Pair {
  readonly corpus: string;
  readonly flagged: string | null;
  readonly fixed: string | null;
}

const pairs = (at: Harness) =>
  inMemory(
    at,
    (db) =>
      db
        .prepare(
          `SELECT r.corpus, c.flagged_code AS flagged, c.fixed_code AS fixed FROM records r JOIN contents c ON c.id = r.id
           WHERE r.corpus IN ('finding', 'review_comment') ORDER BY r.id`,
        )
        .all() as Pair[],
  );

/** Addresses of the precedents that the last review of a pull request was written with. */
function precedentsOf(at: Harness, { repository, number }: Pull): readonly (string | null)[] {
  const db = new Database(join(at.dataDir, "queue.db"), { readonly: true });
  const key = `github.com/${repository.id}#${number}`;
  const written = db.prepare("SELECT review FROM reviews WHERE key = ? ORDER BY written_at DESC").pluck().get(key);
  db.close();
  return (JSON.parse(String(written)) as Review).memory.precedents.map(({ url }) => url);
}

test("a fixed finding knows both versions, and no longer matches a change that contains the fix [005-01]", async () => {
  harness = await openHarness();
  const { world } = harness;
  world.person("wren", { permission: "write", association: "MEMBER" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const opened = async (files: Record<string, string>) => {
    const pull = await world.pullRequest(repository, { title: "feat(ops): back up by name", author: "wren", files });
    await harness?.settled(pull);
    return pull;
  };
  const first = await opened({ "ops/backup.py": job(FLAGGED) });
  // Before anybody knows the fix, what was said about the code is a precedent for code like it.
  const before = await opened({ "ops/weekly.py": job(FIXED) });
  expect(precedentsOf(harness, before)).toHaveLength(1);
  expect(pairs(harness)).toEqual([{ corpus: "finding", flagged: null, fixed: null }]);

  await world.push(first, { "ops/backup.py": job(FIXED) });
  await anHourPasses(harness);
  const known = [{ corpus: "finding", flagged: FLAGGED, fixed: FIXED }];
  expect(pairs(harness)).toEqual(known);
  const after = await opened({ "ops/monthly.py": job(FIXED) });
  expect(precedentsOf(harness, after)).toEqual([]);
  const again = await opened({ "ops/yearly.py": job(FLAGGED) });
  expect(precedentsOf(harness, again)).toHaveLength(1);

  // Read once more, nothing more is learnt, and nothing of it is forgotten.
  await anHourPasses(harness);
  expect(pairs(harness).slice(0, 1)).toEqual(known);
});

test("a comment of the past whose line changed knows both codes, without secrets [005-01]", async () => {
  harness = await openHarness();
  const { world } = harness;
  people(world);
  const token = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
  const fixed = FIXED.replace("])", `, "${token}"])`);
  const repository = await world.repository("acme", "ops", { files: { "README.md": "# Ops\n" } });
  const past = await world.pullRequest(repository, {
    title: "feat: back up at night",
    files: { "ops/backup.py": job(fixed) },
    announce: false,
  });
  const hunk = `@@ -0,0 +1,6 @@\n${job(FLAGGED).trimEnd().replace(/^/gm, "+")}`;
  const body = "Give subprocess.run a list and leave shell=True out: a name with a semicolon in it runs anything.";
  const said = saidOnLine(world, past, { by: "ines", body, hunk, isOutdated: true });
  saidOnLine(world, past, { by: "lena", body: "Good catch, done in 3f2a1bc." }, said);
  await world.closePull(past, { merged: true, announce: false });
  await world.install("acme", [repository]);
  await harness.followed(repository);

  const [pair] = pairs(harness);
  expect(pair?.flagged).toBe(FLAGGED);
  expect(pair?.fixed).toMatch(/^ {4}subprocess\.run\(\["tar", "czf", target, name, "‹redacted:/);
  expect(pair?.fixed).not.toContain(token);
  const asked = world.requests.filter(({ path }) => path.endsWith(`/pulls/${past.number}/files`));
  expect(asked).toHaveLength(1);

  const opened = async (files: Record<string, string>) => {
    const pull = await world.pullRequest(repository, { title: "feat(ops): back up by name", files });
    await harness?.settled(pull);
    return precedentsOf(harness as Harness, pull).filter((url) => url?.includes("/pull/1#"));
  };
  expect(await opened({ "ops/nightly.py": job(FLAGGED) })).toHaveLength(1);
  expect(await opened({ "ops/weekly.py": job(fixed.replace(`"${token}"`, "token")) })).toEqual([]);
});
