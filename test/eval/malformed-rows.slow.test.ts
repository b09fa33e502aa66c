// Rows that lack what an answer needs, in every suite that reads rows: each is counted by its id,
// and the run goes on.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-malformed-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Measured {
  readonly rows: readonly { readonly name: string; readonly metrics: Readonly<Record<string, number>> }[];
  readonly unanswered: readonly { readonly id: string; readonly reason: string }[];
}

/** `npm run eval -- SUITE` over files of such lines; a line that is a text stands as it is. */
async function run(suite: string, files: Readonly<Record<string, readonly unknown[]>>): Promise<Measured> {
  for (const [name, rows] of Object.entries(files)) {
    const path = join(folder, "data", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""));
  }
  const json = join(folder, "out.json");
  const words = ["eval/run.ts", suite, "--data", join(folder, "data"), "--json", json];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const measured = JSON.parse(readFileSync(json, "utf8")) as Measured;
  expect(stdout).toContain(`unanswered: ${measured.unanswered.length} rows of another shape`);
  return measured;
}

const ids = ({ unanswered }: Measured) => unanswered.map(({ id }) => id);

test("conformance: an input or expectation of another shape is unanswered, beside those that are answered", async () => {
  const measured = await run("conformance", {
    "cases.jsonl": [
      { id: "v1", area: "retrieval.variants", input: { title: "fix: x", body: "" }, expected: { variants: [] } },
      { area: "hunk", input: { hunks: "none" }, expected: {}, wrong: {} },
      { id: "c1", area: "sanitize.content", input: null, expected: { text: "" } },
      { id: "c2", area: "sanitize.content", input: { text: "plain" }, expected: { text: "plain" } },
      { id: "c3", input: {} },
      "{ not json",
      "null",
    ],
  });
  expect(measured.rows.find(({ name }) => name === "sanitize.content")?.metrics).toEqual({
    ...{ right: 1, deliberate: 0, unanswered: 1, total: 2 },
  });
  expect(ids(measured)).toEqual(
    expect.arrayContaining(["retrieval.variants v1", "sanitize.content c1", "c3", "cases.jsonl:6", "cases.jsonl:7"]),
  );
});

const COMMENT = {
  ...{ id: "c:before", repo: "acme/shop", pr: 1, filePath: "a.ts", language: "TypeScript", hunk: "" },
  ...{ text: "Close the connection when the handshake fails.", createdAt: "2024-01-01T00:00:00Z" },
};
const QUERY = {
  ...{ id: "acme/shop#9", repo: "acme/shop", pr: 9, asOf: "2024-02-02T00:00:00Z", title: "fix: close it", body: "" },
  ...{ diffAt: "final", languages: ["TypeScript"], files: [], own: [], relevant: ["c:before"] },
  ...{ relevantGold: ["c:before"], grades: { "c:before": 3 } },
  diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n x\n+const connection = open(handshake);\n",
};

test.each<[string, Record<string, readonly unknown[]>, readonly string[]]>([
  [
    "retrieval",
    {
      "corpus.jsonl": [COMMENT, { ...COMMENT, id: "c:late", createdAt: 7 }],
      "queries.jsonl": [QUERY, { ...QUERY, id: "q2", diff: null }, { ...QUERY, id: "q3", relevantGold: ["c:late"] }],
    },
    ["c:late", "q2", "q3"],
  ],
  ["titles", { "titles.jsonl": [{ repo: "a/b", pr: 1, title: "fix: x" }, { repo: "a/b" }] }, ["titles.jsonl[1]"]],
  ["diffs", { "manifest.jsonl": [{ id: "d1" }, "nothing"] }, ["manifest.jsonl:2", "d1"]],
  ["noise", { "manifest.jsonl": [{ id: "d1", sha256: "" }] }, ["d1"]],
  ["anchors", { "queries.jsonl": [{ id: "q1", diff: 5 }, QUERY] }, ["q1"]],
  ["languages", { "paths.jsonl": [null, { repo: "a/b", path: "a.ts", vendored: false }] }, ["paths.jsonl:1"]],
  [
    "reference-pairs",
    {
      "pairs.jsonl": [
        { id: "p1", pairs: [{ query: 1 }] },
        { id: "p2", pairs: [{ query: "a loop", memory: "a loop", relation: "match" }] },
      ],
    },
    ["p1"],
  ],
])("%s: rows of another shape are counted", async (suite, files, wanted) => {
  expect(ids(await run(suite, files))).toEqual(wanted);
});
