// Links, submodules, Git LFS pointers and modes that a stranger's change brings, where the check
// fails on what was not read. test/app/file-selection.test.ts shows a link without a patch over the
// whole app.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, BALANCE, LOGIN, said, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Files } from "../fakes/github/emulator.ts";

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow();
});
afterAll(() => flow.close());

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
const link = (content: string) => ({ mode: "120000", content });

/** A stranger's change of a repository whose check fails on what was not read. */
async function gated(before: Files, files: Files) {
  const { world } = flow;
  const config = "review: {checks: {enabled: true, failOn: major}}\n";
  const at = await world.repository("acme", `gated-${++serial}`, { files: { ".kodiai.yml": config, ...before } });
  const by = { author: "mallory", fork: "mallory" };
  const pull = await world.pullRequest(at, { title: "Change files", ...by, files });
  await flow.settled(pull);
  const end = world.checkRuns.findLast((run) => run.headSha === pull.headSha)?.conclusion;
  return { end, said: said(world, pull), summary: summaryOf(world, pull).body };
}
let serial = 0;

const OWN = { "lib/a.py": LOGIN, "src/a.py": LOGIN, "src/b.py": link("../lib/a.py") };
test.each<[string, Files, Files]>([
  ["replaces a file", OWN, { "src/a.py": link("../lib/a.py"), "src/e.ts": LOGIN }],
  ["replaces a moved file", { "src/a.py": LOGIN }, { "src/a.py": link("../lib/a.py"), "lib/a.py": LOGIN }],
  ["is moved", OWN, { "src/b.py": null, "src/a.py": link("../lib/a.py"), "src/e.ts": LOGIN }],
])("a symbolic link that %s is named so, and is no reason to fail", async (_, before, files) => {
  const { end, summary, said: comments } = await gated(before, files);
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

test.each(["lib", "lib.md", "notes.txt", "img/logo.png", "yarn.lock"])(
  "a submodule is unread code under any name: %s",
  async (path) => {
    const submodule = { mode: "160000", content: "83baae61804e65cc73a7201a7252750c76066a30" };
    const { end, summary } = await gated({}, { [path]: submodule, "src/e.ts": LOGIN });
    expect(end).toBe("failure");
    expect(summary).toMatch(new RegExp(`submodule[^\\n]*\`${path}\``));
  },
);

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
