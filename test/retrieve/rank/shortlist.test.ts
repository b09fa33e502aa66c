import { expect, test } from "vitest";
import type { QueryVariant } from "../../../src/domain/retrieval.ts";
import { BEHIND, fuseByRank, pool, SHORTLIST, shortlist } from "../../../src/retrieve/rank/fusion.ts";
import { type Evidence, rankMemories } from "../../../src/retrieve/rank/rank-memories.ts";
import { TUNING } from "../../../src/retrieve/tuning.ts";
import { added, given, memory, NOW } from "../retrieve-builders.ts";

const SHAPE = {
  title: "feat: fetch invoices again when the gateway is busy",
  files: {
    "src/billing/invoice.ts": added("for (let attempt = 0; attempt < 3; attempt += 1) await gateway.fetch(id);"),
  },
};
const WORDS = "gateway attempt await invoice retry timeout fetch close connection name test loop".split(" ");
const LISTS = 8;
const LENGTH = 50;

/**
 * Eight queries that find fifty memories each by meaning and fifty by words, many of them found by
 * several.
 */
function evidence(): Evidence {
  const id = (list: number, at: number) => `mem_${(list * 61 + at * 7) % 900}`;
  const queries = Array.from({ length: LISTS }, (_, list) => {
    const kind: QueryVariant["kind"] = list === 0 ? "intent" : "hunk";
    return {
      variant: { kind, text: SHAPE.title, path: list === 0 ? null : "src/billing/invoice.ts" },
      nearest: Array.from({ length: LENGTH }, (_, at) => ({ id: id(list, at), distance: 0.2 + at / 200 })),
      matching: Array.from({ length: LENGTH }, (_, at) => ({ id: id(list + LISTS, at), score: 90 - at })),
    };
  });
  const ids = new Set(queries.flatMap(({ nearest, matching }) => [...nearest, ...matching].map((hit) => hit.id)));
  const records = [...ids].map((one, at) => {
    const text = [0, 1, 2, 3, 4].map((word) => WORDS[(at * 5 + word * (1 + (at % 7))) % WORDS.length]).join(" ");
    return memory(one, {
      text: `${text} ${at % 9 === 0 ? "" : one}`,
      path: at % 4 === 0 ? "src/billing/invoice.ts" : null,
    });
  });
  const { context, signals } = given(SHAPE);
  const byId = new Map(records.map((record) => [record.id, record]));
  const weights = { vector: 0.25, keyword: 1 };
  const hits = pool(queries.map((query) => fuseByRank(query, weights)));
  return { queries, hits, records: byId, context, signals, weights, embedderThreshold: 0.3, now: NOW };
}

const settings = (fusion: "learned" | "rrf") => ({
  ...TUNING,
  method: "hybrid" as const,
  fusion,
  strategy: null,
  configuredThreshold: 0.4,
  admits: { distance: true, probability: 0 },
  keywordFloor: 1,
  sourceWeights: {},
});

const MAX = { pooling: "max", method: "hybrid" } as const;

test.each(["rrf"] as const)(
  "what is on the list is ordered by ranks as if all records had been read [002-18]",
  (fusion) => {
    const all = evidence();
    // What was not read cannot be folded into what was.
    const apart = { ...settings("rrf"), fusion, fold: false };
    const { listed, behind } = shortlist(all.queries, { ...all, ...MAX, fusion, nearHunk: 0 });
    expect([listed.length, listed.length + behind.length]).toEqual([128, all.records.size]);
    const records = new Map([...all.records].filter(([id]) => listed.includes(id)));
    const ranked = (given: Evidence, left: ReadonlySet<string> = new Set()) => rankMemories(given, apart, left);
    const [plain, short] = [ranked({ ...all }), ranked({ ...all, records }, new Set(behind))];
    const left = new Set(behind);
    const onList = plain.ranked.filter(({ record }) => !left.has(record.id));
    expect(short.ranked.map(({ record, score }) => [record.id, score])).toEqual(
      onList.map(({ record, score }) => [record.id, score]),
    );
    expect([short.threshold, short.candidates]).toEqual([plain.threshold, plain.candidates]);
    expect(short.cut.filter(({ reason }) => reason === BEHIND).map(({ id }) => id)).toEqual(behind);
  },
);

test("what lies near to a changed hunk is on the list wherever it ranks", () => {
  const all = evidence();
  const { listed } = shortlist(all.queries, { ...all, ...MAX, fusion: "learned", nearHunk: 0.25 });
  const near = all.queries
    .filter(({ variant }) => variant.kind === "hunk")
    .flatMap(({ nearest }) => nearest.filter(({ distance }) => distance <= 0.25));
  expect(near.length).toBeGreaterThan(0);
  expect(near.filter(({ id }) => !listed.includes(id))).toEqual([]);
  expect(listed.length).toBeGreaterThan(SHORTLIST);
});
