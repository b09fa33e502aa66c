import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { index } from "../../src/cli/memory/index-repository.ts";
import { memory, readLines } from "../../src/cli/memory/memory.ts";
import { UsageError } from "../../src/config/usage-error.ts";

import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { givenClone } from "../adapters/git/clone.ts";
import { givenRecord } from "../learn/memory-builders.ts";

let folder: string;
let printed: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-memory-"));
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]) => memory([...words, "--data-dir", join(folder, "data")]);
const OURS = ["--repo", "acme/payments"];

function givenFile(text: string): string {
  const file = join(folder, "rows.jsonl");
  writeFileSync(file, text);
  return file;
}

test("a file is imported; wrong lines are reported with their numbers and end it with 2", async () => {
  const file = givenFile(`${exportLine(givenRecord())}\r\n{oops\n`);
  expect(await run("import", file)).toBe(2);
  expect(printed.join("\n")).toMatch(/2 rows: 1 added, .* 1 wrong; 1 embedded\n {2}line 2: not JSON$/);
  expect(await run("import", givenFile(exportLine(givenRecord())), "--json")).toBe(0);
  expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ version: 1, remembered: { unchanged: 1 } });
});

test("a comment that says nothing is counted and not remembered", async () => {
  const row = (id: string, text: string) =>
    JSON.stringify({ id, repo: "expressjs/express", filePath: "a.js", text, createdAt: "2012-02-07T06:53:40+00:00" });
  const file = givenFile(`${row("ar:1", "LGTM, thanks!")}\n${row("ar:2", "This getter calls getenv() each time.")}\n`);
  expect(await run("import", file)).toBe(0);
  expect(printed.join("\n")).toMatch(/2 rows: 1 added, .* 1 not worth remembering/);
});

test("what is remembered is listed, shown and counted, without characters that move the cursor [005-06]", async () => {
  const { id } = givenRecord();
  await run("import", givenFile(exportLine(givenRecord({ text: "red \u001b[31m and \u202e back" }))));
  printed = [];
  expect(await run("ls", ...OURS)).toBe(0);
  expect(await run("show", id, ...OURS)).toBe(0);
  expect(await run("stats", ...OURS)).toBe(0);
  const text = printed.join("\n");
  expect(text).toContain(`${id}  review_comment  -  cpp  src/charge/retry.cc  red `);
  expect(text).toContain("1 of 1 memory of acme/payments");
  expect(text).toContain("by language: cpp 1");
  expect(["\u001b", "\u202e"].filter((character) => text.includes(character))).toEqual([]);
});

test("a wrong word is a mistake of usage", async () => {
  await run("import", givenFile(exportLine(givenRecord())));
  for (const words of [
    [],
    ["forget"],
    ["show"],
    ["show", "mem_x", ...OURS],
    ["import"],
    ["import", join(folder, "none")],
    ["ls", "--limit", "0", ...OURS],
  ]) {
    await expect(run(...words)).rejects.toThrow(UsageError);
  }
});

test("lines end at line feeds only: JSON may hold other separators", async () => {
  const lines: string[] = [];
  for await (const line of readLines(givenFile("a\u2028b\r\n\nü😀"))) lines.push(line);
  expect(lines).toEqual(["a\u2028b", "", "ü😀"]);
});

test("index prints what it read and what it left out", async () => {
  const clone = givenClone();
  clone.commit({ "README.md": "Hello there.\n", "vendor/README.md": "Hello there.\n" });
  const here = ["--data-dir", join(folder, "data")];
  expect(await index([clone.path, "--rev", "main", ...here])).toBe(0);
  expect(printed.join("\n")).toMatch(
    /^\S+ at [0-9a-f]{12}: 1 file read, 0 unchanged, 0 removed\n {2}1 added, 0 updated, 0 unchanged, 0 forgotten, 0 refused; 1 embedded\n {2}left out: 1 × vendored/,
  );
  await expect(index([clone.path, "--corpus", "finding", ...here])).rejects.toThrow(UsageError);
  clone.remove();
});
