// The step of an update from its two versions. Lower than before is a downgrade, even if the title says update.
import type { UpdateStep } from "../domain/dependency-update.ts";
import { compareVersions } from "./compare-versions.ts";

const NUMBERS = /^v?(?:(\d{1,9})!)?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?/i;
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * The first of the numbers that differs names the step. "unknown" when a version is missing, cannot be read (a commit, a
 * branch), or is the same as before.
 */
export function updateStep(ecosystem: string | null, from: string | null, to: string | null): UpdateStep {
  if (from === null || to === null || HASH.test(from) || HASH.test(to)) return "unknown";
  const order = compareVersions(ecosystem, from, to);
  if (order === null || order === 0) return "unknown";
  if (order > 0) return "downgrade";
  const [a, b] = [NUMBERS.exec(from), NUMBERS.exec(to)];
  if (a === null || b === null) return "unknown";
  const differs = [1, 2, 3, 4].find((at) => Number(a[at] ?? 0) !== Number(b[at] ?? 0));
  if (differs === undefined) return isPrerelease(from) || isPrerelease(to) ? "prerelease" : "patch";
  if (differs <= 2) return "major";
  return differs === 3 ? "minor" : "patch";
}

/** Words that occur only in prereleases, in any ecosystem. */
const PRERELEASE =
  /\d[-_.]?(?:a|b|c|rc|cr|alpha|beta|pre|preview|dev|m|milestone|snapshot|next|canary|nightly|insiders)(?![a-z])/i;

/** Go's pseudo-versions also count: they name commits and not releases. */
export function isPrerelease(version: string): boolean {
  return PRERELEASE.test(version.slice(0, 100)) || /-(?:0\.)?\d{14}-[0-9a-f]{12}/.test(version.slice(0, 100));
}

const COMMIT = /^(?=\d{0,40}[a-f])[0-9a-f]{7,40}$/i;

/** A version without a manifest's prefix: `^1.2.3`, `~> 1.2`, `==1.2`, `v1.2`; null when the rest is not a version. */
export function bareVersion(text: string): string | null {
  const bare = text
    .trim()
    .slice(0, 120)
    .replace(/^(?:\^|~>|[~=<>]{1,3})\s{0,5}/, "")
    .replace(/^v(?=\d)/i, "");
  return /^\d[\w.!+~-]{0,99}$/.test(bare) && !COMMIT.test(bare) ? bare : null;
}

/**
 * The key that identifies a package across sources. Case never distinguishes packages in practice; PyPI treats `-`, `_` and
 * `.` alike.
 */
export function packageKey(ecosystem: string | null, name: string): string {
  const lower = name.toLowerCase();
  return `${ecosystem ?? ""}:${ecosystem === "python" ? lower.replace(/[-_.]{1,200}/g, "-") : lower}`;
}
