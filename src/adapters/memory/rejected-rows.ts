// What people said against findings, a row for each finding and person -> findings with all who spoke.
import type { Category } from "../../domain/finding.ts";
import type { RejectedMemory, Rejection } from "../../domain/rejections.ts";

/** Rows that are read at most, the newest. */
export const MOST_REJECTED = 5_000;

export interface RejectedRow {
  readonly mem: string;
  readonly pull: number | null;
  readonly path: string | null;
  readonly category: Category | null;
  readonly rule: string | null;
  readonly foundAt: string | null;
  readonly by: string;
  readonly is_writer: boolean | number;
  readonly reason: string | null;
  readonly url: string | null;
  readonly at: number;
  readonly is_reaction: boolean | number;
}

/** @param rows the newest first; flags are booleans, or 0 and 1 @returns each with the oldest word first */
export function rejectedMemories(rows: readonly RejectedRow[]): RejectedMemory[] {
  const found = new Map<string, RejectedMemory & { readonly each: Rejection[] }>();
  for (const { mem, pull, path, category, rule, foundAt, ...one } of rows) {
    const { by, is_writer, reason, url, at, is_reaction } = one;
    const memory = found.get(mem) ?? { memoryId: mem, pull, path, category, rule, url: foundAt, each: [] };
    const how = is_reaction ? { isReaction: true } : {};
    memory.each.unshift({ by, isWriter: Boolean(is_writer), reason, url, at, ...how });
    found.set(mem, memory);
  }
  return [...found.values()];
}
