// What a distance threshold, or a length of the list, would have let through.
import { meanOf } from "./metrics.ts";

export interface Candidate {
  readonly distance: number;
  readonly isTruth: boolean;
}

/** One query with all memories that the stage ranked for it. */
export interface Judged {
  readonly repo: string;
  /** In the default order. */
  readonly ranked: readonly boolean[];
  readonly truths: number;
  readonly near: readonly Candidate[];
  /** The same by the distance to a changed hunk: which decides "seen before". */
  readonly nearHunk: readonly Candidate[];
}

/** Shares 0–1 and their F1; `admitted` counts. */
export interface Counts {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly admitted: number;
}

function counts(hits: number, admitted: number, truths: number): Counts {
  const precision = admitted === 0 ? 0 : hits / admitted;
  const recall = truths === 0 ? 0 : hits / truths;
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall), admitted };
}

/** Of what lies within the threshold. */
export function figures({ near, truths }: Judged, threshold: number): Counts {
  const admitted = near.filter(({ distance }) => distance <= threshold);
  return counts(admitted.filter(({ isTruth }) => isTruth).length, admitted.length, truths);
}

/** Of the first so many. */
export function figuresOfLength({ ranked, truths }: Judged, length: number): Counts {
  const first = ranked.slice(0, length);
  return counts(first.filter((isTruth) => isTruth).length, first.length, truths);
}

/** F1, averaged over queries. */
export const macro = (list: readonly Judged[], threshold: number) =>
  meanOf(list.map((one) => figures(one, threshold).f1));
export const ofLength = (list: readonly Judged[], length: number) =>
  meanOf(list.map((one) => figuresOfLength(one, length).f1));

/** @param values strictest first: of equal scores the first is taken */
export function strictestBest(values: readonly number[], score: (value: number) => number): number {
  const scores = values.map(score);
  return values[scores.indexOf(Math.max(...scores))] ?? 0;
}
