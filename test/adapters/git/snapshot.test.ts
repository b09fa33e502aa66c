// Snapshots of local heads: a commit, the index, the working tree.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LocalRange, localChanges } from "../../../src/adapters/git/local-changes.ts";
import type { Files } from "../../fakes/github/emulator.ts";
import { snapshotsContract } from "../contracts/snapshots.ts";
import { type Clone, givenClone } from "./clone.ts";

/** A clone whose last commit has these files and nothing else. */
function cloneOf(files: Files): Clone {
  const clone = givenClone();
  clone.git("config", "core.autocrlf", "false");
  clone.commit({});
  const contents: Record<string, string | Uint8Array> = {};
  for (const [path, content] of Object.entries(files)) {
    if (content === null) continue;
    if (typeof content === "string" || content instanceof Uint8Array) contents[path] = content;
    else if (content.mode === "120000") clone.link(path, content.content);
    else contents[path] = content.content;
  }
  clone.commit(contents);
  return clone;
}

async function headOf(clone: Clone, range: LocalRange) {
  const {
    identities: [repo],
    pull,
    snapshots,
  } = await localChanges(clone.path, range);
  return { repo, pull, snapshots, close: clone.remove };
}

const COMMITS: LocalRange = { kind: "commits", base: "HEAD~1", head: "HEAD" };

snapshotsContract("a commit", (files) => headOf(cloneOf(files), COMMITS));
snapshotsContract("the index", (files) => headOf(cloneOf(files), { kind: "staged" }));
snapshotsContract("the working tree", (files) => {
  const clone = cloneOf(files);
  return headOf(clone, { kind: "diff", text: `${clone.git("diff", "HEAD~1", "--", "*.ts")}\n`, title: "a diff" });
});

let clone: Clone;
beforeEach(() => {
  clone = givenClone();
});
afterEach(() => clone.remove());

const textsOf = async (range: LocalRange, paths: readonly string[], from = clone.path) => {
  const {
    identities: [repo],
    pull,
    snapshots,
  } = await localChanges(from, range);
  const { snapshot, degraded } = await snapshots.at(repo, pull);
  expect(degraded).toEqual([]);
  return Promise.all(paths.map((path) => snapshot?.text(path)));
};

test("each range sees its own head, from any folder of the clone", async () => {
  clone.commit({ "src/a.ts": "old\n" });
  clone.commit({ "src/a.ts": "committed\n" });
  writeFileSync(join(clone.path, "src/a.ts"), "staged\n");
  clone.git("add", "-A");
  writeFileSync(join(clone.path, "src/a.ts"), "edited\n");
  writeFileSync(join(clone.path, "src/new.ts"), "new\n");
  const diff = `${clone.git("diff")}\n`;
  const paths = ["src/a.ts", "src/new.ts"];
  for (const from of [clone.path, join(clone.path, "src")]) {
    expect(await textsOf(COMMITS, paths, from)).toEqual(["committed\n", null]);
    expect(await textsOf({ kind: "staged" }, paths, from)).toEqual(["staged\n", null]);
    expect(await textsOf({ kind: "diff", text: diff, title: "a diff" }, paths, from)).toEqual(["edited\n", "new\n"]);
  }
});

test("a folder of the working tree that is a link out of it is not entered", async () => {
  clone.commit({ "a.ts": "a\n" });
  const other = givenClone();
  try {
    other.commit({ "secret.ts": "secret\n" });
    symlinkSync(other.path, join(clone.path, "linked"));
    writeFileSync(join(clone.path, "a.ts"), "b\n");
    const diff = `${clone.git("diff")}\n`;
    const range = { kind: "diff", text: diff, title: "a diff" } as const;
    expect(await textsOf(range, ["a.ts", "linked/secret.ts", "linked"])).toEqual(["b\n", null, null]);
  } finally {
    other.remove();
  }
});

test("a diff that is not applied has no head, and says so", async () => {
  clone.commit({ "a.ts": "a\n" });
  writeFileSync(join(clone.path, "a.ts"), "b\n");
  const text = `${clone.git("diff")}\n`;
  clone.git("checkout", "a.ts");
  const {
    identities: [repo],
    pull,
    snapshots,
  } = await localChanges(clone.path, { kind: "diff", text, title: "a diff" });
  expect(await snapshots.at(repo, pull)).toEqual({
    snapshot: null,
    degraded: [{ part: "snapshot", reason: expect.stringContaining("the diff is not applied in this clone") }],
  });
});
