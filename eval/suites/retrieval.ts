// Does memory find what matters? The real store and the real retrieve room over judged queries, with the leakage guard on.

import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { sqliteMemory } from "../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../../src/adapters/sqlite/recall.ts";
import { analyze } from "../../src/analyze/analyze.ts";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";
import { jobKey } from "../../src/domain/job.ts";
import { NO_PAST } from "../../src/domain/past.ts";
import type { PullRequestContext } from "../../src/domain/pull-request.ts";
import { importMemory } from "../../src/flows/import-memory.ts";
import { parseDiff } from "../../src/gather/parse-diff.ts";
import { evaluationRepo } from "../../src/learn/parse-row.ts";
import { type RetrieveSettings, retrieve } from "../../src/retrieve/retrieve.ts";
import { mrr, pairedBootstrap, recallAt } from "../metrics.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";

interface QueryRow {
  readonly id: string;
  readonly repo: string;
  readonly pr: number;
  readonly asOf: string;
  readonly title: string;
  readonly body: string | null;
  readonly diff: string;
  readonly relevantGold: readonly string[];
}

type Knowledge = ReturnType<typeof defaultKnowledge>;
type Setting = (knowledge: Knowledge) => Knowledge;

const OPEN = { floors: false, budget: false };
const retrieval =
  (change: Partial<Knowledge["retrieval"]>): Setting =>
  (knowledge) => ({
    ...knowledge,
    retrieval: { ...knowledge.retrieval, topK: 50, ...change },
  });

/** `default` is the default configuration with topK raised and the floors and character budget off. */
const ROWS: readonly (readonly [string, Setting])[] = [
  ["default", retrieval({})],
  ["rrf", retrieval({ fusion: "rrf" })],
  ["weighted", retrieval({ fusion: "weighted" })],
  ["keyword", retrieval({ method: "keyword", fusion: "rrf" })],
  ["semantic", retrieval({ method: "semantic" })],
];

/** Task G: an earlier comment of the same repository on the same issue. Refuses to run when a truth id is not in memory. */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const rows = files.flatMap((file) => file.rows) as Record<string, unknown>[];
  const queries = (rows.filter((row) => "diff" in row && "asOf" in row) as unknown as QueryRow[]).filter(
    ({ relevantGold }) => relevantGold.length > 0,
  );
  const folder = await mkdtemp(join(tmpdir(), "kodiai-eval-"));
  const path = join(folder, "memory.db");
  const db = openMemory(path);
  const embedder = localWords();
  const recall = sqliteRecall({ path });
  try {
    const memory = sqliteMemory(db);
    const imported = await importMemory(
      await corpusLines(data),
      { remembering: { redact: async (text) => text } },
      { embedder, memory },
    );
    const ranked = new Map<
      string,
      { readonly mrr: number[]; readonly r5: number[]; readonly r10: number[]; readonly ms: number[] }
    >();
    for (const [name] of ROWS) ranked.set(name, { mrr: [], r5: [], r10: [], ms: [] });
    const missing = new Set<string>();
    for (const query of queries) {
      const context = contextOf(query);
      const signals = analyze(context);
      const truth = new Set(query.relevantGold);
      for (const [name, setting] of ROWS) {
        const now = Date.parse(query.asOf);
        const settings: RetrieveSettings = { knowledge: setting(defaultKnowledge()), now, before: now, tuning: OPEN };
        const started = performance.now();
        const found = await retrieve(context, signals, { embedder, recall }, settings);
        const ids = found.ranked.map(({ record }) => record.sourceId);
        for (const part of found.degraded) missing.add(`${name}: ${part.part}: ${part.reason}`);
        const sums = ranked.get(name);
        sums?.ms.push(performance.now() - started);
        sums?.mrr.push(mrr(ids, truth));
        sums?.r5.push(recallAt(5, ids, truth));
        sums?.r10.push(recallAt(10, ids, truth));
      }
    }
    return {
      data: { n: queries.length, fingerprint: dataFingerprint(files) },
      config: { fingerprint: fingerprint([defaultConfig(), embedder.space]) },
      rows: ROWS.map(([name]) => row(name, ranked.get(name) as NonNullable<ReturnType<typeof ranked.get>>)),
      notes: [
        `${imported.remembered.added} memories, ${imported.wrongLines} wrong lines`,
        ...gain("default against rrf, MRR", ranked.get("default")?.mrr ?? [], ranked.get("rrf")?.mrr ?? []),
        ...[...missing].slice(0, 10),
      ],
    };
  } finally {
    await recall.close();
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
};

function row(
  name: string,
  { mrr: rr, r5, r10, ms }: { mrr: number[]; r5: number[]; r10: number[]; ms: number[] },
): Row {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const p95 = ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.95)] ?? 0;
  return {
    name,
    n: rr.length,
    metrics: { mrr: mean(rr), "recall@5": mean(r5), "recall@10": mean(r10), p95Ms: p95 },
  };
}

function gain(what: string, a: readonly number[], b: readonly number[]): string[] {
  const { mean, low, high } = pairedBootstrap(a, b);
  return [`${what}: ${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`];
}

async function corpusLines(data: string): Promise<readonly string[]> {
  const names = readdirSync(data).filter((name) => name.endsWith(".jsonl"));
  for (const name of names) {
    const text = await readFile(join(data, name), "utf8");
    const first = JSON.parse(text.slice(0, text.indexOf("\n"))) as object;
    if ("hunk" in first && "createdAt" in first) return text.split("\n");
  }
  throw new Error(`${data} holds no corpus`);
}

function contextOf(query: QueryRow): PullRequestContext {
  const repo = evaluationRepo(query.repo);
  const { files } = parseDiff(query.diff);
  const base = "b".repeat(40);
  const head = "a".repeat(40);
  return {
    kind: "context",
    job: {
      kind: "review",
      key: jobKey(repo, query.pr),
      delivery: "eval",
      installationId: 0,
      repo,
      number: query.pr,
      headSha: head,
      trigger: "command-line",
      explicit: true,
    },
    repo,
    pull: {
      number: query.pr,
      url: "",
      title: query.title,
      body: query.body,
      state: "open",
      draft: false,
      locked: false,
      labels: [],
      author: { login: "author", id: 1, type: "User", association: "CONTRIBUTOR" },
      base: { ref: "main", sha: base },
      head: { ref: "change", sha: head, repo: query.repo },
      commits: [],
    },
    config: defaultConfig(),
    configProblems: [],
    files,
    leftOut: [],
    headTexts: new Map(),
    guidance: [],
    authorFacts: { mergedPullRequests: null },
    ownComments: [],
    past: NO_PAST,
    degraded: [],
  };
}
