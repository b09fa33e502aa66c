// Prompts out, replies in: both suites on a tiny data set of one golden pull request and one with a
// comment of its own.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packReplies, readReplies } from "../../eval/packed-replies.ts";
import { suite as prompts } from "../../eval/suites/prompts.ts";
import { suite as review } from "../../eval/suites/review.ts";
import { isNear } from "../../eval/tally-review.ts";
import { bootstrapShare } from "../../src/domain/figures/bootstrap-interval.ts";

const DIFF = `diff --git a/src/db.py b/src/db.py
--- a/src/db.py
+++ b/src/db.py
@@ -10,3 +10,6 @@ def names(db):
     rows = db.rows()
+    first = rows[0]
+    limit = first.limit
+    rows = rows[:limit]
     return rows
 # the end
`;
const TLS = `diff --git a/src/ask.py b/src/ask.py
--- a/src/ask.py
+++ b/src/ask.py
@@ -1,2 +1,3 @@
 import requests
+requests.get("https://a.example.com", verify=False, timeout=3)
 print("done")
`;

const GOLDEN = {
  id: "aacr:acme/shop#7",
  repo: "acme/shop",
  pr: 7,
  title: "fix(db): drop rows",
  body: "",
  diff: DIFF,
  comments: [
    {
      path: "src/db.py",
      line: 13,
      startLine: 12,
      side: "RIGHT",
      text: "The limit of the first row cuts off all rows behind it.",
      inDiffFile: true,
    },
    { path: "src/other.py", line: 13, startLine: 13, side: "RIGHT", text: "Elsewhere", inDiffFile: true },
  ],
  rejectedComments: [{ path: "src/db.py", line: 11, startLine: 11, side: "LEFT", text: "No" }],
};
const QUERY = {
  id: "acme/bank#8",
  repo: "acme/bank",
  pr: 8,
  asOf: "2024-05-01T00:00:00Z",
  title: "feat: ask",
  body: null,
  diff: TLS,
  ownInDiff: ["ar:1"],
};
const said = (id: string, pr: number, createdAt: string, text: string) => ({
  id,
  repo: "acme/bank",
  pr,
  filePath: "src/ask.py",
  language: "Python",
  text,
  createdAt,
  line: 2,
  side: "RIGHT",
  hunk: '@@ -1 +1,2 @@\n+requests.get("https://a.example.com", verify=False)',
});
const CORPUS = [
  said(
    "ar:1",
    8,
    "2024-05-02T00:00:00Z",
    "Do not switch off the certificate check of requests.get verify=False, says this very pull request.",
  ),
  said(
    "ar:2",
    5,
    "2023-01-01T00:00:00Z",
    "requests.get with verify=False switches the certificate check off; earlier comment.",
  ),
  said(
    "ar:3",
    9,
    "2025-01-01T00:00:00Z",
    "requests.get with verify=False switches the certificate check off; later comment.",
  ),
];

let root: string;
const at = (name: string) => join(root, name);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "kodiai-review-suite-"));
  mkdirSync(at("data/golden"), { recursive: true });
  mkdirSync(at("data/retrieval"));
  writeFileSync(
    at("data/golden/any-name.jsonl"),
    `${JSON.stringify(GOLDEN)}\n${JSON.stringify({ ...GOLDEN, id: "x", pr: 9, diff: null })}\n`,
  );
  writeFileSync(at("data/retrieval/q.jsonl"), `${JSON.stringify(QUERY)}\n`);
  writeFileSync(at("data/retrieval/c.jsonl"), CORPUS.map((row) => JSON.stringify(row)).join("\n"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = (suite: typeof prompts, flags: Readonly<Record<string, string>>) =>
  suite({ data: at("data"), flags: new Map(Object.entries(flags)) });

/** The anchor of a line in a written prompt. */
function anchor(stem: string, text: string): string {
  const line = readFileSync(at(`out/${stem}.md`), "utf8")
    .split("\n")
    .find((one) => one.includes(text));
  return line?.split(":")[0] ?? "";
}

function reply(stem: string, over: Readonly<Record<string, unknown>>) {
  return {
    findings: [
      {
        path: "src/db.py",
        anchor: anchor(stem, "rows = rows[:limit]"),
        endAnchor: null,
        quote: "    rows = rows[:limit]",
        severity: "major",
        category: "correctness",
        title: "The limit of the first row cuts off all rows behind it",
        body: "Each row has a limit of its own. Take the largest.",
        true: 0.9,
        wanted: 1,
        suggestion: null,
        precedents: [],
        ...over,
      },
    ],
    ruleFindings: [],
    walkthrough: "Drops rows.",
  };
}

describe("prompts", () => {
  test("each question is a page and a request, the same in each run, and memory knows nothing later", async () => {
    const { rows, data, notes } = await run(prompts, { out: at("out") });
    expect(data.n).toBe(2);
    expect(rows[0]?.metrics).toMatchObject({ questions: 2, missing: 2, answered: 0, withPrecedents: 0.5 });
    expect(notes?.[0]).toMatch(
      /^2 questions about 2 pull requests in \d+\.\d s; 3 memories, 1 pull requests without a diff/,
    );
    expect(readdirSync(at("out")).toSorted()).toEqual([
      "acme+bank-8-q1.md",
      "acme+bank-8-q1.request.json",
      "acme+shop-7-q1.md",
      "acme+shop-7-q1.request.json",
    ]);
    const page = readFileSync(at("out/acme+bank-8-q1.md"), "utf8");
    expect(page).toContain("earlier comment");
    expect(page).not.toContain("later comment");
    expect(page).not.toContain("says this very pull request");
    expect(page).toContain("═══ system ═══");
    expect(page).toContain('"additionalProperties": false');
    const request = JSON.parse(readFileSync(at("out/acme+bank-8-q1.request.json"), "utf8"));
    expect(request).toMatchObject({ version: 1, id: QUERY.id, purpose: "review", shape: { name: "review" } });
    expect(request.user.join("\n\n")).toContain("### FILE src/ask.py");

    await run(prompts, { out: at("again") });
    for (const name of readdirSync(at("out"))) {
      expect(readFileSync(at(`again/${name}`), "utf8"), name).toBe(readFileSync(at(`out/${name}`), "utf8"));
    }
  });

  test("replies are read back: a fixed one counts, a malformed one is named, and the second look is asked for", async () => {
    const broken = JSON.stringify(reply("acme+shop-7-q1", {})).replace('"path":', "path:").replace(/}$/, ",}");
    cpSync(at("out"), at("back"), { recursive: true });
    writeFileSync(at("back/acme+shop-7-q1.reply.md"), `Here it is:\n\n\`\`\`json\n${broken}\n\`\`\`\n`);
    writeFileSync(at("back/acme+bank-8-q1.reply.json"), '{"findings": "none"}');
    const { rows, notes } = await run(prompts, { out: at("back") });
    expect(rows[0]?.metrics).toMatchObject({ answered: 1, fixed: 1, malformed: 1, missing: 1 });
    expect(notes?.join("\n")).toContain("acme+bank-8-q1: malformed: findings:");
    expect(readdirSync(at("back"))).toContain("acme+shop-7-verify.md");
  });
});

describe("review", () => {
  const rowOf = (rows: Awaited<ReturnType<typeof review>>["rows"], name: string) =>
    rows.find((row) => row.name === name)?.metrics;

  test("without replies: rules alone, against golden comments and a pull request's own", async () => {
    const { rows } = await run(review, {});
    expect(rowOf(rows, "keyless")).toMatchObject({
      golden: 3,
      found: 1,
      missed: 2,
      findings: 1,
      noise: 0,
      meetsHuman: 1,
      againOnPush: 0,
    });
    expect(rowOf(rows, "keyless: golden")).toMatchObject({ golden: 2, found: 0, recall: 0 });
    expect(rowOf(rows, "model")).toBeUndefined();
  });

  test("with replies: found by place and by words, noise, anchors, tokens and cost; a missing reply is not read", async () => {
    mkdirSync(at("replies"));
    const usage = { input_tokens: 1000, output_tokens: 100 };
    const both = reply("acme+shop-7-q1", {});
    const noise = reply("acme+shop-7-q1", {
      anchor: "1#0000",
      quote: "nowhere in this diff at all",
      category: "docs",
      title: "Something about nothing",
    });
    const answer = { ...both, findings: [...both.findings, ...noise.findings] };
    writeFileSync(at("replies/acme+shop-7-q1.reply.json"), JSON.stringify({ reply: answer, usage }));
    const { rows, notes } = await run(review, { replies: at("replies") });
    const model = rowOf(rows, "model");
    expect(model).toMatchObject({
      golden: 2,
      found: 1,
      findings: 2,
      noise: 1,
      byAnchor: 0.5,
      byQuote: 0,
      unplaced: 0.5,
      duplicates: 0,
    });
    expect(model).toMatchObject({ recallWords: 0.5, tokensIn: 1000, tokensOut: 100, againOnPush: 0, unanswered: 0 });
    expect(model?.usd).toBeCloseTo((1000 * 2 + 100 * 10) / 1e6, 10);
    expect(rowOf(rows, "keyless, same pulls")).toMatchObject({ golden: 2, found: 0 });
    expect(notes?.join("\n")).toContain(
      "1 of 2 pull requests have a reply: 1 questions answered, 0 fixed, 0 malformed, 1 without",
    );
    expect(notes?.join("\n")).toContain("acme+shop-7-verify: missing");

    writeFileSync(at("replies.jsonl.gz"), packReplies(await readReplies(at("replies"))));
    const packed = await run(review, { replies: at("replies.jsonl.gz") });
    expect({ rows: packed.rows, notes: packed.notes }).toEqual({ rows, notes });
  });
});

test("three lines away is near, four are not, and a finding without a line meets no comment", () => {
  const comment = { path: "a.ts", side: "RIGHT" as const, startLine: 10, line: 12, text: "" };
  const finding = (startLine: number, over = {}) => ({
    path: "a.ts",
    side: "RIGHT" as const,
    startLine,
    line: startLine,
    ...over,
  });
  expect([6, 7, 15, 16].map((line) => isNear(finding(line), comment))).toEqual([false, true, true, false]);
  expect(isNear(finding(11, { side: "LEFT" }), comment)).toBe(false);
  expect(isNear(finding(11, { path: "b.ts" }), comment)).toBe(false);
  expect(isNear(finding(11, { locMethod: "none" }), comment)).toBe(false);
});

test("a share's interval draws pull requests whole", () => {
  expect(
    bootstrapShare([
      [1, 2],
      [3, 4],
    ]),
  ).toMatchObject({ mean: 4 / 6, low: 0.5, high: 0.75 });
  expect(bootstrapShare([])).toEqual({ mean: 0, low: 0, high: 0 });
});
