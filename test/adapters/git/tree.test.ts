import { afterEach, beforeEach, expect, test } from "vitest";
import { gitTree } from "../../../src/adapters/git/snapshot.ts";
import type { Tree, TreeFile } from "../../../src/ports/memory.ts";
import { type Clone, givenClone } from "./clone.ts";

let clone: Clone;
beforeEach(() => {
  clone = givenClone();
});
afterEach(() => clone.remove());

async function textsOf(tree: Tree, files?: readonly TreeFile[]): Promise<(readonly [string, string | null])[]> {
  const found: (readonly [string, string | null])[] = [];
  for await (const { file, text } of tree.texts(files ?? (await tree.list()).files)) found.push([file.path, text]);
  return found;
}

test("the files of a commit are listed and read, also those with odd names", async () => {
  const commit = clone.commit({ "src/a b.ts": "a\n", "x\ny.md": "newline", "ü/é.md": "ünïcode 😀", "empty.ts": "" });
  const tree = await gitTree(clone.path, "HEAD");
  expect(tree.commit).toBe(commit);
  expect(await textsOf(tree)).toEqual([
    ["empty.ts", ""],
    ["src/a b.ts", "a\n"],
    ["x\ny.md", "newline"],
    ["ü/é.md", "ünïcode 😀"],
  ]);
});

test("links and submodules are not files, and a binary has no text", async () => {
  clone.link("link.md", "/etc/passwd");
  clone.commit({ "a.bin": Uint8Array.from([1, 0, 2]), "b.md": "b" });
  clone.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  clone.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "sub");
  const tree = await gitTree(clone.path, "HEAD");
  expect(await textsOf(tree)).toEqual([
    ["a.bin", null],
    ["b.md", "b"],
  ]);
  expect((await tree.list()).files.map(({ bytes }) => bytes)).toEqual([3, 1]);
});

test("a tree stays what it was when the branch moves on, and is whole from any folder", async () => {
  clone.commit({ "src/a.ts": "old" });
  const tree = await gitTree(`${clone.path}/src`, "main");
  clone.commit({ "src/a.ts": "new" });
  expect(await textsOf(tree)).toEqual([["src/a.ts", "old"]]);
});

test("a large file comes whole, and a reader may stop early", async () => {
  const large = "0123456789".repeat(300_000);
  clone.commit({ "a.txt": large, "b.txt": "b", "c.txt": large });
  const tree = await gitTree(clone.path, "HEAD");
  expect((await textsOf(tree)).map(([, text]) => text?.length)).toEqual([3_000_000, 1, 3_000_000]);
  for await (const { text } of tree.texts((await tree.list()).files)) {
    expect(text).toBe(large);
    break;
  }
  expect(await textsOf(tree, [])).toEqual([]);
});

test("a blob that is not there is null, and a revision that is not there is refused", async () => {
  clone.commit({ "a.txt": "a" });
  const tree = await gitTree(clone.path, "HEAD");
  expect(await textsOf(tree, [{ path: "gone", hash: "2".repeat(40), bytes: 1 }])).toEqual([["gone", null]]);
  await expect(gitTree(clone.path, "--output=x")).rejects.toThrow();
  await expect(gitTree(clone.path, "nowhere")).rejects.toThrow();
});
