// What is not said, and why: too mild for the dial, style that the author asked to leave alone, the same thing said twice.
import { atLeast, type HeldBack, SEVERITIES, type Severity } from "../domain/finding.ts";
import type { PlacedFinding } from "../domain/review.ts";
import type { Profile } from "../domain/signals.ts";

/** The dial of `review.profile` as documented in the configuration. */
const FLOORS: Readonly<Record<Profile, Severity>> = { quiet: "major", balanced: "medium", thorough: "minor" };

/** What decides whether a finding is said. */
export interface Dial {
  /** `review.severityThreshold`; undefined leaves it to the profile. */
  readonly severityThreshold: Severity | undefined;
  readonly profile: Profile;
  /** Whose profile it is: the configuration's, or a tag of the title. */
  readonly profileFrom: "configuration" | "title";
  /** True when the title holds [style-ok]. */
  readonly styleOk: boolean;
  /** Ids of findings that a comment of ours on the pull request is about. */
  readonly posted: ReadonlySet<string>;
  /** Why findings are not said again, by id: somebody declined them on this pull request. */
  readonly declined?: ReadonlyMap<string, string>;
}

export interface Pruned {
  /** In the order given; those that already stand on the pull request are placed `already-posted`. */
  readonly said: readonly PlacedFinding[];
  readonly heldBack: readonly HeldBack[];
}

/** Splits findings into those that are said and those that are held back. Together they are all that came in. */
export function prune(placed: readonly PlacedFinding[], dial: Dial): Pruned {
  const heldBack: HeldBack[] = [];
  const wanted = placed.filter((one) => {
    const reason = unwanted(one, dial);
    if (reason !== null) heldBack.push({ finding: one.finding, reason });
    return reason === null;
  });
  const { first, repeats } = withoutRepeats(wanted, dial.posted);
  const said = first.map((one): PlacedFinding => {
    if (!dial.posted.has(one.finding.id)) return one;
    return { finding: one.finding, place: "already-posted", reason: "a comment about it already stands" };
  });
  return { said, heldBack: [...heldBack, ...repeats] };
}

function unwanted({ finding }: PlacedFinding, dial: Dial): string | null {
  const declined = dial.declined?.get(finding.id);
  if (declined !== undefined) return declined;
  const floor = dial.severityThreshold ?? FLOORS[dial.profile];
  if (!atLeast(finding.severity, floor)) {
    return dial.severityThreshold === undefined
      ? `below ${floor}, the floor of the ${dial.profile} profile (from the ${dial.profileFrom})`
      : `below ${floor}, the configured threshold`;
  }
  return dial.styleOk && finding.category === "style" ? "style, and the title says [style-ok]" : null;
}

/** Of findings with one id, and of two rules' findings of one category on one line, the most severe stays. */
function withoutRepeats(placed: readonly PlacedFinding[], posted: ReadonlySet<string>) {
  const byWeight = [...placed].sort((a, b) => weigh(a, b, posted));
  const ids = new Set<string>();
  const spoken = new Map<string, PlacedFinding>();
  const reasons = new Map<PlacedFinding, string>();
  for (const one of byWeight) {
    const { finding } = one;
    const place = JSON.stringify([finding.path, finding.side, finding.line, finding.category]);
    const stronger = spoken.get(place);
    if (ids.has(finding.id)) reasons.set(one, "the same finding was reported twice");
    else if (stronger !== undefined && stronger.finding.rule !== finding.rule) {
      reasons.set(one, `${voice(stronger)} says it about the same line, at least as severely`);
    } else {
      ids.add(finding.id);
      if (stronger === undefined) spoken.set(place, one);
    }
  }
  const repeats = placed.flatMap((one): HeldBack[] => {
    const reason = reasons.get(one);
    return reason === undefined ? [] : [{ finding: one.finding, reason }];
  });
  return { first: placed.filter((one) => !reasons.has(one)), repeats };
}

/** Most severe first; then what already stands (so that no second comment is written), then the surer one. */
function weigh(a: PlacedFinding, b: PlacedFinding, posted: ReadonlySet<string>): number {
  const severity = SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity);
  if (severity !== 0) return severity;
  const stands = Number(posted.has(b.finding.id)) - Number(posted.has(a.finding.id));
  return stands !== 0 ? stands : b.finding.confidence - a.finding.confidence;
}

function voice({ finding }: PlacedFinding): string {
  return finding.rule === null ? "another finding" : `rule ${finding.rule}`;
}
