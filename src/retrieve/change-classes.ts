// What a change wholly consists of. A class holds only when every changed file is in it; one file that is not, and the
// change is worth a search.
import type { LeftOut } from "../domain/outcome.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import type { FileFacts, Risk } from "../domain/signals.ts";

/** The changed files as gather parted them. */
export interface ChangedFiles {
  readonly files: readonly FileDiff[];
  readonly facts: readonly FileFacts[];
  readonly leftOut: readonly LeftOut[];
}

/** Why a file was left out, as far as it speaks for a whole class; any other reason may hide something. */
const LEFT_OUT: readonly (readonly [RegExp, "lock" | "made" | "empty"])[] = [
  [/^lock file$/, "lock"],
  [/^(?:vendored|build output|installed packages|minified|source map|test snapshot|generated)\b/, "made"],
  [/^(?:binary|submodule|symbolic link)$|^pathFilters: |^no glob of pathFilters matches$/, "empty"],
];

const LOCK_NAMES = new Set(
  (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb cargo.lock go.sum poetry.lock uv.lock " +
    "pipfile.lock gemfile.lock composer.lock packages.lock.json flake.lock gradle.lockfile"
  ).split(" "),
);

/** Lock files only. */
export function isLockFilesOnly({ files, leftOut }: ChangedFiles): boolean {
  return (
    files.length + leftOut.length > 0 &&
    files.every(({ path }) => isLockFile(path)) &&
    leftOut.every((file) => classOf(file) === "lock" || isLockFile(file.path))
  );
}

/**
 * Written by programs or by others: generated, vendored, build output, snapshots; lock files may come along. What gather
 * kept for review is code that people write, whatever its folder is called.
 */
export function isGeneratedOnly({ files, leftOut }: ChangedFiles): boolean {
  const reasons = leftOut.map(classOf);
  return (
    reasons.includes("made") &&
    reasons.every((reason) => reason === "made" || reason === "lock") &&
    files.every(({ path }) => isLockFile(path))
  );
}

/** Nothing whose lines are reviewed: left out for reasons we know, binary, or renamed and re-moded without a changed line. */
export function isNothingToReview({ files, leftOut }: ChangedFiles): boolean {
  return (
    files.length + leftOut.length > 0 &&
    files.every(isWithoutLines) &&
    leftOut.every((file) => classOf(file) !== "unknown")
  );
}

/** Manifests and lock files only: every path is evidence of the dependency risk, or a lock file. */
export function isManifestsOnly({ files, leftOut }: ChangedFiles, risks: readonly Risk[]): boolean {
  const evidence = risks.find(({ id }) => id === "dependencies")?.evidence ?? [];
  const manifests = new Set(evidence.map(({ path }) => path));
  return (
    files.length + leftOut.length > 0 &&
    files.every(({ path }) => manifests.has(path) || isLockFile(path)) &&
    leftOut.every((file) => classOf(file) === "lock" || manifests.has(file.path))
  );
}

export function isLockFile(path: string): boolean {
  return LOCK_NAMES.has(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}

function isWithoutLines({ binary, complete, additions, deletions, hunks }: FileDiff): boolean {
  return binary || (complete && additions === 0 && deletions === 0 && hunks.length === 0);
}

function classOf({ reason }: LeftOut): "lock" | "made" | "empty" | "unknown" {
  return LEFT_OUT.find(([pattern]) => pattern.test(reason))?.[1] ?? "unknown";
}
