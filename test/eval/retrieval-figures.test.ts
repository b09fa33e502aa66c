// What an evaluation of memory promises before it prints a figure: its truth can be found, and the
// same run has the same figures.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TaskData } from "../../eval/retrieval-task.ts";
import { mustHoldTruth } from "../../eval/run-all-queries.ts";
import { suite } from "../../eval/suites/retrieval.ts";
import { withStore } from "../../eval/temporary-store.ts";
import { repoKey } from "../../src/domain/memory.ts";
import { backfillLanguages } from "../../src/flows/memory/memory-file.ts";
import { evaluationRepo } from "../../src/learn/remember/parse-row.ts";
import { aMemory } from "../builders/memory-record.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

const CORPUS = [
  ["c:before", 1, "Close the connection when the handshake fails, or the pool runs dry."],
  ["c:unlike", 2, "Sort these imports, please, as the linter would."],
].map(([id, pr, text]) => {
  const where = { repo: "acme/shop", filePath: "src/pool.ts", language: "TypeScript", hunk: "" };
  return { id, pr, text, ...where, createdAt: "2024-01-01T00:00:00Z" };
});
const QUERY = {
  ...{ id: "acme/shop#9", repo: "acme/shop", pr: 9, asOf: "2024-02-02T00:00:00Z" },
  ...{ title: "fix: open the connection before the handshake", body: "", diffAt: "review-time" },
  languages: ["TypeScript"],
  files: [{ path: "src/pool.ts", language: "TypeScript", additions: 1, deletions: 0 }],
  diff: "diff --git a/src/pool.ts b/src/pool.ts\nindex 1111111..2222222 100644\n--- a/src/pool.ts\n+++ b/src/pool.ts\n@@ -1 +1,2 @@\n const pool = new Pool();\n+pool.open(handshake);\n",
  own: [],
  relevant: ["c:before"],
  relevantGold: ["c:before"],
  grades: { "c:before": 3 },
};

async function measured(query: object = QUERY, flags: Readonly<Record<string, string>> = { rows: "default" }) {
  const data = await mkdtemp(join(tmpdir(), "retrieval-"));
  folders.push(data);
  await writeFile(join(data, "corpus.jsonl"), CORPUS.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await writeFile(join(data, "queries.jsonl"), `${JSON.stringify(query)}\n`);
  return suite({ data, flags: new Map(Object.entries(flags)) });
}

test("it refuses to run when a truth is not in the data, or not in the store [002-02]", async () => {
  await expect(measured({ ...QUERY, relevantGold: ["c:gone"] })).rejects.toThrow(/c:gone is not in the corpus/);
  const task = (truth: string) => ({ queries: [{ repo: "acme/shop", truth: new Set([truth]) }] }) as never as TaskData;
  await withStore(async (store) => {
    await store.importLines(CORPUS.map((row) => JSON.stringify(row)));
    await mustHoldTruth(task("c:before"), store);
    await expect(mustHoldTruth(task("c:gone"), store)).rejects.toThrow("acme/shop: truth c:gone is not in memory");
  });
});

test("the same data and configuration have the same fingerprints and figures, other data have others [002-32]", async () => {
  const [one, again, other] = [await measured(), await measured(), await measured({ ...QUERY, title: "fix: later" })];
  const figures = ({ rows }: typeof one) => ({ ...rows[0]?.metrics, p95Ms: 0 });
  expect([again.data, again.config, figures(again)]).toEqual([one.data, one.config, figures(one)]);
  expect(one.rows[0]?.metrics).toMatchObject({ mrr: 1, "recall@5": 1 });
  expect(other.data.fingerprint).not.toBe(one.data.fingerprint);
  expect(other.config).toEqual(one.config);
});

test("rows without a language get that of their path, once, and the others stay unknown [004-20]", async () => {
  await withStore(async ({ memory, recall, embedder, addRecords }) => {
    const repo = evaluationRepo("acme/shop");
    const old = [
      ["1", "src/Cart.cs", ""],
      ["2", null, ""],
      ["3", "src/cart.py", "ruby"],
      ["4", "a.zzq", "unknown"],
    ] as const;
    await addRecords(
      old.map(([sourceId, path, language]) =>
        aMemory({
          repo: repoKey(repo),
          repoName: "acme/shop",
          sourceId,
          path,
          language,
          text: `Round once, says number ${sourceId}.`,
        }),
      ),
    );
    const remembering = { redact: async (text: string) => text };
    const filled = () => backfillLanguages(repo, { memory, recall, embedder }, remembering);
    const first = await filled();
    expect([first.without, [...first.byLanguage], first.unknown, first.remembered.updated]).toEqual([
      3,
      [["csharp", 1]],
      2,
      1,
    ]);
    const again = await filled();
    expect([again.without, again.byLanguage.size, again.unknown, again.remembered.updated]).toEqual([2, 0, 2, 0]);
  });
});
