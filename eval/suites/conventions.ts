// Are comments grouped as people group them? Groups of recurring comments against labelled clusters.
import { createHash } from "node:crypto";
import { z } from "zod";
import { bootstrapShare } from "../../src/domain/figures/bootstrap-interval.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import { lowInformation } from "../../src/domain/text/low-information.ts";
import { ALIKE, recurringComments } from "../../src/learn/conventions.ts";
import { rowRecord } from "../../src/learn/learn.ts";
import { dataFingerprint, fingerprint, readRows, shapedRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";

const Cluster = z.object({ slug: z.string(), label: z.string(), ids: z.array(z.string()) });

/** The likeness of two comments of the same words, less what rounding may take. */
const SAME_WORDS = 1 - 1e-9;
const TRIED = [0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4];
/** Distinct pull requests, as the command asks for. */
const LEAST_PULLS = 3;

type Labels = ReadonlyMap<string, ReadonlySet<string>>;
type Repository = readonly MemoryRecord[];

/** One repository's sums: over and under each share. */
type Tally = Readonly<Record<(typeof SHARES)[number], readonly [number, number]>> & { readonly proposals: number };
const SHARES = ["pairPrecision", "pairRecall", "b3Precision", "b3Recall", "proposalsOfOneMeaning"] as const;

/** `default` is measured on the half of the repositories on which the threshold was not chosen. */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const rows = files.flatMap((file) => file.rows);
  const labels = labelsOf(rows);
  const repositories = [...Map.groupBy(recordsOf(rows), ({ repoName }) => repoName)];
  const half = (parity: number) =>
    repositories.filter(([name]) => parityOf(name) === parity).map(([, records]) => records);
  const [development, heldOut] = [half(0), half(1)];
  return {
    data: { n: repositories.reduce((sum, [, { length }]) => sum + length, 0), fingerprint: dataFingerprint(files) },
    config: { fingerprint: fingerprint({ suite: "conventions", ALIKE, LEAST_PULLS }) },
    rows: [
      rowOf("default", heldOut, labels, ALIKE),
      rowOf("same words", heldOut, labels, SAME_WORDS),
      ...TRIED.map((alike) => rowOf(`development half, ${alike}`, development, labels, alike)),
    ],
    printIntervals: ["pairPrecision", "pairRecall", "proposalsOfOneMeaning"],
    notes: [`${heldOut.length} repositories held out, ${development.length} for development; n counts remarks`],
  };
};

function recordsOf(rows: readonly unknown[]): MemoryRecord[] {
  const rules = { languageOf: () => "unknown", lowInformation };
  return rows.flatMap((row) => {
    if (typeof row !== "object" || row === null || !("hunk" in row && "createdAt" in row)) return [];
    const record = rowRecord(JSON.stringify(row), rules);
    return "kind" in record || record.provenance.authorIsBot ? [] : [record];
  });
}

function labelsOf(rows: readonly unknown[]): Labels {
  const labels = new Map<string, Set<string>>();
  for (const { ids, slug } of shapedRows(rows, "slug", Cluster)) {
    for (const id of ids) labels.set(id, (labels.get(id) ?? new Set()).add(slug));
  }
  if (labels.size === 0) throw new Error("there are no labelled clusters in this folder");
  return labels;
}

function parityOf(name: string): number {
  return (createHash("sha256").update(name).digest()[0] ?? 0) % 2;
}

function rowOf(name: string, repositories: readonly Repository[], labels: Labels, alike: number): Row {
  const tallies = repositories.map((records) => tallyOf(records, labels, alike));
  const intervals = SHARES.map((share) => [share, bootstrapShare(tallies.map((tally) => tally[share]))] as const);
  const metrics = Object.fromEntries(intervals.map(([share, { mean }]) => [share, mean]));
  const proposals = tallies.reduce((sum, tally) => sum + tally.proposals, 0);
  return {
    name,
    n: repositories.reduce((sum, { length }) => sum + length, 0),
    metrics: { ...metrics, proposals },
    ci: Object.fromEntries(intervals.map(([share, { low, high }]) => [share, [low, high] as const])),
  };
}

function tallyOf(records: Repository, labels: Labels, alike: number): Tally {
  const labelled = new Map(records.map(({ id, sourceId }) => [id, labels.get(sourceId) ?? new Set<string>()]));
  const areOne = (a: string, b: string) => [...(labelled.get(a) ?? [])].some((label) => labelled.get(b)?.has(label));
  const { remarks } = recurringComments(records, { least: 1, since: null, alike });
  const groupOf = new Map(remarks.flatMap(({ ids }) => ids.map((id) => [id, ids] as const)));
  const pairs = { right: 0, found: 0, labelled: 0 };
  const b3 = { precision: 0, recall: 0 };
  for (const { id } of records) {
    const group = groupOf.get(id) ?? [id];
    const right = group.filter((other) => other === id || areOne(id, other)).length;
    const all = records.filter((other) => other.id === id || areOne(id, other.id)).length;
    pairs.right += right - 1;
    pairs.found += group.length - 1;
    pairs.labelled += all - 1;
    b3.precision += right / group.length;
    b3.recall += right / all;
  }
  const proposed = remarks.filter(({ pulls }) => pulls >= LEAST_PULLS);
  const ofOne = proposed.filter(({ ids }) => mostlyOne(ids, areOne));
  return {
    pairPrecision: [pairs.right, pairs.found],
    pairRecall: [pairs.right, pairs.labelled],
    b3Precision: [b3.precision, records.length],
    b3Recall: [b3.recall, records.length],
    proposalsOfOneMeaning: [ofOne.length, proposed.length],
    proposals: proposed.length,
  };
}

/** More than half of the pairs have one label. */
function mostlyOne(ids: readonly string[], areOne: (a: string, b: string) => boolean): boolean {
  const pairs = ids.flatMap((id, at) => ids.slice(at + 1).map((other) => areOne(id, other)));
  return pairs.filter(Boolean).length * 2 > pairs.length;
}
