// Which files of a pull request are reviewed, and that everything else is named with its reason: names and diffs that need GitHub itself.
// test/flows/file-selection.test.ts has the others.
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
  expect(summary).toContain("**8 findings**: 8 major — 8 inline.");
  expect(summary).not.toContain("incomplete");
});

test("a file whose patch GitHub withholds is compared from its two texts", async () => {
  const long = `${LOGIN}${"// one more line\n".repeat(50)}`;
  await harness.world.commit(repository, { "src/long.ts": long });
  const files = { "src/long.ts": WEAK_LOGIN + long.slice(LOGIN.length), "src/new.py": BALANCE };
  const { said: comments, summary } = await review(files, ["src/long.ts", "src/new.py"]);
  expect(summary).not.toContain("not reviewed");
  expect(summary).toContain("**2 findings**");
  // GitHub itself may refuse a line comment where it shows no patch; then it stands on the file or in the summary.
  expect(comments.length).toBeLessThanOrEqual(2);
});

test("a file that GitHub shows nothing of is named, and the review says that it is not whole", async () => {
  const big = `${"// padding\n".repeat(130_000)}${BALANCE}`;
  const { summary } = await review({ "src/big.ts": big, "src/balance.py": BALANCE }, ["src/big.ts"]);
  expect(summary).toContain("`src/big.ts`");
  expect(summary).toContain("was delivered");
  expect(summary).toContain("**1 finding**");
});

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
const link = (content: string) => ({ mode: "120000", content });

/** A stranger's change of a repository whose check fails on what was not read. */
async function gated(before: Files, files: Files, withoutPatch: readonly string[] = []) {
  const { world } = harness;
  const config = "review: {checks: {enabled: true, failOn: major}}\n";
  const at = await world.repository("acme", `gated-${++serial}`, { files: { ".kodiai.yml": config, ...before } });
  const by = { author: "mallory", fork: "mallory" };
  const pull = await world.pullRequest(at, { title: "Change files", ...by, files, withoutPatch });
  await harness.settled(pull);
  const end = (await world.checks(pull)).at(-1)?.conclusion;
  return { end, said: said(world, pull), summary: summaryOf(world, pull).body };
}
let serial = 0;

const OWN = { "lib/a.py": LOGIN, "src/a.py": LOGIN, "src/b.py": link("../lib/a.py") };
test.each<[string, Files, Files, readonly string[]]>([
  ["replaces a file", OWN, { "src/a.py": link("../lib/a.py"), "src/e.ts": LOGIN }, []],
  ["replaces a moved file", { "src/a.py": LOGIN }, { "src/a.py": link("../lib/a.py"), "lib/a.py": LOGIN }, []],
  ["has no patch", OWN, { "src/a.py": link("../lib/a.py"), "src/e.ts": LOGIN }, ["src/a.py"]],
  ["is moved", OWN, { "src/b.py": null, "src/a.py": link("../lib/a.py"), "src/e.ts": LOGIN }, []],
])("a symbolic link that %s is named so, and is no reason to fail", async (_, before, files, withoutPatch) => {
  const { end, summary, said: comments } = await gated(before, files, withoutPatch);
  expect(summary).toMatch(/symbolic link[^\n]*`src\/a\.py`/);
  expect(summary).not.toContain("incomplete");
  expect([end, comments]).toEqual(["success", []]);
});

test.each<[string, Files]>([
  ["another ending", { "ops/b.py": link("b.txt"), "ops/b.txt": BACKUP }],
  ["a test", { "ops/b.py": link("../tests/c.py"), "tests/c.py": BACKUP, "tests/d.py": LOGIN }],
  ["a link to another ending", { "ops/b.py": link("c.py"), "ops/c.py": link("d.data"), "ops/d.data": BACKUP }],
])("a link that gives unread code of the same change its name is unread: %s", async (_, files) => {
  const { end } = await gated({ "a.md": "a\n", "tests/x.py": "a = 1\n" }, { ...files, "src/e.ts": LOGIN });
  expect(end).toBe("failure");
});

test("a link that becomes a file is read as that file", async () => {
  const { end, said: comments, summary } = await gated(OWN, { "src/b.py": BACKUP });
  expect([end, comments]).toEqual(["failure", ["src/b.py:3 shell-from-strings"]]);
  expect(summary).not.toContain("not reviewed");
});

test("a text about a submodule's commit is a text, and a submodule without a patch is a submodule", async () => {
  const commit = "83baae61804e65cc73a7201a7252750c76066a30";
  const { summary } = await gated(
    {},
    {
      "src/pin.cfg": `Subproject commit ${commit}\n`,
      "extern/lib": { mode: "160000", content: commit },
      "src/e.ts": LOGIN,
    },
  );
  expect(summary).toMatch(/submodule[^\n]*`extern\/lib`/);
  expect(summary).not.toContain("`src/pin.cfg`");
});

test("Git LFS pointers are left out as such, whatever their names say, and what only begins like one is read", async () => {
  const { said: comments, summary } = await gated(
    { "data/old.py": BALANCE, "data/b.bin": POINTER.replace("4d", "5e"), "data/back.py": POINTER },
    {
      ...{ "data/old.py": POINTER, "data/b.bin": POINTER, "img/a.png": POINTER, "src/fake.py": `${POINTER}${BALANCE}` },
      "data/back.py": BALANCE,
    },
  );
  expect(comments.toSorted()).toEqual(["data/back.py:5 tls-verify-disabled", "src/fake.py:8 tls-verify-disabled"]);
  for (const path of ["data/old.py", "data/b.bin", "img/a.png"])
    expect(summary).toMatch(new RegExp(`Git LFS pointer[^\\n]*\`${path}\``));
});

test("a change of mode alone is no reason to fail", async () => {
  const run = { mode: "100755", content: "a = 1\n" };
  const { end, summary } = await gated({ "ops/run.py": "a = 1\n" }, { "ops/run.py": run, "src/e.ts": LOGIN });
  expect(end).toBe("success");
  expect(summary).not.toContain("incomplete");
});

test("a new test of a stranger is a test where the base has its folder", async () => {
  const fault = 'import requests\nrequests.get("https://x", verify=False, timeout=9)\n';
  const base = { "pkg/tests/old.py": "a = 1\n" };
  expect((await gated(base, { "pkg/tests/api/new.py": fault, "src/e.ts": LOGIN })).end).toBe("success");
  expect((await gated(base, { "lib/tests/new.py": fault, "src/e.ts": LOGIN })).end).toBe("failure");
});
