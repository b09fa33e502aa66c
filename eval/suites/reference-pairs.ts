// Two pairs that must match and one that must not: does the match outrank the hard negative for its
// query? Each memory is in the real store; only the order of the two that are about the same query
// is judged.
import { z } from "zod";
import { analyze } from "../../src/analyze/analyze.ts";
import { repoKey } from "../../src/domain/memory.ts";
import { evaluationRepo } from "../../src/learn/remember/parse-row.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { pullRequestContext } from "../pull-request-context.ts";
import { dataFingerprint, readRows, shapedRows } from "../read-data.ts";
import { runRetrieval } from "../run-retrieval.ts";
import type { Row, Suite } from "../suite.ts";
import { type TemporaryStore, withStore } from "../temporary-store.ts";

const Pairs = z.object({
  pairs: z.array(z.object({ query: z.string(), memory: z.string(), relation: z.enum(["match", "hard_negative"]) })),
});
type Pair = z.infer<typeof Pairs>["pairs"][number];

const REPO = evaluationRepo("eval/reference-pairs");
const SCOPE = { repo: repoKey(REPO), ownerPool: null, excludePull: null, before: null };

/** A way to score memories for a query: by record id, higher is nearer. */
type Scores = ReadonlyMap<string, number>;

/**
 * A row a way of search; `right` is the share of matches that outrank every hard negative. The hard
 * negative is against each match: for its own query, and for the other too.
 */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const rows = files.flatMap((file) => file.rows);
  const pairs = shapedRows(rows, "pairs", Pairs).flatMap((row) => row.pairs);
  if (pairs.length === 0) throw new Error(`${data} holds no reference pairs`);
  return withStore(async (store) => {
    const memories = [...new Set(pairs.map(({ memory }) => memory))];
    await store.importLines(memories.map(lineOf));
    const ways: Row[] = [];
    const notes: string[] = [];
    for (const [name, ask] of WAYS) {
      const judged = await Promise.all(
        pairs
          .filter(({ relation }) => relation === "match")
          .map(async (match) => judge(match, pairs, await ask(match.query, store))),
      );
      ways.push({
        name,
        n: judged.length,
        metrics: { right: judged.filter(({ right }) => right).length / judged.length },
      });
      notes.push(...judged.map(({ text }) => `${name}: ${text}`));
    }
    return {
      data: { n: pairs.length, fingerprint: dataFingerprint(files) },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows: ways,
      notes,
    };
  });
};

const lineOf = (text: string) =>
  JSON.stringify({ id: text, repo: "eval/reference-pairs", text, createdAt: "2020-01-01T00:00:00Z" });

const WAYS: readonly (readonly [string, (query: string, store: TemporaryStore) => Promise<Scores>])[] = [
  ["default", inRoom],
  ["words", async (query, { recall }) => named((await recall.matching(SCOPE, [query], 10, {})).flat(), recall)],
  ["vectors", inVectors],
];

async function inRoom(query: string, store: TemporaryStore): Promise<Scores> {
  const context = pullRequestContext({ repo: REPO, number: 1, title: query, body: null, files: [], explicit: true });
  const asked = { id: query, now: Date.parse("2020-01-02T00:00:00Z"), before: null, truth: new Set<string>() };
  const question = { query: { ...asked, grades: new Map<string, number>() }, context, signals: analyze(context) };
  const { precedents } = await runRetrieval(question, { name: "default" }, store);
  return new Map(precedents.ranked.map(({ record, score }) => [record.sourceId, score]));
}

async function inVectors(query: string, { embedder, recall }: TemporaryStore): Promise<Scores> {
  const vector = (await embedder.embed([query], "query")).vectors[0];
  const hits = vector ? (await recall.nearest(SCOPE, [vector], embedder.space, 10, {})).flat() : [];
  return named(
    hits.map(({ id, distance }) => ({ id, score: 1 - distance })),
    recall,
  );
}

async function named(
  hits: readonly { readonly id: string; readonly score: number }[],
  recall: TemporaryStore["recall"],
) {
  const records = await recall.records(
    SCOPE,
    hits.map(({ id }) => id),
  );
  const texts = new Map(records.map(({ id, sourceId }) => [id, sourceId]));
  return new Map(hits.map(({ id, score }) => [texts.get(id) ?? id, score]));
}

function judge(
  match: Pair,
  pairs: readonly Pair[],
  scores: Scores,
): { readonly right: boolean; readonly text: string } {
  const own = scores.get(match.memory) ?? 0;
  const hard = Math.max(
    ...pairs.filter(({ relation }) => relation === "hard_negative").map(({ memory }) => scores.get(memory) ?? 0),
  );
  const text = `match ${own.toFixed(4)}, hard negative ${hard.toFixed(4)}: "${match.query.slice(0, 60)}…"`;
  return { right: own > hard, text };
}
