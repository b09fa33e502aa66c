// Is the piece of code found that answers a question? The real store's search over pieces of code,
// remembered as documents. Pass@k is the share of the golden pieces among the first k, a mean over
// questions.
import { z } from "zod";
import { type MemoryRecord, repoKey } from "../../src/domain/memory.ts";
import { newRecord } from "../../src/learn/remember/new-record.ts";
import { evaluationRepo } from "../../src/learn/remember/parse-row.ts";
import { fuseByRank, type QueryCandidates } from "../../src/retrieve/rank/fusion.ts";
import { intervalText } from "../answers.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { bootstrap, pairedBootstrap, recallAt } from "../metrics.ts";
import { dataFingerprint, readRows, shapedRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";
import { type TemporaryStore, withStore } from "../temporary-store.ts";

const Chunk = z.object({
  chunk_id: z.string(),
  doc_id: z.string(),
  original_index: z.int(),
  content: z.string(),
});
const Question = z.object({ query: z.string(), golden_chunk_ids: z.array(z.string()).min(1) });

const REPO = evaluationRepo("eval/code-search");
const SCOPE = { repo: repoKey(REPO), ownerPool: null, excludePull: null, before: null };
const DEPTHS = [5, 10, 20] as const;
/** Hits of each list, as the retrieve stage over-fetches. */
const FETCHED = 50;

const published = (name: string, pass: readonly [number, number, number]): Row => ({
  name,
  n: 248,
  metrics: Object.fromEntries(DEPTHS.map((k, at) => [`pass@${k}`, pass[at] ?? 0])),
  remark: "published (anthropic-cookbook), not measured here",
});

/**
 * `default` is Recall.matching, the search by words. `hybrid` joins the embedder's list by
 * reciprocal rank at its weight, as the retrieve stage joins them.
 */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const rows = files.flatMap((file) => file.rows);
  const chunks = shapedRows(rows, "chunk_id", Chunk);
  const questions = shapedRows(rows, "golden_chunk_ids", Question);
  return withStore(async (store) => {
    const records = recordsOf(chunks);
    const added = await store.addRecords([...records.values()]);
    const missing = questions.flatMap((one) => one.golden_chunk_ids).find((id) => !records.has(id));
    if (missing !== undefined || added < chunks.length)
      throw new Error(`truth ${missing ?? "unknown"} is not in memory`);
    const chunkOf = new Map([...records].map(([chunk, { id }]) => [id, chunk]));
    const lists = new Map<string, { ids: readonly string[]; ms: number }[]>();
    for (const { query } of questions) {
      for (const [name, answer] of await ask(store, query)) lists.set(name, [...(lists.get(name) ?? []), answer]);
    }
    const pass = [...lists].map(([name, list]) => {
      const ranked = list.map(({ ids }) => ids.map((id) => chunkOf.get(id) ?? id));
      const truths = questions.map((one) => new Set(one.golden_chunk_ids));
      const byDepth = DEPTHS.map((k) => truths.map((truth, at) => recallAt(k, ranked[at] ?? [], truth)));
      return { name, byDepth, ms: list.map(({ ms }) => ms).sort((a, b) => a - b) };
    });
    const base = pass.find(({ name }) => name === "default");
    return {
      data: { n: questions.length, fingerprint: dataFingerprint(files) },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows: [
        ...pass.map(({ name, byDepth, ms }) => rowOf(name, byDepth, ms)),
        published("published: dense", [0.8092, 0.8715, 0.9006]),
        published("published: contextual, BM25", [0.8643, 0.9321, 0.9499]),
      ],
      notes: [
        `${added} pieces of ${new Set(chunks.map(({ doc_id }) => doc_id)).size} files`,
        ...pass.flatMap(({ name, byDepth }) =>
          base === undefined || name === "default"
            ? []
            : [
                `${name} against default: ${DEPTHS.map((k, at) => `pass@${k} ${intervalText(pairedBootstrap(byDepth[at] ?? [], base.byDepth[at] ?? []))}`).join("  ")}`,
              ],
        ),
      ],
    };
  });
};

async function ask({ recall, embedder }: TemporaryStore, text: string) {
  const timed = async <T>(work: () => Promise<T>) => {
    const started = performance.now();
    return { value: await work(), ms: performance.now() - started };
  };
  const matching = await timed(async () => (await recall.matching(SCOPE, [text], FETCHED, {}))[0] ?? []);
  const nearest = await timed(async () => {
    const vector = (await embedder.embed([text], "query")).vectors[0];
    return vector ? ((await recall.nearest(SCOPE, [vector], embedder.space, FETCHED, {}))[0] ?? []) : [];
  });
  const variant: QueryCandidates["variant"] = { kind: "intent", text, path: null };
  const found = { variant, nearest: nearest.value, matching: matching.value };
  const hybrid = fuseByRank(found, { vector: embedder.weight, keyword: 1 });
  const ids = (hits: readonly { readonly id: string }[]) => hits.map(({ id }) => id);
  return [
    ["default", { ids: ids(matching.value), ms: matching.ms }],
    ["semantic", { ids: ids(nearest.value), ms: nearest.ms }],
    ["hybrid", { ids: ids(hybrid), ms: matching.ms + nearest.ms }],
  ] as const;
}

/** Records by chunk id. The data names no paths: a file is its document's name. */
function recordsOf(chunks: readonly z.infer<typeof Chunk>[]): ReadonlyMap<string, MemoryRecord> {
  const provenance = { url: null, author: null, authorIsBot: false, sha: null, pull: null, at: 0 };
  return new Map(
    chunks.map(({ chunk_id, doc_id, content }) => [
      chunk_id,
      newRecord(REPO, "doc", chunk_id, { text: content.toWellFormed(), path: doc_id, provenance }),
    ]),
  );
}

function rowOf(name: string, byDepth: readonly (readonly number[])[], ms: readonly number[]): Row {
  const intervals = DEPTHS.map((k, at) => [`pass@${k}`, bootstrap(byDepth[at] ?? [])] as const);
  return {
    name,
    n: byDepth[0]?.length ?? 0,
    metrics: {
      ...Object.fromEntries(intervals.map(([metric, { mean }]) => [metric, mean])),
      p95Ms: ms[Math.floor(ms.length * 0.95)] ?? 0,
    },
    ci: Object.fromEntries(intervals.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}
