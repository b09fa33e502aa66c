import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { packReplies, readReplies } from "../../eval/packed-replies.ts";

const root = mkdtempSync(join(tmpdir(), "kodiai-replies-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const FILES = [
  ["arm/acme+shop-7-q1.reply.json", '{"findings": [],\r\n "walkthrough": "Größer: 🐻\u2028"}\n'],
  ["arm/acme+shop-7-q1.request.json", '{"hash": "0123456789ab"}\n'],
  ["other/acme+shop-7-q1.reply.md", ""],
  ["top.reply.txt", "no newline at the end"],
] as const;

test("a packed file holds the replies and requests of a folder, text by text, and is read like it", async () => {
  for (const [name, text] of [...FILES, ["arm/acme+shop-7-q1.md", "a question for people"] as const]) {
    mkdirSync(join(root, "folder", name, ".."), { recursive: true });
    writeFileSync(join(root, "folder", name), text);
  }
  const read = await readReplies(join(root, "folder"));
  expect(read).toEqual(new Map(FILES));
  mkdirSync(join(root, "packed"));
  writeFileSync(join(root, "packed/folder.jsonl.gz"), packReplies(read));
  const packed = await readReplies(join(root, "packed/folder.jsonl.gz"));
  expect([...packed]).toEqual(FILES);

  const beside = await readReplies(join(root, "packed"));
  expect([...beside]).toEqual(FILES.map(([name, text]) => [`folder/${name}`, text]));
});

test("the same replies give the same bytes, in whatever order and whenever they are packed", () => {
  const packed = packReplies(new Map(FILES));
  expect(packReplies(new Map(FILES.toReversed()))).toEqual(packed);
  expect(packed.readUInt32LE(4), "the time in the header").toBe(0);
});

test("a folder or a file that is not there is an error, not an empty recording", async () => {
  await expect(readReplies(join(root, "nowhere"))).rejects.toThrow(/ENOENT.*nowhere/);
  await expect(readReplies(join(root, "nowhere.jsonl.gz"))).rejects.toThrow(/ENOENT.*nowhere/);
});
