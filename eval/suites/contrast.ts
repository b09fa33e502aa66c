// Does contrast separate flagged code from its fix? Real pairs of flagged and fixed lines; asked
// with variants of either, with other names and another layout, and with the code of cluster-mates.
// Plain similarity to the flagged code is measured too.

import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { textTokens } from "../../src/domain/code/code-fingerprint.ts";
import { bootstrapShare, type Interval } from "../../src/domain/figures/bootstrap-interval.ts";
import { codeLikeness, type FixPair, fixedAlready, hunkTokens } from "../../src/retrieve/rank/already-fixed.ts";
import { aucOf, type Scored } from "../auc.ts";
import { type RenamedNames, variantOf } from "../code-variants.ts";
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

/**
 * Similarity to the flagged code minus similarity to its fix: above 0 the flagged code is nearer,
 * below 0 the fix is.
 *
 * @param alike another similarity than that of tokens, such as a cosine of vectors
 * @returns −1…1; 0 also when flagged and fixed are the same, or the code resembles neither
 */
export function contrast(code: string, { flagged, fixed }: FixPair, alike = codeLikeness): number {
  return alike(code, flagged) - alike(code, fixed);
}

export const suite: Suite = async ({ data }) => {
  const judged = await readJudged(data);
  const { pairs, leftOut } = fixPairs(judged);
  const variants = askedByVariants(pairs, "local");
  const everyName = askedByVariants(pairs, "every");
  const mates = askedByMates(pairs, await clustersOf(data));
  const sets = [
    ["", variants],
    [", every name changed", everyName],
    [", cluster-mates", mates],
  ] as const;
  const vectors = await vectorLikeness(sets.flatMap(([, asked]) => asked));
  const scores: readonly (readonly [string, Score])[] = [
    ["default", (code, pair) => contrast(code, pair)],
    ["plain", (code, { flagged }) => codeLikeness(code, flagged)],
    ["vectors", (code, pair) => contrast(code, pair, vectors)],
    ["plain, vectors", (code, { flagged }) => vectors(code, flagged)],
  ];
  return {
    data: { n: pairs.length, fingerprint: judged.fingerprint },
    config: { fingerprint: fingerprint({ shingles: 3 }) },
    rows: [
      ...sets.flatMap(([of, asked]) => scores.map(([name, score]) => rowOf(`${name}${of}`, asked, score))),
      ruleRow("rule, lines", variants),
      ruleRow("rule, whole hunks", inHunks(pairs, variants)),
      ruleRow("rule, cluster-mates", mates),
    ],
    notes: notesOf(pairs, leftOut),
  };
};

function rowOf(name: string, asked: readonly Asked[], score: Score): Row {
  const scored = asked.map(({ item, isFlagged, code, pair }) => ({
    item,
    positive: isFlagged,
    score: score(code, pair),
  }));
  return figuresRow(name, asked, { auc: aucOf(scored), fixedFlagged: stillFlagged(scored) });
}

/** What the stage leaves out: see fixedAlready. */
function ruleRow(name: string, asked: readonly Asked[]): Row {
  const cut = (wanted: boolean) =>
    bootstrapShare(
      asked
        .filter(({ isFlagged }) => isFlagged === wanted)
        .map(({ code, pair }) => [fixedAlready([hunkTokens(code)], pair) ? 1 : 0, 1]),
    );
  return figuresRow(name, asked, { cutFixed: cut(false), cutFlagged: cut(true) });
}

function figuresRow(name: string, asked: readonly Asked[], figures: Readonly<Record<string, Interval>>): Row {
  const entries = Object.entries(figures);
  return {
    name,
    n: new Set(asked.map(({ item }) => item)).size,
    metrics: Object.fromEntries(entries.map(([metric, { mean }]) => [metric, mean])),
    ci: Object.fromEntries(entries.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}

/**
 * Variants that are other code than what they were made of: a new layout alone changes nothing that
 * is compared.
 */
function askedByVariants(pairs: readonly FixPairRow[], names: RenamedNames): Asked[] {
  const tokens = (code: string) => textTokens(code).join(" ");
  return pairs.flatMap((pair, item): Asked[] => {
    const [flagged, fixed] = [variantOf(pair.flagged, names), variantOf(pair.fixed, names)];
    if (tokens(flagged) === tokens(pair.flagged) || tokens(fixed) === tokens(pair.fixed)) return [];
    return [
      { item, pair, code: flagged, isFlagged: true },
      { item, pair, code: fixed, isFlagged: false },
    ];
  });
}

/** The hunks of the one and the other, as variants, for the same pairs. */
function inHunks(pairs: readonly FixPairRow[], variants: readonly Asked[]): Asked[] {
  return variants.flatMap((one): Asked[] => {
    const pair = pairs[one.item];
    const hunk = one.isFlagged ? pair?.flaggedHunk : pair?.fixedHunk;
    return hunk === undefined ? [] : [{ ...one, code: variantOf(hunk, "local") }];
  });
}

/**
 * Of the fixed ones, how many are flagged by the threshold that lets nine of ten flagged ones
 * through.
 */
function stillFlagged(scored: readonly Scored[]): Interval {
  const flagged = scored.filter(({ positive }) => positive).map(({ score }) => score);
  const threshold = flagged.toSorted((a, b) => a - b)[Math.floor(flagged.length / 10)] ?? 0;
  return bootstrapShare(scored.flatMap(({ positive, score }) => (positive ? [] : [[score >= threshold ? 1 : 0, 1]])));
}

/**
 * The code of other comments on the same issue, as it was flagged and as it was fixed, held against
 * each pair.
 */
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
async function vectorLikeness(asked: readonly Asked[]): Promise<typeof codeLikeness> {
  const texts = [...new Set(asked.flatMap(({ code, pair }) => [code, pair.flagged, pair.fixed]))];
  const { vectors } = await localWords().embed(texts, "document");
  const known = new Map(texts.map((text, at) => [text, vectors[at] ?? null]));
  return (a, b) => {
    const [left, right] = [known.get(a), known.get(b)];
    return left && right ? left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0) : 0;
  };
}

function notesOf(pairs: readonly FixPairRow[], leftOut: ReadonlyMap<string, number>): string[] {
  const from = [...Map.groupBy(pairs, (pair) => pair.from)].map(([source, list]) => `${list.length} from a ${source}`);
  return [
    `${pairs.length} pairs of ${new Set(pairs.map(({ repo }) => repo)).size} repositories: ${from.join(", ")}`,
    `comments without a pair: ${[...leftOut].map(([reason, count]) => `${count} ${reason}`).join(", ")}`,
    "fixedFlagged: share of fixed code that is flagged by the threshold which lets nine of ten flagged ones through (chosen on the same pairs)",
    "cutFixed, cutFlagged: share that memory leaves out as fixed already",
  ];
}
