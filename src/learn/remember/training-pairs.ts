// Exports memories as examples for tuning an embedder: a situation with its code, and with other
// code. No training happens here.
import { createHash } from "node:crypto";
import type { MemoryRecord } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";

/** A situation beside code, which is of memory `of`: the same one for a positive. */
interface TrainingPair {
  readonly kind: "positive" | "random-negative" | "hard-negative";
  readonly memory: string;
  readonly situation: string;
  readonly snippet: string;
  readonly of: string;
}

/** Characters of a situation; embedders for code are tuned on less. */
const SITUATION_CHARS = 2_000;

/**
 * For each memory with a hunk, in the given order: the positive; a random negative, the same at
 * every export (by hash of the id); and a hard negative, the most similar memory with other code.
 * Memories of one pull request are no negatives of each other, because they are often about the
 * same place.
 *
 * @param alike id → ids of similar memories, most similar first
 */
export function trainingPairs(
  records: readonly MemoryRecord[],
  alike: ReadonlyMap<string, readonly string[]>,
): readonly TrainingPair[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const withHunk = records.filter(({ hunk }) => hunk !== null);
  return withHunk.flatMap((record) => {
    const hard = (alike.get(record.id) ?? []).flatMap((id) => byId.get(id) ?? []).find((one) => isOther(record, one));
    return [
      pairOf("positive", record, record),
      pairOf("random-negative", record, randomOther(record, withHunk)),
      pairOf("hard-negative", record, hard),
    ].filter((pair) => pair !== null);
  });
}

function pairOf(kind: TrainingPair["kind"], about: MemoryRecord, from: MemoryRecord | undefined): TrainingPair | null {
  if (from === undefined || from.hunk === null) return null;
  const situation = cutText(about.situation ?? about.text, SITUATION_CHARS).toWellFormed();
  return { kind, memory: about.id, situation, snippet: from.hunk, of: from.id };
}

function randomOther(record: MemoryRecord, withHunk: readonly MemoryRecord[]): MemoryRecord | undefined {
  const start = createHash("sha256").update(record.id).digest().readUInt32BE() % withHunk.length;
  for (let step = 0; step < withHunk.length; step += 1) {
    const other = withHunk[(start + step) % withHunk.length];
    if (other !== undefined && isOther(record, other)) return other;
  }
  return undefined;
}

function isOther(record: MemoryRecord, other: MemoryRecord): boolean {
  const samePull = record.provenance.pull !== null && record.provenance.pull === other.provenance.pull;
  return other.id !== record.id && !samePull && other.hunk !== null && other.hunk !== record.hunk;
}
