// What masking takes from the model: a line that may hold a secret is shown without it, so it was not read.
import type { FileCoverage } from "../domain/review.ts";
import type { Reading, ReadingPlan } from "./plan-reading.ts";

/** A text with its secrets masked; the number of lines stays. */
export type Mask = (text: string) => Promise<string>;

/** A line of the change as it stands in a reading: with its anchor and its sign. */
export interface MaskedLine {
  readonly path: string;
  readonly text: string;
}

/** The plan with its readings as they will be sent; a file with a masked line counts as read in part. */
export async function maskedPlan(plan: ReadingPlan, mask: Mask): Promise<ReadingPlan> {
  const seen = await Promise.all(plan.readings.map((reading) => maskedReading(reading, mask)));
  const counts = new Map<string, number>();
  for (const { path } of seen.flatMap(({ masked }) => masked)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return {
    readings: seen.map(({ reading }) => reading),
    coverage: plan.coverage.map((file) => lessMasked(file, counts.get(file.path) ?? 0)),
  };
}

const HEADING = /^### FILE /;
const ANCHORED = /^-?\d+#[0-9a-f]+:/;

/** The reading as it will be sent, and which lines of the change are not as they were. */
export async function maskedReading(
  reading: Reading,
  mask: Mask,
): Promise<{ readonly reading: Reading; readonly masked: readonly MaskedLine[] }> {
  const text = await mask(reading.text);
  if (text === reading.text) return { reading, masked: [] };
  const shown = text.split("\n");
  const masked: MaskedLine[] = [];
  let file = -1;
  for (const [at, line] of reading.text.split("\n").entries()) {
    // No other line begins so: those of the change have an anchor.
    if (HEADING.test(line)) file++;
    else if (line !== shown[at] && ANCHORED.test(line)) masked.push({ path: reading.paths[file] ?? "", text: line });
  }
  return { reading: { ...reading, text }, masked };
}

function lessMasked(file: FileCoverage, lines: number): FileCoverage {
  if (lines === 0) return file;
  const what =
    lines === 1
      ? "a line that may hold a secret was hidden from the model"
      : `${lines} lines that may hold a secret were hidden from the model`;
  return { path: file.path, state: "partial", reason: file.reason === null ? what : `${file.reason}; ${what}` };
}
