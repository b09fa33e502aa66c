// Which files of a pull request are reviewed, and that everything else is named with its reason:
// names and diffs that need GitHub itself. test/flows/file-selection.test.ts and
// test/flows/file-kinds.test.ts have the others.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Repository } from "../fakes/github/conversation.ts";
import type { Files } from "../fakes/github/emulator.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, LOGIN, said, summaryOf, WEAK_LOGIN } from "./change-builders.ts";

let harness: Harness;
let repository: Repository;

beforeAll(async () => {
  harness = await openHarness();
  const files = { "src/login.ts": LOGIN, "src/legacy.py": BACKUP, "docs/dos.txt": "one\r\ntwo\r\n" };
  repository = await harness.world.repository("acme", "shop", { files });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

async function review(files: Files, withoutPatch: readonly string[] = []) {
  const pull = await harness.world.pullRequest(repository, { title: "Change files", files, withoutPatch });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  return { said: said(harness.world, pull), summary: summaryOf(harness.world, pull).body, pull };
}

test("comments are posted on files with spaces, quotes, brackets and letters of any script in their names", async () => {
  const paths = [
    "src/with space.py",
    'src/"quoted".py',
    "src/größe/zahlung.py",
    "src/支払い.py",
    "src/[id]/(group)/back`tick.py",
    "src/#hash?query%20percent.py",
    "src/-rf.py",
    "src/emoji 🚀.py",
  ];
  const { said: comments, summary } = await review(Object.fromEntries(paths.map((path) => [path, BALANCE])));
  expect(comments.toSorted()).toEqual(paths.map((path) => `${path}:5 tls-verify-disabled`).toSorted());
  expect(summary).toMatch(/^\*\*8 major findings open\*\*\n\nAll inline\./);
  expect(summary).not.toContain("incomplete");
});

test("a file whose patch GitHub withholds is compared from its two texts", async () => {
  const long = `${LOGIN}${"// one more line\n".repeat(50)}`;
  await harness.world.commit(repository, { "src/long.ts": long });
  const files = { "src/long.ts": WEAK_LOGIN + long.slice(LOGIN.length), "src/new.py": BALANCE };
  const { said: comments, summary } = await review(files, ["src/long.ts", "src/new.py"]);
  expect(summary).not.toContain("not reviewed");
  expect(summary).toMatch(/^\*\*2 .*findings open/);
  // GitHub itself may refuse a line comment where it shows no patch; then it stands on the file or
  // in the summary.
  expect(comments.length).toBeLessThanOrEqual(2);
});

test("a file that GitHub shows nothing of is named, and the review says that it is not whole", async () => {
  const big = `${"// padding\n".repeat(130_000)}${BALANCE}`;
  const { summary } = await review({ "src/big.ts": big, "src/balance.py": BALANCE }, ["src/big.ts"]);
  expect(summary).toContain("`src/big.ts`");
  expect(summary).toContain("was delivered");
  expect(summary).toMatch(/^\*\*1 \w+ finding open\*\*/);
});

test("a symbolic link that has no patch is named so, and is no reason to fail", async () => {
  const { world } = harness;
  const config = "review: {checks: {enabled: true, failOn: major}}\n";
  const before = { "lib/a.py": LOGIN, "src/a.py": LOGIN, ".kodiai.yml": config };
  const at = await world.repository("acme", "gated", { files: before });
  const files = { "src/a.py": { mode: "120000", content: "../lib/a.py" }, "src/e.ts": LOGIN };
  const by = { author: "mallory", fork: "mallory" };
  const pull = await world.pullRequest(at, { title: "Change files", ...by, files, withoutPatch: ["src/a.py"] });
  await harness.settled(pull);
  const summary = summaryOf(world, pull).body;
  expect(summary).toMatch(/symbolic link[^\n]*`src\/a\.py`/);
  expect(summary).not.toContain("incomplete");
  expect([(await world.checks(pull)).at(-1)?.conclusion, said(world, pull)]).toEqual(["success", []]);
});
