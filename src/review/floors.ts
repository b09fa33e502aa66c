// What each profile reports. The figures behind floors.json are in eval/README.md, "Where the floors are".
import type { Category, Finding, Severity } from "../domain/finding.ts";
import type { Profile } from "../domain/signals.ts";
import table from "./floors.json" with { type: "json" };

interface Floor {
  /** Least chance, 0–1, that a model's finding is real, and that its author would change the code. */
  readonly odds: number;
  /** Least severity of what a rule finds. */
  readonly rules: Severity;
  /** Least severity of a model's findings about what the code does, and of those about how it is written. */
  readonly defects: Severity;
  readonly others: Severity;
}

const FLOORS = table.profiles as Readonly<Record<Profile, Floor>>;

/** Findings of these categories are about how code is written, not about what it does. */
const OTHERS: ReadonlySet<Category> = new Set<Category>(["maintainability", "docs", "style"]);

/** The least odds of a model's finding: 0–1, for each of the two. */
export function leastOdds(profile: Profile): number {
  return FLOORS[profile].odds;
}

/** The least severity at which the profile reports a finding of this source and category. */
export function leastSeverity({ source, category }: Pick<Finding, "source" | "category">, profile: Profile): Severity {
  const { rules, defects, others } = FLOORS[profile];
  if (source !== "model") return rules;
  return OTHERS.has(category) ? others : defects;
}
