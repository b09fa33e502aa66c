// From which distance on is a memory of the local embedder relevant? Thresholds, confidence edges
// and list lengths are chosen on one half of the repositories of task G and reported for the other.
import { createHash } from "node:crypto";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { readJudged } from "../judged-data.ts";
import { bootstrap, meanOf } from "../metrics.ts";
import { taskOf } from "../retrieval-task.ts";
import { mustHoldTruth } from "../run-all-queries.ts";
import { type Arm, questionOf, runRetrieval } from "../run-retrieval.ts";
import type { Row, Suite } from "../suite.ts";
import { withStore } from "../temporary-store.ts";
import {
  type Candidate,
  type Counts,
  figures,
  figuresOfLength,
  type Judged,
  macro,
  ofLength,
  strictestBest,
} from "../threshold-sweep.ts";

/** Fewer pairs than this say nothing about an edge. */
const LEAST_PAIRS = 20;
const ALL: Arm = { name: "default", retrieval: { topK: 300 } };
const STEP = 0.01;
const THRESHOLDS = Array.from({ length: 61 }, (_, at) => Math.round((0.4 + at * STEP) * 100) / 100);
const LENGTHS = Array.from({ length: 20 }, (_, at) => at + 1);
/**
 * `high` is where a pair is labelled three times as often as among all candidates, and so on:
 * labels are incomplete.
 */
const LIFTS = [
  ["high", 3],
  ["medium", 2],
  ["low", 1.5],
] as const;

export const suite: Suite = async ({ data, flags }) => {
  const judged = await readJudged(data);
  const repos = flags.get("repos");
  const asked = taskOf("G", judged, repos === undefined ? null : new Set(repos.split(",")));
  return withStore(async (store) => {
    await store.importLines(asked.lines);
    await mustHoldTruth(asked, store);
    const answers: Judged[] = [];
    for (const query of asked.queries) {
      const { precedents } = await runRetrieval(questionOf(query), ALL, store);
      const candidate = (id: string, distance: number) => ({ distance, isTruth: query.truth.has(id) });
      answers.push({
        repo: query.repo,
        ranked: precedents.ranked.map(({ record }) => query.truth.has(record.sourceId)),
        truths: query.truth.size,
        near: precedents.ranked.flatMap(({ record, distance }) =>
          distance === null ? [] : [candidate(record.sourceId, distance)],
        ),
        nearHunk: precedents.ranked.flatMap(({ record, nearestHunk }) =>
          nearestHunk === null ? [] : [candidate(record.sourceId, nearestHunk.distance)],
        ),
      });
    }
    const [chosen, told] = [answers.filter(({ repo }) => isFirst(repo)), answers.filter(({ repo }) => !isFirst(repo))];
    const threshold = strictestBest(THRESHOLDS, (at) => macro(chosen, at));
    const length = strictestBest(LENGTHS, (at) => ofLength(chosen, at));
    const edges = LIFTS.map(([name, lift]) => ({ name, edge: edgeOf(chosen, lift) }));
    return {
      data: { n: answers.length, fingerprint: judged.fingerprint },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows: [
        rowOf(`threshold ${threshold}, chosen`, chosen, (one) => figures(one, threshold)),
        rowOf(`threshold ${threshold}, told`, told, (one) => figures(one, threshold)),
        rowOf(`shipped threshold ${store.embedder.threshold}, told`, told, (one) =>
          figures(one, store.embedder.threshold),
        ),
        ...bucketRows(edges, chosen, "chosen"),
        ...bucketRows(edges, told, "told"),
        rowOf(`first ${length}, chosen`, chosen, (one) => figuresOfLength(one, length)),
        rowOf(`first ${length}, told`, told, (one) => figuresOfLength(one, length)),
      ],
      notes: [
        `chosen on ${chosen.length} queries of ${repositories(chosen)} repositories, told of ${told.length} of ${repositories(told)}`,
        "macro F1 by threshold (chosen/told):",
        ...sweep(
          THRESHOLDS.filter((_, at) => at % 3 === 0),
          (at) => [macro(chosen, at), macro(told, at)],
        ),
        "macro F1 by length of the list (chosen/told):",
        ...sweep(LENGTHS, (at) => [ofLength(chosen, at), ofLength(told, at)]),
        "precision of the pairs nearer to a changed hunk than this (chosen/told), and how many:",
        ...[0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75].map((at) => hunkLine(at, chosen, told)),
      ],
    };
  });
};

/** Half of the repositories, by a hash of the name. */
function isFirst(repo: string): boolean {
  return (createHash("sha256").update(repo).digest()[0] ?? 0) % 2 === 0;
}

function repositories(list: readonly Judged[]): number {
  return new Set(list.map(({ repo }) => repo)).size;
}

/**
 * The largest distance up to which pairs are labelled so many times as often as all are; 0 when
 * there is none.
 */
function edgeOf(list: readonly Judged[], lift: number): number {
  const pairs = list.flatMap(({ near }) => near);
  const labelled = (some: readonly Candidate[]) => meanOf(some.map(({ isTruth }) => (isTruth ? 1 : 0)));
  const wanted = lift * labelled(pairs);
  return (
    THRESHOLDS.findLast((edge) => {
      const within = pairs.filter(({ distance }) => distance <= edge);
      return within.length >= LEAST_PAIRS && labelled(within) >= wanted;
    }) ?? 0
  );
}

function bucketRows(
  edges: readonly { readonly name: string; readonly edge: number }[],
  list: readonly Judged[],
  half: string,
): Row[] {
  const pairs = list.flatMap(({ near }) => near);
  return [...edges, { name: "very_low", edge: 2 }].map(({ name, edge }, at) => {
    const from = edges[at - 1]?.edge ?? -1;
    const values = pairs
      .filter(({ distance }) => distance > from && distance <= edge)
      .map(({ isTruth }) => (isTruth ? 1 : 0));
    const { mean, low, high } = bootstrap(values);
    return {
      name: `${name}: distance ${from < 0 ? "" : `${from} < `}d ≤ ${edge}, ${half}`,
      n: values.length,
      metrics: { precision: mean },
      ci: { precision: [low, high] },
    };
  });
}

function rowOf(name: string, list: readonly Judged[], of: (one: Judged) => Counts): Row {
  const all = list.map(of);
  const intervals = (["f1", "precision", "recall", "admitted"] as const).map(
    (metric) => [metric, bootstrap(all.map((one) => one[metric]))] as const,
  );
  return {
    name,
    n: list.length,
    metrics: Object.fromEntries(intervals.map(([metric, { mean }]) => [metric, mean])),
    ci: Object.fromEntries(intervals.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}

function sweep(values: readonly number[], of: (value: number) => readonly [number, number]): string[] {
  return [
    values
      .map(
        (value) =>
          `${value}: ${of(value)
            .map((f1) => f1.toFixed(3))
            .join("/")}`,
      )
      .join("  "),
  ];
}

function hunkLine(edge: number, ...halves: readonly (readonly Judged[])[]): string {
  const told = halves.map((list) => {
    const pairs = list.flatMap(({ nearHunk }) => nearHunk).filter(({ distance }) => distance <= edge);
    return `${meanOf(pairs.map(({ isTruth }) => (isTruth ? 1 : 0))).toFixed(3)} (${pairs.length})`;
  });
  return `  ${edge}: ${told.join(" / ")}`;
}
