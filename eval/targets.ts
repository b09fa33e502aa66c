// What a retrieval of this kind is asked to reach, and what others report of theirs, beside what
// was measured. It never decides a test: the labels of the data are incomplete, so precision and
// the share of false positives cannot reach what others report.
import type { Row } from "./suite.ts";

interface Target {
  readonly metric: string;
  readonly than: "over" | "under";
  readonly value: number;
  readonly of: "target" | "figure to beat";
}

export const TARGETS: readonly Target[] = [
  { metric: "recall@5", than: "over", value: 0.6, of: "target" },
  { metric: "recall@10", than: "over", value: 0.8, of: "target" },
  { metric: "mrr", than: "over", value: 0.4, of: "target" },
  { metric: "precision@5", than: "over", value: 0.3, of: "target" },
  { metric: "fpr", than: "under", value: 0.7, of: "target" },
  // Of an earlier system by meaning, by both, and reranked.
  { metric: "precision@5", than: "over", value: 0.75, of: "figure to beat" },
  { metric: "precision@5", than: "over", value: 0.8, of: "figure to beat" },
  { metric: "precision@5", than: "over", value: 0.9, of: "figure to beat" },
  { metric: "recall@10", than: "over", value: 0.85, of: "figure to beat" },
  { metric: "recall@10", than: "over", value: 0.9, of: "figure to beat" },
];

/**
 * By how many of the relevant are found among ten; the last one that a row reaches is its stage.
 */
export const STAGES = [0.1, 0.4, 0.5, 0.6, 0.7] as const;

/** One line a target that the row has a figure for, and one for the stage. */
export function targetLines({ name, metrics }: Pick<Row, "name" | "metrics">): readonly string[] {
  const judged = TARGETS.flatMap(({ metric, than, value, of }) => {
    const figure = metrics[metric];
    if (figure === undefined) return [];
    const isMet = than === "over" ? figure > value : figure < value;
    return `${name}: ${metric} ${figure.toFixed(3)}, ${of} ${than} ${value}: ${isMet ? "met" : "missed"}`;
  });
  const recall = metrics["recall@10"];
  if (recall === undefined) return judged;
  const stage = STAGES.filter((gate) => recall >= gate).length;
  return [...judged, `${name}: stage ${stage} of ${STAGES.length} by recall@10`];
}
