import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryOff } from "../../src/adapters/no-memory/memory-off.ts";
import type { MemoryVerbPorts } from "../../src/cli/describe-memory.ts";
import { index } from "../../src/cli/index-repository.ts";
import { memory, readLines } from "../../src/cli/memory.ts";
import { UsageError } from "../../src/cli/usage.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import type { CodeChunker, Recall, Tree } from "../../src/ports/memory.ts";
import { fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { AT, givenRecord, REPO } from "../learn/memory-builders.ts";

let folder: string;
let printed: string[];
const memoryPorts = fakeMemory();
const embedder = fakeEmbedder();
const redact = (text: string) => Promise.resolve(text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-memory-"));
  printed = [];
  memoryPorts.rows.clear();
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const recall: Recall = {
  nearest: () => Promise.resolve([]),
  matching: () => Promise.resolve([]),
  records: (scope, ids) =>
    Promise.resolve(memoryPorts.all().filter((record) => record.repo === scope.repo && ids.includes(record.id))),
  counts: () =>
    Promise.resolve({
      total: memoryPorts.rows.size,
      byLanguage: new Map([["cpp", memoryPorts.rows.size]]),
      byCorpus: new Map([["review_comment", memoryPorts.rows.size]]),
      byOutcome: new Map(),
    }),
  version: () => Promise.resolve(1),
};

const open = (): Promise<MemoryVerbPorts> =>
  Promise.resolve({
    memory: memoryPorts,
    recall,
    embedder,
    redact,
    replays: null,
    evidence: { ...memoryOff("nobody did anything").evidence, pulls: () => Promise.resolve([]) },
    repoOf: () => Promise.resolve(REPO),
    repositories: () => Promise.resolve([REPO]),
    access: () => Promise.resolve(null),
    usdPerMonth: () => Promise.resolve(50),
    now: () => AT,
    close: () => {},
  });

function givenFile(text: string): string {
  const file = join(folder, "rows.jsonl");
  writeFileSync(file, text);
  return file;
}

test("a file is imported; wrong lines are reported with their numbers and end it with 2", async () => {
  const file = givenFile(`${exportLine(givenRecord())}\r\n{oops\n`);
  expect(await memory(["import", file], open)).toBe(2);
  expect(printed.join("\n")).toMatch(/2 rows: 1 added, .* 1 wrong; 1 embedded\n {2}line 2: not JSON$/);
  expect(await memory(["import", givenFile(exportLine(givenRecord())), "--json"], open)).toBe(0);
  expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ version: 1, remembered: { unchanged: 1 } });
});

test("a comment that says nothing is counted and not remembered", async () => {
  const row = (id: string, text: string) =>
    JSON.stringify({ id, repo: "expressjs/express", filePath: "a.js", text, createdAt: "2012-02-07T06:53:40+00:00" });
  const file = givenFile(`${row("ar:1", "LGTM, thanks!")}\n${row("ar:2", "This getter calls getenv() each time.")}\n`);
  expect(await memory(["import", file], open)).toBe(0);
  expect(printed.join("\n")).toMatch(/2 rows: 1 added, .* 1 not worth remembering/);
});

test("what is remembered is listed, shown and counted, without characters that move the cursor", async () => {
  const { id } = givenRecord();
  await memory(["import", givenFile(exportLine(givenRecord({ text: "red \u001b[31m and \u202e back" })))], open);
  printed = [];
  expect(await memory(["ls"], open)).toBe(0);
  expect(await memory(["show", id], open)).toBe(0);
  expect(await memory(["stats"], open)).toBe(0);
  const text = printed.join("\n");
  expect(text).toContain(`${id}  review_comment  -  cpp  src/charge/retry.cc  red `);
  expect(text).toContain("1 of 1 memories of acme/payments");
  expect(text).toContain("by language: cpp 1");
  expect(["\u001b", "\u202e"].filter((character) => text.includes(character))).toEqual([]);
});

test("a wrong word is a mistake of usage", async () => {
  for (const words of [
    [],
    ["forget"],
    ["show"],
    ["show", "mem_x"],
    ["import"],
    ["import", join(folder, "none")],
    ["ls", "--limit", "0"],
  ]) {
    await expect(memory(words, open)).rejects.toThrow(UsageError);
  }
});

test("lines end at line feeds only: JSON may hold other separators", async () => {
  const lines: string[] = [];
  for await (const line of readLines(givenFile("a\u2028b\r\n\nü😀"))) lines.push(line);
  expect(lines).toEqual(["a\u2028b", "", "ü😀"]);
});

test("index prints what it read and what it left out", async () => {
  const files = [
    { path: "README.md", hash: "1", bytes: 5 },
    { path: "vendor/README.md", hash: "2", bytes: 5 },
  ];
  const tree: Tree = {
    commit: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    list: () => Promise.resolve({ files, incomplete: null }),
    async *texts(asked) {
      for (const file of asked) yield { file, text: "Hello there." };
    },
  };
  const chunker: CodeChunker = { languages: new Set(), chunks: () => Promise.resolve({ chunks: [], skipped: [] }) };
  const asked: unknown[] = [];
  const ports = {
    repo: REPO,
    redact,
    urlOf: () => null,
    now: () => AT,
    close: () => {},
    tree,
    chunker,
    corpora: ["doc"] as const,
    embedder,
    memory: memoryPorts,
  };
  const openIndex = (words: unknown) => {
    asked.push(words);
    return Promise.resolve(ports);
  };
  expect(await index([folder, "--rev", "main"], openIndex)).toBe(0);
  expect(asked).toEqual([{ path: folder, repo: undefined, wiki: undefined, revision: "main", dataDir: undefined }]);
  expect(printed.join("\n")).toBe(
    "acme/payments at 6dcb09b5b578: 1 file read, 0 unchanged, 0 removed\n" +
      "  1 added, 0 updated, 0 unchanged, 0 forgotten, 0 refused; 1 embedded\n" +
      "  left out: 1 × vendored",
  );
  await expect(index(["--corpus", "finding"], openIndex)).rejects.toThrow(UsageError);
});
