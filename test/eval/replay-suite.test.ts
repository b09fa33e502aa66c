import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { suite } from "../../eval/suites/replay.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

const comment = (id: string, pr: number, createdAt: string, text: string, over: object = {}) => ({
  ...{
    id,
    repo: "acme/shop",
    pr,
    filePath: "src/pool.ts",
    language: "TypeScript",
    text,
    createdAt,
    hunk: "",
    isBot: false,
  },
  ...over,
});

const SAME = "Close the connection when the handshake fails, or the pool runs dry.";
const ELSEWHERE = { repo: "zeta/site", filePath: "src/page.ts" };
const CORPUS = [
  comment("c:before", 1, "2024-01-01T00:00:00Z", SAME, { replies: ["This is intentional."] }),
  comment("c:own", 9, "2024-02-02T00:00:00Z", "The pool runs dry: close the connection when a handshake fails."),
  comment("c:bot", 9, "2024-02-03T00:00:00Z", SAME, { isBot: true }),
  comment("c:later", 10, "2024-03-01T00:00:00Z", SAME),
  comment("c:site", 4, "2024-01-01T00:00:00Z", "Sort these imports, please.", ELSEWHERE),
  comment("c:site-later", 5, "2024-06-01T00:00:00Z", SAME, ELSEWHERE),
  comment("c:rust", 1, "2023-01-01T00:00:00Z", SAME, { repo: "omega/core", language: "Rust", filePath: "src/pool.rs" }),
];

const QUERY = {
  ...{ id: "acme/shop#9", repo: "acme/shop", pr: 9, asOf: "2024-02-02T00:00:00Z" },
  ...{ title: "fix: open the connection before the handshake", body: "", diffAt: "review-time" },
  languages: ["TypeScript"],
  files: [{ path: "src/pool.ts", language: "TypeScript", additions: 1, deletions: 0 }],
  diff: [
    "diff --git a/src/pool.ts b/src/pool.ts",
    "index 1111111..2222222 100644",
    "--- a/src/pool.ts",
    "+++ b/src/pool.ts",
    "@@ -1 +1,2 @@ export class Pool {",
    " const pool = new Pool();",
    "+const connection = pool.open(handshake);",
    "",
  ].join("\n"),
  ...{ own: ["c:own"], relevant: [], relevantGold: [], grades: {} },
};
/** Nobody said anything on it later. */
const SILENT = { ...QUERY, id: "acme/shop#10", pr: 10, asOf: "2024-04-01T00:00:00Z", own: [] };

async function folderOf(queries: readonly object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kodiai-replay-suite-"));
  folders.push(folder);
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  await writeFile(join(folder, "corpus.jsonl"), lines(CORPUS));
  await writeFile(join(folder, "queries.jsonl"), lines(queries));
  return folder;
}

test("memory meets what a person said later, no memory and another repository's of that date do not [005-03]", async () => {
  const result = await suite({ data: await folderOf([QUERY, SILENT]), flags: new Map() });
  const row = (name: string) => result.rows.find((one) => one.name === name);
  expect(result.data.n).toBe(1);
  expect(row("on")).toMatchObject({ n: 1, metrics: { hitRate: 1, commentsMet: 1, precisionAt5: 0.2, harmful: 1 } });
  expect(row("on")?.ci?.difference).toEqual([1, 1]);
  expect(row("off")).toMatchObject({ metrics: { hitRate: 0, harmful: 0, precisionAt5: 0, tokens: 0 } });
  // What the placebo's people said in June cannot be found in February, unless memory is not
  // frozen.
  expect(row("placebo")).toMatchObject({ metrics: { hitRate: 0 } });
  expect(row("placebo, not frozen")).toMatchObject({ metrics: { hitRate: 1 } });
  expect(row("on")?.remark).toContain("not shown to help here: 1 pull request, 20 are wanted");
  expect(result.notes?.join("\n")).toMatch(/1 pull requests on which no person said anything later/);
});

test("a repository of which no other has the main language has no placebo", async () => {
  const rust = { ...QUERY, id: "omega/core#9", repo: "omega/core", own: [] };
  const result = await suite({ data: await folderOf([rust]), flags: new Map() });
  expect(result.data.n).toBe(0);
  expect(result.rows.find(({ name }) => name === "placebo")?.metrics).toMatchObject({ hitRate: 0 });
});
