import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { suite } from "../../eval/suites/paraphrase.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

const PULL = "https://github.com/acme/shop/pull/4";
const finding = (id: string, text: string, over: object = {}) => ({
  ...{ id, finding_text: text, language: "ruby", pr_url: PULL },
  ...over,
});
const MEMORIES = [
  finding("mem_1", "SSRF vulnerability using open(url) without validation"),
  finding("mem_2", "Thread-unsafe lazy initialisation of the shared cache", { language: "go" }),
];
/** Word for word what is asked, once by the tool that asks and once by another. */
const ASKED = "open(url) is called without validation: an SSRF vulnerability";
const own = finding("dis_own", ASKED, { source_tool: "augment" });
const foreign = finding("dis_foreign", ASKED, { source_tool: "qodo" });
const truth = { pr_url: PULL, tool: "augment", ground_truth_memory_ids: ["mem_1"] };
const QUERIES = [{ id: "q_1", query: ASKED, ...truth }];
const SETS = [{ test_case_id: "tc_1", queries: [ASKED, "The cache is shared between threads"], ...truth }];

async function measured(distractors: readonly object[], sets: readonly object[] = SETS) {
  const data = await mkdtemp(join(tmpdir(), "paraphrase-"));
  folders.push(data);
  const files = { memories: MEMORIES, distractors, single: QUERIES, sets };
  for (const [name, rows] of Object.entries(files)) await writeFile(join(data, `${name}.json`), JSON.stringify(rows));
  const { rows, notes } = await suite({ data, flags: new Map() });
  return { metrics: (name: string) => rows.find((row) => row.name === name)?.metrics, notes };
}

test("a distractor of the asking tool and pull request is left out, one of another tool competes", async () => {
  expect((await measured([own])).metrics("default")).toMatchObject({ mrr: 1 });
  const other = await measured([own, foreign]);
  expect(other.metrics("default")).toMatchObject({ mrr: 0.5, "recall@5": 1 });
  expect(other.metrics("words, no distractors")).toMatchObject({ mrr: 1 });
});

test("the queries of a pull request are pooled in every way that the stage supports", async () => {
  const { metrics } = await measured([own]);
  for (const how of ["max", "best-rank", "rrf"]) {
    expect(metrics(`pull request, words, ${how}`)?.["recall@5"]).toBe(1);
    expect(metrics(`pull request, ranks, ${how}`)?.["recall@5"]).toBe(1);
  }
});

test("a truth that is none of the findings stops the run", async () => {
  const gone = [{ ...SETS[0], ground_truth_memory_ids: ["mem_gone"] }];
  await expect(measured([own], gone)).rejects.toThrow(/mem_gone is none of the findings/);
});
