// Findings that a repository does not want to hear about again, by pattern. What is critical or about security is always said.
import type { Suppression } from "../config/suppression.ts";
import { pathPattern, titlePattern } from "../config/suppression-pattern.ts";
import { type Finding, isAlwaysSaid } from "../domain/finding.ts";

export type Suppressible = Pick<Finding, "title" | "severity" | "category" | "path">;

/**
 * Compiles what a repository wrote, once for all findings of a review. Never throws: a pattern that cannot be read fits
 * nothing (the configuration has refused it before).
 *
 * @returns the first suppression that holds, or null. Critical findings and findings about security have none
 */
export function suppressor(suppressions: readonly Suppression[]): (finding: Suppressible) => Suppression | null {
  const compiled = suppressions.map((suppression) => ({ suppression, fits: fitting(suppression) }));
  return (finding) => {
    if (isAlwaysSaid(finding)) return null;
    return compiled.find(({ fits }) => fits(finding))?.suppression ?? null;
  };
}

/** Every part that was given must hold. */
function fitting({ pattern, severities, categories, paths }: Suppression): (finding: Suppressible) => boolean {
  const title = titlePattern(pattern);
  if ("problem" in title) return () => false;
  const globs = paths.map(pathPattern);
  return (finding) =>
    (severities.length === 0 || severities.some((severity) => severity === finding.severity)) &&
    (categories.length === 0 || categories.some((category) => category === finding.category)) &&
    (globs.length === 0 || globs.some((glob) => "matches" in glob && glob.matches(finding.path))) &&
    title.matches(finding.title);
}
