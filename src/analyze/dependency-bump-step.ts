// How far a bump goes: two versions come in, as bots write them; major, minor, patch or unknown comes out.
import semver from "semver";
import type { SemverStep } from "../domain/signals.ts";

/** `1.2`, `v3`, `^4.4.0`, `2024.1.1`, `1.2.3.4`, `11.0.0-beta.3`, `1.24-alpine`; a commit hash is no version. */
const VERSION = /^[v^~>=<]{0,3}\d{1,9}(?:\.\d{1,9}){0,5}(?:[-+.][\w.+-]{0,100})?$/i;
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * The semver step between two versions in either direction; the first of major, minor that differs, else patch. Partial,
 * calendar and four-part versions are read as their first three numbers. "unknown" when one is missing, is not a
 * version, or both are the same.
 */
export function bumpStep(from: string | null, to: string | null): SemverStep {
  const before = version(from);
  const after = version(to);
  if (before === null || after === null || from === to) return "unknown";
  if (before.major !== after.major) return "major";
  return before.minor === after.minor ? "patch" : "minor";
}

function version(text: string | null): semver.SemVer | null {
  return text !== null && VERSION.test(text) && !HASH.test(text) ? semver.coerce(text) : null;
}
