import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { retrievalFingerprint } from "../../eval/configuration-fingerprint.ts";
import { suite } from "../../eval/suites/retrieval.ts";
import { localWords } from "../../src/adapters/local/local-embedder.ts";

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

/** The rows of the ablation table: tables of different days are compared by these names. */
const ABLATION = [
  "naive: title and first 20 paths, vectors",
  "enriched query, vectors",
  "+ words (hybrid)",
  "+ several queries, pooled by RRF",
  "+ several queries, pooled by best rank",
  "+ several queries, pooled by max",
  "+ path, language and category in the embedded text",
  "+ model-written situation",
  "+ model-written tags",
  "+ model-written lesson (multi-field)",
  "+ its code in the embedded text",
  "+ language boost",
  "+ recency",
  "+ contrast",
  "+ HyDE",
  "+ model-written queries",
  "+ model-written queries of 20–50 words",
  "+ rerank",
  "+ learned fusion (default)",
  "semantic alone (embedder local-hash-1)",
  "other embedders",
  "keyword alone",
  "keyword alone, one query",
  "first system's keyword score, one query",
];

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

  test("other data and another configuration have other fingerprints", async () => {
    const [one, other] = [
      await measured({ rows: "default" }),
      await measured({ rows: "default" }, { ...QUERY, title: "fix: open it later" }),
    ];
    expect(one.result.data.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    expect(other.result.data.fingerprint).not.toBe(one.result.data.fingerprint);
    const embedder = localWords();
    expect(one.result.config.fingerprint).toBe(retrievalFingerprint(embedder));
    const stricter = retrievalFingerprint({ ...embedder, threshold: embedder.threshold / 2 });
    expect(stricter).toMatch(/^[0-9a-f]{12}$/);
    expect(stricter).not.toBe(one.result.config.fingerprint);
  });

  test("refuses to run when a truth is not in memory, and for a task that is none", async () => {
    await expect(measured({}, { ...QUERY, relevantGold: ["c:gone"] })).rejects.toThrow(/c:gone is not in/);
    await expect(measured({ task: "X" })).rejects.toThrow(/--task is one of G, H, S/);
  });

  test("the ablation tells each gain beside what was expected, and what it could not measure", async () => {
    const { result } = await measured({ ablate: "true" });
    const remark = (name: string) => result.rows.find((row) => row.name === name)?.remark;
    expect(remark("+ words (hybrid)")).toMatch(/over "enriched query, vectors"; expected C1: \+10–15$/);
    expect(remark("+ HyDE")).toMatch(/not measured: no replies are recorded/);
    expect(result.rows.filter(({ n }) => n === 1).length).toBeGreaterThan(12);
    expect(result.rows.map(({ name }) => name).slice(0, ABLATION.length)).toEqual(ABLATION);
    expect(result.config.fingerprint).toBe(retrievalFingerprint(localWords()));
    expect(result.notes?.join("\n")).toContain("(bootstrap, seed 1)");
  });
});
