// The size of the change.
import type { FileDiff } from "../domain/pull-request.ts";
import type { ChangeMetrics, FileFacts, FileKind } from "../domain/signals.ts";

/**
 * Counts over the reviewed files. Line counts come from the source, so a file without delivered hunks still counts.
 *
 * @param files the reviewed files, with `facts` in the same order
 */
export function changeMetrics(files: readonly FileDiff[], facts: readonly FileFacts[]): ChangeMetrics {
  const filesByKind: Record<FileKind, number> = { source: 0, test: 0, config: 0, docs: 0, infra: 0 };
  for (const { kind } of facts) filesByKind[kind]++;
  return {
    files: files.length,
    added: sum(files, (file) => file.additions),
    removed: sum(files, (file) => file.deletions),
    hunks: sum(files, (file) => file.hunks.length),
    filesByKind,
  };
}

function sum(files: readonly FileDiff[], of: (file: FileDiff) => number): number {
  return files.reduce((total, file) => total + of(file), 0);
}
