// Decides which findings are held back: below the severity threshold, style that the author asked to skip, duplicates.

import type { Suppression } from "../config/suppression.ts";
import { pathPattern, titlePattern } from "../config/suppression-pattern.ts";
import {
  atLeast,
  type Finding,
  type HeldBack,
  isAlwaysReported,
  SEVERITIES,
  type Severity,
} from "../domain/finding.ts";
import type { PlacedFinding } from "../domain/review.ts";
import type { Profile } from "../domain/signals.ts";
import { leastSeverity } from "./floors.ts";

/** What decides whether a finding is posted. */
export interface ReportingPolicy {
  /** `review.severityThreshold`; undefined leaves it to the profile. */
  readonly severityThreshold: Severity | undefined;
  readonly profile: Profile;
  /** The source of the profile: the configuration, or a tag of the title. */
  readonly profileFrom: "configuration" | "title";
  /** True when the title holds [style-ok]. */
  readonly styleOk: boolean;
  /** `review.suppress`. */
  readonly suppress: readonly Suppression[];
  /** Ids of findings with a comment of ours on the pull request. */
  readonly posted: ReadonlySet<string>;
  /** Reasons by id for findings that a person declined on this pull request. */
  readonly declined: ReadonlyMap<string, string>;
}

interface FilteredFindings {
  /** In the given order; those with a comment on the pull request are placed `already-posted`. */
  readonly said: readonly PlacedFinding[];
  readonly heldBack: readonly HeldBack[];
}

/** Splits findings into those to post and those held back. Together they are all input findings. */
export function filterFindings(placed: readonly PlacedFinding[], policy: ReportingPolicy): FilteredFindings {
  const heldBack: HeldBack[] = [];
  const suppressed = suppressor(policy.suppress);
  const wanted = placed.filter((one) => {
    const reason = unwanted(one, policy) ?? suppression(suppressed(one.finding));
    if (reason !== null) heldBack.push({ finding: one.finding, reason });
    return reason === null;
  });
  const { first, repeats } = withoutRepeats(wanted, policy.posted);
  const said = first.map((one): PlacedFinding => {
    if (!policy.posted.has(one.finding.id)) return one;
    return { finding: one.finding, place: "already-posted", reason: "already commented on" };
  });
  return { said, heldBack: [...heldBack, ...repeats] };
}

function unwanted({ finding }: PlacedFinding, policy: ReportingPolicy): string | null {
  const declined = policy.declined.get(finding.id);
  if (declined !== undefined) return declined;
  const floor = policy.severityThreshold ?? leastSeverity(finding, policy.profile);
  if (!atLeast(finding.severity, floor)) {
    return policy.severityThreshold === undefined
      ? `below ${floor}, the threshold of the ${policy.profile} profile (from the ${policy.profileFrom})`
      : `below ${floor}, the configured threshold`;
  }
  return policy.styleOk && finding.category === "style" ? "style, and the title says [style-ok]" : null;
}

function suppression(found: Suppression | null): string | null {
  return found === null ? null : `suppressed by ${JSON.stringify(found.pattern)}, one of review.suppress`;
}

/**
 * Among findings with one id, and among findings of one category on one line, the most severe stays. A model's finding
 * never replaces a rule's, however severe it claims to be: the text that it read may have manipulated it.
 */
function withoutRepeats(placed: readonly PlacedFinding[], posted: ReadonlySet<string>) {
  const byWeight = [...placed].sort((a, b) => weigh(a, b, posted));
  const said = newSaid();
  const reasons = new Map<PlacedFinding, string>();
  for (const one of byWeight) {
    const reason = said.repeats(one);
    if (reason === null) said.add(one);
    else reasons.set(one, reason);
  }
  const repeats = placed.flatMap((one): HeldBack[] => {
    const reason = reasons.get(one);
    return reason === undefined ? [] : [{ finding: one.finding, reason }];
  });
  return { first: placed.filter((one) => !reasons.has(one)), repeats };
}

/** The findings so far, most severe first. */
function newSaid() {
  const ids = new Set<string>();
  const byAll = new Map<string, PlacedFinding>();
  const byRules = new Map<string, PlacedFinding>();
  const placeOf = ({ finding: { path, side, line, category } }: PlacedFinding) =>
    JSON.stringify([path, side, line, category]);
  return {
    repeats(one: PlacedFinding): string | null {
      if (ids.has(one.finding.id)) return "the same finding was reported twice";
      const stronger = (one.finding.source === "rule" ? byRules : byAll).get(placeOf(one));
      if (stronger === undefined || stronger.finding.rule === one.finding.rule) return null;
      return `${voice(stronger)} reports the same line, at least as severely`;
    },
    add(one: PlacedFinding): void {
      const place = placeOf(one);
      ids.add(one.finding.id);
      if (!byAll.has(place)) byAll.set(place, one);
      if (one.finding.source === "rule" && !byRules.has(place)) byRules.set(place, one);
    },
  };
}

/** Most severe first; then existing comments (to avoid a second one), then the more confident one. */
function weigh(a: PlacedFinding, b: PlacedFinding, posted: ReadonlySet<string>): number {
  const severity = SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity);
  if (severity !== 0) return severity;
  const existing = Number(posted.has(b.finding.id)) - Number(posted.has(a.finding.id));
  return existing !== 0 ? existing : b.finding.confidence - a.finding.confidence;
}

function voice({ finding }: PlacedFinding): string {
  return finding.rule === null ? "another finding" : `rule ${finding.rule}`;
}

// Suppresses findings by the repository's patterns. Critical and security findings are always reported.

export type Suppressible = Pick<Finding, "title" | "severity" | "category" | "path">;

/**
 * Compiles a repository's suppressions, once for all findings of a review. Never throws: an invalid pattern matches
 * nothing (the configuration has rejected it before).
 *
 * @returns the first matching suppression, or null. Critical and security findings have none
 */
export function suppressor(suppressions: readonly Suppression[]): (finding: Suppressible) => Suppression | null {
  const compiled = suppressions.map((suppression) => ({ suppression, fits: fitting(suppression) }));
  return (finding) => {
    if (isAlwaysReported(finding)) return null;
    return compiled.find(({ fits }) => fits(finding))?.suppression ?? null;
  };
}

/** Every given part must match. */
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
