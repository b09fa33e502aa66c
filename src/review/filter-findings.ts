// Decides which findings are held back: too mild, unwanted style, suppressed, duplicates.

import { fileList, titlePattern } from "../config/patterns.ts";
import type { Suppression } from "../config/repo-config.ts";
import {
  atLeast,
  type Category,
  type Finding,
  type HeldBack,
  isAlwaysReported,
  SEVERITIES,
  type Severity,
} from "../domain/finding.ts";
import type { PlacedFinding } from "../domain/review.ts";
import type { Profile } from "../domain/signals.ts";
import table from "./floors.json" with { type: "json" };

/** What decides whether a finding is posted. */
export interface ReportingPolicy {
  /** `review.severityThreshold`; undefined leaves it to the profile. */
  readonly severityThreshold: Severity | undefined;
  readonly profile: Profile;
  /** The source of the profile: the configuration, or a tag of the title. */
  readonly profileFrom: "configuration" | "title";
  /** True when the title holds [style-ok]. */
  readonly styleOk: boolean;
  readonly suppress: readonly Suppression[];
  /** Ids of findings with a comment of ours on the pull request. */
  readonly posted: ReadonlySet<string>;
  /** Reasons by id for findings that a person with write access declined on this pull request. */
  readonly declined: ReadonlyMap<string, string>;
  /** The same of people without: they only ask. */
  readonly asked: ReadonlyMap<string, string>;
}

/** Splits findings into posted and held back. Ones with a comment are placed `already-posted`. */
export function filterFindings(placed: readonly PlacedFinding[], policy: ReportingPolicy) {
  const heldBack: HeldBack[] = [];
  const suppressed = suppressor(policy.suppress);
  const wanted = placed.filter(({ finding }) => {
    const reason = unwanted(finding, policy, suppressed);
    const heldBy = policy.declined.has(finding.id) ? ({ heldBy: "decline" } as const) : {};
    if (reason !== null) heldBack.push({ finding, reason, ...heldBy });
    return reason === null;
  });
  const { first, repeats } = withoutRepeats(wanted, policy.posted);
  const reported = first.map((one): PlacedFinding => {
    if (!policy.posted.has(one.finding.id)) return one;
    return { finding: one.finding, place: "already-posted", reason: "already commented on" };
  });
  return { reported, heldBack: [...heldBack, ...repeats] };
}

function unwanted(
  finding: Finding,
  { declined, severityThreshold, profile, profileFrom, styleOk }: ReportingPolicy,
  suppressed: ReturnType<typeof suppressor>,
): string | null {
  const decline = declined.get(finding.id);
  if (decline !== undefined) return decline;
  const floor = severityThreshold ?? leastSeverity(finding, profile);
  if (!atLeast(finding.severity, floor)) {
    const whose = `the threshold of the ${profile} profile (from the ${profileFrom})`;
    return `below ${floor}, ${severityThreshold === undefined ? whose : "the configured threshold"}`;
  }
  if (styleOk && finding.category === "style") return "style, and the title says [style-ok]";
  const by = suppressed(finding);
  return by === null ? null : `suppressed by ${JSON.stringify(by.pattern)}, one of review.suppress`;
}

/**
 * Of findings with one id, or of one category on one line, the most severe stays. A model's never
 * replaces a rule's, however severe: the text that it read may have manipulated it. Tools' claims
 * about one matter were joined with ours before, so those that are left stay.
 */
function withoutRepeats(placed: readonly PlacedFinding[], posted: ReadonlySet<string>) {
  const ids = new Set<string>();
  const byAll = new Map<string, Finding>();
  const byRules = new Map<string, Finding>();
  const reasons = new Map<PlacedFinding, string>();
  for (const one of placed.toSorted((a, b) => weigh(a, b, posted))) {
    const { finding } = one;
    const isRule = finding.source === "rule";
    const place = JSON.stringify([finding.path, finding.side, finding.line, finding.category]);
    const stronger = (isRule ? byRules : byAll).get(place);
    if (ids.has(finding.id)) reasons.set(one, "the same finding was reported twice");
    else if (stronger !== undefined && stronger.rule !== finding.rule && finding.source !== "tool") {
      const other = stronger.rule === null ? "another finding" : `rule ${stronger.rule}`;
      reasons.set(one, `${other} reports the same line, at least as severely`);
    } else {
      ids.add(finding.id);
      if (!byAll.has(place)) byAll.set(place, finding);
      if (isRule && !byRules.has(place)) byRules.set(place, finding);
    }
  }
  const repeats = placed.flatMap((one): HeldBack[] => {
    const reason = reasons.get(one);
    return reason === undefined ? [] : [{ finding: one.finding, reason }];
  });
  return { first: placed.filter((one) => !reasons.has(one)), repeats };
}

/** Most severe first; then those with a comment (to avoid a second); then the more confident. */
function weigh(a: PlacedFinding, b: PlacedFinding, posted: ReadonlySet<string>): number {
  return (
    SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity) ||
    Number(posted.has(b.finding.id)) - Number(posted.has(a.finding.id)) ||
    b.finding.confidence - a.finding.confidence
  );
}

export type Suppressible = Pick<Finding, "title" | "severity" | "category" | "path">;

/**
 * Compiles a repository's suppressions, once for a review. Never throws: an invalid pattern, which
 * the configuration rejects, matches nothing.
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

function fitting({ pattern, severities, categories, paths }: Suppression): (finding: Suppressible) => boolean {
  const title = titlePattern(pattern);
  if ("problem" in title) return () => false;
  const isThere = fileList(paths);
  return (finding) =>
    (severities.length === 0 || severities.some((severity) => severity === finding.severity)) &&
    (categories.length === 0 || categories.some((category) => category === finding.category)) &&
    (paths.length === 0 || isThere(finding.path)) &&
    title.matches(finding.title);
}

/** What a profile reports. The figures are in eval/README.md, "Where the floors are". */
interface Floor {
  /** Least chance, 0–1, that a model's finding is real, and that its author changes the code. */
  readonly odds: number;
  readonly rules: Severity;
  /** Least severity of a model's findings about what code does, and about how it is written. */
  readonly defects: Severity;
  readonly others: Severity;
}

const FLOORS = table.profiles as Readonly<Record<Profile, Floor>>;

/** Findings of these categories are about how code is written, not about what it does. */
const OTHERS: ReadonlySet<Category> = new Set<Category>(["maintainability", "docs", "style"]);

/** Whether a profile reports all that another one does. */
export function reportsMore(profile: Profile, than: Profile): boolean {
  return leastOdds(profile) <= leastOdds(than);
}

/** The least odds of a model's finding: 0–1, for each of the two. */
export function leastOdds(profile: Profile): number {
  return FLOORS[profile].odds;
}

function leastSeverity({ source, category }: Pick<Finding, "source" | "category">, profile: Profile): Severity {
  const { rules, defects, others } = FLOORS[profile];
  if (source !== "model") return rules;
  return OTHERS.has(category) ? others : defects;
}
