// How far a dependency bump goes, read from the manifests where the title does not say: a group bump names no versions.
import semver from "semver";
import type { DiffLine, FileDiff } from "../domain/pull-request.ts";
import type { DependencyBump } from "../domain/signals.ts";

/**
 * True when no dependency of the bump takes a major step: by the bump's own step, or, where that is unknown, because each
 * removed line of the reviewed manifests has an added line that differs in a version of the same major (for 0.x, of the
 * same minor). In doubt false.
 */
export function isMinorBump(bump: Pick<DependencyBump, "step">, files: readonly FileDiff[]): boolean {
  if (bump.step !== "unknown") return bump.step !== "major";
  const changed = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
  const removed = versions(changed, "removed");
  const added = versions(changed, "added");
  if (removed === null || added === null || removed.size === 0 || removed.size !== added.size) return false;
  return [...removed].every(([name, before]) => {
    const after = added.get(name);
    return after !== undefined && line(before) === line(after);
  });
}

/** Version by the rest of its line, or null when a changed line has none or two lines look the same. */
function versions(lines: readonly DiffLine[], kind: DiffLine["kind"]): ReadonlyMap<string, semver.SemVer> | null {
  const found = new Map<string, semver.SemVer>();
  for (const { text } of lines.filter((each) => each.kind === kind && each.text.trim() !== "")) {
    const match = text.length > 500 ? null : /\d+(?:\.\d+){0,3}(?:-[\w.]{1,40})?(?=\D*$)/.exec(text);
    const version = match === null ? null : semver.coerce(match[0]);
    if (match === null || version === null) return null;
    const name = text.slice(0, match.index);
    if (found.has(name)) return null;
    found.set(name, version);
  }
  return found;
}

/** What may not change in a step that keeps its promises. */
function line({ major, minor }: semver.SemVer): string {
  return major === 0 ? `0.${minor}` : `${major}`;
}
