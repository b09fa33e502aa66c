import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { suite } from "../../eval/suites/retrieval.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

const comment = (id: string, pr: number, createdAt: string, text: string, over: object = {}) => ({
  ...{ id, repo: "acme/shop", pr, filePath: "src/pool.ts", language: "TypeScript", text, createdAt, hunk: "" },
  ...over,
});

const SAME = "Close the connection when the handshake fails, or the pool runs dry.";
const CORPUS = [
  comment("c:before", 1, "2024-01-01T00:00:00Z", SAME),
  comment("c:unlike", 2, "2024-01-02T00:00:00Z", "Sort these imports, please, as the linter would.", {
    filePath: "docs/build.md",
    language: "Markdown",
  }),
  comment("c:own", 9, "2024-02-01T00:00:00Z", "A pool that is open hands out a connection twice."),
  comment("c:later", 10, "2024-03-01T00:00:00Z", "Why does this pool open a connection at all?"),
];

const QUERY = {
  id: "acme/shop#9",
  repo: "acme/shop",
  pr: 9,
  asOf: "2024-02-02T00:00:00Z",
  title: "fix: open the connection before the handshake",
  body: "",
  diffAt: "review-time",
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
  own: ["c:own"],
  relevant: ["c:before", "c:unlike"],
  relevantGold: ["c:before"],
  grades: { "c:before": 3, "c:unlike": 1 },
};

async function measured(flags: object, query: object = QUERY) {
  const data = await mkdtemp(join(tmpdir(), "retrieval-"));
  folders.push(data);
  await writeFile(join(data, "corpus.jsonl"), CORPUS.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await writeFile(join(data, "queries.jsonl"), `${JSON.stringify(query)}\n`);
  const result = await suite({ data, flags: new Map(Object.entries(flags)) });
  const row = (name: string) => result.rows.find((one) => one.name === name);
  return { result, row, first: row("default")?.metrics };
}

describe("the retrieval suite", () => {
  test("finds the earlier comment, and neither the pull request's own nor one of later", async () => {
    const { first, row, result } = await measured({});
    expect(first).toMatchObject({ mrr: 1, "recall@5": 1, "ndcg@10": 1 });
    // Two of four comments can be found at all: one of them is right.
    expect(first?.["notTruth@10"]).toBe(0.5);
    expect(row("default-cut")?.metrics).toMatchObject({ hitRate: 1, abstention: 0 });
    expect(row("rrf")?.against?.row).toBe("default");
    expect(result.task).toBe("G");
  });

  test("task H asks for more and weighs it by grade", async () => {
    const { first } = await measured({ task: "H", rows: "default" });
    expect(first).toMatchObject({ mrr: 1, "recall@5": 1, "precision@5": 0.4 });
  });

  test("task S looks for the pull request's own comments among all texts of the repository", async () => {
    const { first } = await measured({ task: "S", rows: "default" });
    expect(first?.["recall@5"]).toBe(1);
    expect(first?.["notTruth@10"]).toBe(0.75);
  });

  test("the same data and configuration have the same fingerprints and figures", async () => {
    const [one, other] = [await measured({ rows: "default" }), await measured({ rows: "default" })];
    expect(one.result.data).toEqual(other.result.data);
    expect(one.result.config).toEqual(other.result.config);
    expect({ ...one.first, p95Ms: 0 }).toEqual({ ...other.first, p95Ms: 0 });
  });

  test("refuses to run when a truth is not in memory, and for a task that is none", async () => {
    await expect(measured({}, { ...QUERY, relevantGold: ["c:gone"] })).rejects.toThrow(/c:gone is not in/);
    await expect(measured({ task: "X" })).rejects.toThrow(/--task is one of G, H, S/);
  });

  test("the ablation tells each gain beside what was expected, and what it could not measure", async () => {
    const { result } = await measured({ ablate: "true" });
    const remark = (name: string) => result.rows.find((row) => row.name === name)?.remark;
    expect(remark("+ words (hybrid)")).toMatch(/over "enriched query, vectors"; expected C1: \+10–15$/);
    expect(remark("+ HyDE")).toMatch(/not measured: no model replies are recorded/);
    expect(result.rows.filter(({ n }) => n === 1).length).toBeGreaterThan(12);
  });
});
