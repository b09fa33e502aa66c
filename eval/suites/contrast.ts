// Does contrast tell flagged code from its fix? Real pairs of flagged and fixed lines; asked with variants of either, with
// other names and another layout, and with the code of cluster-mates. Plain likeness to the flagged code stands beside it.

import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { bootstrapShare, type Interval } from "../../src/domain/interval.ts";
import { type CodeLikeness, codeLikeness, contrast, type FixPair } from "../../src/retrieve/contrast.ts";
import { aucOf, type Scored } from "../auc.ts";
import { variantOf } from "../code-variants.ts";
import { type FixPairRow, fixPairs } from "../fix-pairs.ts";
import { readJudged } from "../judged-data.ts";
import { fingerprint, readRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";

/** Code that is asked about, and the pair that it is held against. */
interface Asked {
  readonly item: number;
  readonly pair: FixPair;
  readonly code: string;
  readonly isFlagged: boolean;
}

type Score = (code: string, pair: FixPair) => number;

export const suite: Suite = async ({ data }) => {
  const judged = await readJudged(data);
  const { pairs, leftOut } = fixPairs(judged);
  const variants = pairs.flatMap((pair, item): Asked[] => [
    { item, pair, code: variantOf(pair.flagged), isFlagged: true },
    { item, pair, code: variantOf(pair.fixed), isFlagged: false },
  ]);
  const mates = askedByMates(pairs, await clustersOf(data));
  const vectors = await vectorLikeness([...variants, ...mates]);
  const plain: Score = (code, { flagged }) => codeLikeness(code, flagged);
  const scores: readonly (readonly [string, Score])[] = [
    ["default", (code, pair) => contrast(code, pair)],
    ["plain", plain],
    ["default, vectors", (code, pair) => contrast(code, pair, vectors)],
    ["plain, vectors", (code, { flagged }) => vectors(code, flagged)],
  ];
  return {
    data: { n: pairs.length, fingerprint: judged.fingerprint },
    config: { fingerprint: fingerprint({ shingles: 3 }) },
    rows: [
      ...scores.map(([name, score]) => rowOf(name, variants, score)),
      ...scores.map(([name, score]) => rowOf(`${name}, cluster-mates`, mates, score)),
    ],
    notes: notesOf(pairs, leftOut, variants),
  };
};

function rowOf(name: string, asked: readonly Asked[], score: Score): Row {
  const scored = asked.map(({ item, isFlagged, code, pair }) => ({
    item,
    positive: isFlagged,
    score: score(code, pair),
  }));
  const figures: Record<string, Interval> = { auc: aucOf(scored), fixedFlagged: stillFlagged(scored) };
  if (name.startsWith("default")) {
    figures.cutFixed = shareBelow(scored, false);
    figures.cutFlagged = shareBelow(scored, true);
  }
  const entries = Object.entries(figures);
  return {
    name,
    n: new Set(asked.map(({ item }) => item)).size,
    metrics: Object.fromEntries(entries.map(([metric, { mean }]) => [metric, mean])),
    ci: Object.fromEntries(entries.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}

/** Of the fixed ones, how many are flagged by the threshold that lets nine of ten flagged ones through. */
function stillFlagged(scored: readonly Scored[]): Interval {
  const flagged = scored.filter(({ positive }) => positive).map(({ score }) => score);
  const threshold = flagged.toSorted((a, b) => a - b)[Math.floor(flagged.length / 10)] ?? 0;
  return bootstrapShare(scored.flatMap(({ positive, score }) => (positive ? [] : [[score >= threshold ? 1 : 0, 1]])));
}

function shareBelow(scored: readonly Scored[], positive: boolean): Interval {
  const own = scored.filter((one) => one.positive === positive);
  return bootstrapShare(own.map(({ score }) => [score < 0 ? 1 : 0, 1]));
}

/** The code of other comments on the same issue, as it was flagged and as it was fixed, held against each pair. */
function askedByMates(pairs: readonly FixPairRow[], clusters: readonly ReadonlySet<string>[]): Asked[] {
  return pairs.flatMap((pair, item) =>
    clusters
      .filter((ids) => ids.has(pair.id))
      .flatMap((ids) => pairs.filter(({ id, repo }) => id !== pair.id && repo === pair.repo && ids.has(id)))
      .flatMap((mate): Asked[] => [
        { item, pair, code: mate.flagged, isFlagged: true },
        { item, pair, code: mate.fixed, isFlagged: false },
      ]),
  );
}

async function clustersOf(folder: string): Promise<readonly ReadonlySet<string>[]> {
  const rows = (await readRows(folder)).flatMap((file) => file.rows) as Record<string, unknown>[];
  return rows.flatMap(({ slug, ids }) =>
    typeof slug === "string" && Array.isArray(ids) ? [new Set(ids as string[])] : [],
  );
}

/** Cosine of the local embedder's vectors; 0 where a text has none. */
async function vectorLikeness(asked: readonly Asked[]): Promise<CodeLikeness> {
  const texts = [...new Set(asked.flatMap(({ code, pair }) => [code, pair.flagged, pair.fixed]))];
  const { vectors } = await localWords().embed(texts, "document");
  const known = new Map(texts.map((text, at) => [text, vectors[at] ?? null]));
  return (a, b) => {
    const [left, right] = [known.get(a), known.get(b)];
    return left && right ? left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0) : 0;
  };
}

function notesOf(
  pairs: readonly FixPairRow[],
  leftOut: ReadonlyMap<string, number>,
  variants: readonly Asked[],
): string[] {
  const from = Map.groupBy(pairs, (pair) => pair.from);
  const same = variants.filter(({ code, pair, isFlagged }) => code === (isFlagged ? pair.flagged : pair.fixed)).length;
  return [
    `${pairs.length} pairs of ${new Set(pairs.map(({ repo }) => repo)).size} repositories: ${[...from]
      .map(([source, list]) => `${list.length} from a ${source}`)
      .join(", ")}`,
    `comments without a pair: ${[...leftOut].map(([reason, count]) => `${count} ${reason}`).join(", ")}`,
    `${same} of ${variants.length} variants are the code itself`,
    "fixedFlagged: share of fixed code that is flagged by the threshold which lets nine of ten flagged ones through (chosen on the same pairs)",
    "cutFixed, cutFlagged: share with contrast below 0, which is what memory leaves out as fixed already",
  ];
}
