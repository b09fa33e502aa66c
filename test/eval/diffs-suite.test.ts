import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { suite } from "../../eval/suites/diffs.ts";

const DIFF = [
  "diff --git a/src/a.ts b/src/a.ts",
  "index 1111111..2222222 100644",
  "--- a/src/a.ts",
  "+++ b/src/a.ts",
  "@@ -1,2 +1,2 @@",
  " one",
  "-two",
  "+2",
  "",
].join("\n");

const FACTS = {
  path: "src/a.ts",
  status: "M",
  oldMode: "100644",
  newMode: "100644",
  oldOid: "1111111",
  newOid: "2222222",
  binary: false,
  additions: 1,
  deletions: 1,
  hunks: [[1, 2, 1, 2]],
  addedRanges: [[2, 1]],
  deletedRanges: [[2, 1]],
  probes: [
    ["RIGHT", 2, "add", "2"],
    ["LEFT", 2, "del", "two"],
  ],
};

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function measured(facts: object, over: object = {}, diff = DIFF) {
  const data = await mkdtemp(join(tmpdir(), "diffs-"));
  folders.push(data);
  await mkdir(join(data, "files"));
  await writeFile(join(data, "files", "one.diff"), diff);
  const row = { id: "acme+player", kind: "commit", file: "files/one.diff", files: [facts], ...over };
  await writeFile(join(data, "manifest.jsonl"), `${JSON.stringify(row)}\n`);
  const { rows, notes } = await suite({ data, flags: new Map() });
  return { metrics: rows[0]?.metrics, notes: notes?.join("\n") };
}

test("a diff that agrees with git's facts is right", async () => {
  const { metrics } = await measured(FACTS);
  expect(metrics).toMatchObject({ right: 1, probesRight: 1 });
  expect(metrics?.mbPerSecond).toBeGreaterThan(0);
});

test.each([
  ["status", { status: "A" }],
  ["path", { path: "src/b.ts" }],
  ["base path", { oldPath: "src/b.ts" }],
  ["mode", { newMode: "100755" }],
  ["binary", { binary: true }],
  ["counts", { additions: 2 }],
  ["hunks", { hunks: [[1, 2, 1, 3]] }],
  ["added lines", { addedRanges: [[1, 1]] }],
  ["deleted lines", { deletedRanges: [] }],
])("a difference in %s makes the diff wrong, and the notes name it", async (_what, over) => {
  const { metrics, notes } = await measured({ ...FACTS, ...over });
  expect(metrics?.right).toBe(0);
  expect(notes).toContain("acme+player: src/");
});

test.each([
  ["another text", ["RIGHT", 2, "add", "3"]],
  ["another side", ["LEFT", 2, "add", "2"]],
  ["another kind", ["RIGHT", 2, "ctx", "2"]],
  ["a line outside", ["RIGHT", 9, "add", ""]],
])("a probe with %s is wrong", async (_what, probe) => {
  const { metrics } = await measured({ ...FACTS, probes: [["RIGHT", 1, "ctx", "one"], probe] });
  expect(metrics).toMatchObject({ right: 0, probesRight: 0.5 });
});

test("a combined diff is right when it is refused by name", async () => {
  const combined = "diff --cc src/a.ts\nindex 1,2..3\n--- a/src/a.ts\n+++ b/src/a.ts\n@@@ -1 -1 +1 @@@\n++b\n";
  const kind = { kind: "combined-merge" };
  expect((await measured({ path: "src/a.ts" }, kind, combined)).metrics?.right).toBe(1);
  expect((await measured({ path: "src/b.ts" }, kind, combined)).metrics?.right).toBe(0);
  expect((await measured({ path: "src/a.ts" }, kind)).metrics?.right).toBe(0);
});
