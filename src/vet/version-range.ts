// Does a range of an advisory hold a version? GitHub writes `< 1.2.3`, `>= 1.0, < 2.0`, `= 1.0.0`: all parts must hold.
import { compareVersions } from "./compare-versions.ts";

const PART = /^(<=|>=|<|>|=)?\s{0,10}([^\s<>=,]{1,100})$/;
/** Real ranges have two parts. */
const MOST_PARTS = 20;

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "=": (order) => order === 0,
};

/**
 * `unknown` when a part of the range or the version cannot be read and no other part rules the version out.
 *
 * @param ecosystem as in DependencyBump: it decides the order of versions
 */
export function inRange(ecosystem: string | null, range: string, version: string): "yes" | "no" | "unknown" {
  if (range.length > 2_000) return "unknown";
  const parts = range.split(",").map((part) => part.trim());
  if (parts.length > MOST_PARTS) return "unknown";
  const answers = parts.map((part) => partHolds(ecosystem, part, version));
  if (answers.includes(false)) return "no";
  return answers.includes(null) ? "unknown" : "yes";
}

function partHolds(ecosystem: string | null, part: string, version: string): boolean | null {
  const match = PART.exec(part);
  if (match === null) return null;
  const order = compareVersions(ecosystem, version, match[2] ?? "");
  return order === null ? null : (HOLDS[match[1] ?? "="]?.(order) ?? null);
}
