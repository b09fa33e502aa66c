// From prompts in sittings to figures of arms: one pull request, answered in two readings, verified
// and judged.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyOf } from "../../eval/arms.ts";
import { suite as floors } from "../../eval/suites/floors.ts";
import { suite as prompts } from "../../eval/suites/prompts.ts";
import { suite as review } from "../../eval/suites/review.ts";
import { drafted } from "../fakes/scripted-model.ts";

const PATHS = ["src/a.py", "src/b.py"];
const added = (path: string) => Array.from({ length: 30 }, (_, at) => `+${path.at(-4)}${at} = rows[${at}]`);
const diffOf = (paths: readonly string[], lines = added) =>
  paths
    .map((path) =>
      [
        `diff --git a/${path} b/${path}`,
        "new file mode 100644",
        "--- /dev/null",
        `+++ b/${path}`,
        `@@ -0,0 +1,${lines(path).length} @@`,
        ...lines(path),
        "",
      ].join("\n"),
    )
    .join("");

const golden = (pr: number) => ({
  id: `aacr:acme/shop#${pr}`,
  repo: "acme/shop",
  pr,
  title: "feat: read rows",
  body: "",
  diff: diffOf(PATHS),
  comments: [
    {
      path: "src/a.py",
      line: 5,
      startLine: 5,
      side: "RIGHT",
      text: "No row 4",
      category: "Code Defect",
      inDiffFile: true,
    },
    {
      path: "src/b.py",
      line: 9,
      startLine: 9,
      side: "RIGHT",
      text: "No row 8",
      category: "Code Defect",
      inDiffFile: true,
    },
  ],
  rejectedComments: [],
});

const CLEAN = Array.from({ length: 60 }, (_, at) => ({
  id: `acme+bank__${at}`,
  repo: at < 5 ? "acme/talked" : `acme/bank-${at % 20}`,
  kind: at % 10 === 9 ? "commit" : "pull-request",
  head: at.toString(16).padStart(7, "0").padEnd(40, "a"),
  file: `files/${at}.diff`,
  files: [{ additions: at === 59 ? 400 : 8, deletions: 0 }],
}));
const said = {
  id: "ar:1",
  repo: "acme/talked",
  filePath: "src/a.py",
  hunk: "@@ -1 +1 @@\n+line 3 of it",
  text: "Not so",
  createdAt: "2024-01-01T00:00:00Z",
};

const folder = mkdtempSync(join(tmpdir(), "kodiai-arms-"));
const at = (name: string) => join(folder, name);

beforeAll(() => {
  mkdirSync(at("data/diffs/files"), { recursive: true });
  writeFileSync(at("data/golden.jsonl"), [1, 2].map((pr) => JSON.stringify(golden(pr))).join("\n"));
  writeFileSync(at("data/corpus.jsonl"), `${JSON.stringify(said)}\n`);
  writeFileSync(at("data/diffs/manifest.jsonl"), CLEAN.map((row) => JSON.stringify(row)).join("\n"));
  for (const { file } of CLEAN) {
    const lines = () => Array.from({ length: 8 }, (_, line) => `+line ${line} of it`);
    writeFileSync(at(`data/diffs/${file}`), diffOf(["src/a.py"], lines));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (suite: typeof prompts, flags: Readonly<Record<string, string>>) =>
  suite({ data: at("data"), flags: new Map(Object.entries(flags)) });

/** Answers every question below a folder. */
function answer(place: string, reply: (text: string) => unknown): void {
  for (const name of readdirSync(at(place), { recursive: true, encoding: "utf8" }).filter(
    (one) => one.endsWith("q1.md") || one.endsWith("-verify.md"),
  ))
    writeFileSync(
      at(`${place}/${name.replace(/md$/, "reply.json")}`),
      JSON.stringify(reply(readFileSync(at(`${place}/${name}`), "utf8"))),
    );
}

const finds = (path: string, row: number, title: string) => () => ({
  findings: [
    drafted({ path, quote: `${path.at(-4)}${row} = rows[${row}]`, title, body: `${title}: it raises.` }),
    ...(path === "src/a.py"
      ? [drafted({ path, quote: "a20 = rows[20]", title: "Twenty is odd", body: "A trifle.", severity: "medium" })]
      : []),
  ],
  ruleFindings: [],
  walkthrough: "",
});
const ids = (text: string) => [...text.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
const upholds = (text: string) => ({
  findings: ids(text).map((id) => ({ id, verdict: "holds", severity: "critical", confidence: 1, reason: "so" })),
});

test("sittings part the prompts of one repository, and arms are compared in pairs", async () => {
  await run(prompts, { out: at("dev"), readings: "2", sittings: "1" });
  expect(readdirSync(at("dev")).toSorted()).toEqual(["reading-1", "reading-2"]);
  expect(readdirSync(at("dev/reading-2")).toSorted()).toEqual(["1", "2"]);
  expect(readFileSync(at("dev/reading-2/1/README.md"), "utf8")).toMatch(
    /`acme\+shop-\d-r2q1\.md` \| `acme\+shop-\d-r2q1\.reply\.json`/,
  );
  answer("dev/reading-1", finds("src/a.py", 4, "Row four is not there"));
  answer("dev/reading-2", finds("src/b.py", 8, "Nothing guards the eighth of b"));

  const one = `${at("dev/reading-1")},${at("one")}`;
  const two = `${at("dev")},${at("two")}`;
  mkdirSync(at("one"));
  mkdirSync(at("two"));
  await run(prompts, { out: at("one"), replies: one, sittings: "1" });
  await run(prompts, { out: at("two"), replies: two, readings: "2", sittings: "1" });
  expect(readdirSync(at("two"))).toEqual(["verify"]);
  answer("one", upholds);
  answer("two", upholds);

  const arms = [
    { name: "once", readings: 1, replies: one },
    { name: "twice", readings: 2, replies: two },
  ];
  writeFileSync(at("arms.json"), JSON.stringify(arms));
  await run(floors, { arms: at("arms.json"), questions: at("judge") });
  const asked = readFileSync(at("judge/acme+shop-1-judge.md"), "utf8");
  expect(asked).not.toMatch(/once|twice/);
  const key = (path: string, line: number, title: string) => keyOf({ path, line, title } as never);
  const judged = [1, 2].flatMap((pr) => [
    { pull: `acme/shop#${pr}`, finding: key("src/a.py", 5, "Row four is not there"), real: true, meets: [0] },
    { pull: `acme/shop#${pr}`, finding: key("src/b.py", 9, "Nothing guards the eighth of b"), real: true, meets: [1] },
    { pull: `acme/shop#${pr}`, finding: key("src/a.py", 21, "Twenty is odd"), real: false, meets: [] },
  ]);
  writeFileSync(at("judged.jsonl"), judged.map((row) => JSON.stringify(row)).join("\n"));

  const { rows } = await run(review, { arms: at("arms.json"), judgements: at("judged.jsonl") });
  expect(rows[0]).toMatchObject({
    name: "once",
    n: 2,
    metrics: { defects: 0.5, real: 0.5, precision: 0.5, median: 2, cached: 0 },
  });
  expect(rows[1]).toMatchObject({
    name: "twice",
    metrics: { defects: 1, recall: 1, precision: 2 / 3, f1: 0.8, real: 2 / 3, median: 3, unjudged: 0, unanswered: 0 },
    against: { row: "once", gain: { defects: { mean: 0.5, low: 0.5, high: 0.5 }, posted: { mean: 1 } } },
  });
  expect(rows[1]?.metrics.cached).toBeGreaterThan(0.2);
  expect(rows[1]?.metrics.tokensIn).toBeGreaterThan(1.5 * (rows[0]?.metrics.tokensIn ?? 0));
  const table = await run(floors, { arms: at("arms.json"), judgements: at("judged.jsonl") });
  expect(table.rows.find(({ name }) => name === "twice, named by 1 of 2, floor 0.4")).toMatchObject({
    metrics: { real: 2 / 3 },
  });
});

test("clean changes are merged, small, without a comment, and the same each time", async () => {
  await run(prompts, { out: at("clean"), clean: "true", sittings: "5" });
  const drawn = readdirSync(at("clean"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("q1.md"),
  );
  expect(drawn).toHaveLength(40);
  expect(drawn.join()).not.toContain("talked");
  cpSync(at("clean"), at("clean-before"), { recursive: true });
  await run(prompts, { out: at("clean-again"), clean: "true", sittings: "5" });
  expect(readdirSync(at("clean-again"), { recursive: true }).toSorted()).toEqual(
    readdirSync(at("clean-before"), { recursive: true }).toSorted(),
  );
});
