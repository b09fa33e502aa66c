// Checks each drafted finding against the code, first by rule, then by a cheaper question, before it is posted. A
// finding that fails is held back with the reason.

import { atLeast, type Finding, type HeldBack } from "../../domain/finding.ts";
import type { FileDiff } from "../../domain/pull-request.ts";
import type { Profile } from "../../domain/signals.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { leastOdds } from "../filter-findings.ts";
import { type DiffLines, diffLines, type QuotableLine } from "../placing/diff-lines.ts";
import type { CheckedFinding } from "../reply.ts";
import { share } from "./draft.ts";

export interface Checked {
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
}

/** Checks without a model: whether this diff changes the finding's lines, and whether its fix is already there. */
export function checkByRule(findings: readonly Finding[], files: readonly FileDiff[]): Checked {
  const spoken = new Set(findings.map(({ path }) => path));
  const index = new Map(files.filter(({ path }) => spoken.has(path)).map((file) => [file.path, diffLines(file)]));
  return split(findings, (finding) => ruleObjection(finding, index.get(finding.path)));
}

/** An unchanged line may be the place of a defect that its neighbours caused. */
const BESIDE = 2;

function isByAChange({ side, startLine, line }: Finding, cited: readonly QuotableLine[], lines: DiffLines): boolean {
  const run = lines.runs.find((one) => one.some((each) => each === cited[0])) ?? [];
  // Next to removed lines only, no line of the new side is changed.
  if (cited.length > 0 && !run.some(({ changed }) => changed)) return true;
  return run.some(
    (each) => each.changed && each.line >= startLine - BESIDE && each.line <= line + BESIDE && each.side === side,
  );
}

/** More than a citation can have; see locate. */
const MOST_CITED = 100;

function ruleObjection(finding: Finding, lines: DiffLines | undefined): string | null {
  if (lines === undefined || finding.locMethod === "none") return null;
  const count = Math.max(0, Math.min(MOST_CITED, finding.line - finding.startLine + 1));
  const cited = Array.from({ length: count }, (_, at) => lines.at(finding.side, finding.startLine + at)).filter(
    (line) => line !== null,
  );
  if (!atLeast(finding.severity, "major") && !isByAChange(finding, cited, lines))
    return "it is about lines that this change does not touch";
  const current = cited.map(({ text }) => text.trimEnd()).join("\n");
  const fixed = finding.suggestion?.text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return fixed !== undefined && fixed === current ? "the proposed fix is already there" : null;
}

/**
 * Applies the verdicts. A finding without a verdict counts as undecided by the code shown; a verdict may lower a
 * severity, never raise it.
 *
 * @param unchecked findings without an answered question: they keep their confidence, and say that they were not
 * checked
 */
export function takeVerdicts(
  findings: readonly Finding[],
  verdicts: readonly CheckedFinding[],
  profile: Profile,
  unchecked: ReadonlySet<Finding> = new Set(),
): Checked {
  const byId = agreedVerdicts(verdicts);
  const calibrated = findings.map((finding) =>
    unchecked.has(finding) ? withNote(finding, UNCHECKED_NOTE) : calibrate(finding, byId.get(finding.id)),
  );
  return split(calibrated, (finding) => verdictObjection(finding, byId.get(finding.id), profile));
}

/** An id without the brackets that the prompt puts around it. */
export function plainId(id: string): string {
  return id.trim().replace(/^\[|\]$/g, "");
}

/** By id. Contradicting verdicts cancel each other. */
function agreedVerdicts(verdicts: readonly CheckedFinding[]): ReadonlyMap<string, CheckedFinding> {
  const byId = new Map<string, CheckedFinding>();
  for (const verdict of verdicts) {
    const id = plainId(verdict.id);
    const earlier = byId.get(id);
    const agrees = earlier === undefined || earlier.verdict === verdict.verdict;
    byId.set(id, agrees ? verdict : { ...verdict, verdict: "not-shown" });
  }
  return byId;
}

/** Confidence factor of a finding that the code shown does not decide. */
const NOT_SHOWN = 0.8;
/** Confidence factor of a claim that holds only in part. */
const PARTLY = 0.8;
const UNCHECKED_NOTE = "This was not checked a second time.";
const REASON_CHARS = 200;

function calibrate(finding: Finding, verdict: CheckedFinding | undefined): Finding {
  const { real, wanted } = oddsOf(finding);
  if (verdict === undefined || verdict.verdict === "not-shown") return withOdds(finding, real * NOT_SHOWN, wanted);
  const severity = atLeast(verdict.severity, finding.severity) ? finding.severity : verdict.severity;
  const blended = Math.min(1, (real + 2 * share(verdict.confidence)) / 3);
  if (verdict.verdict !== "partly") return withOdds({ ...finding, severity }, blended, wanted);
  const note = `Of this only a part held when it was checked: ${cutText(verdict.reason.trim(), REASON_CHARS)}`;
  return withNote(withOdds({ ...finding, severity }, blended * PARTLY, wanted), note);
}

function oddsOf({ odds, confidence }: Finding): NonNullable<Finding["odds"]> {
  return odds ?? { real: confidence, wanted: 1 };
}

function withOdds(finding: Finding, real: number, wanted: number): Finding {
  return { ...finding, odds: { real, wanted }, confidence: real * wanted };
}

function withNote(finding: Finding, note: string): Finding {
  return { ...finding, body: `${finding.body}\n\n${note}` };
}

/** The threshold applies to both odds: a certain defect that no one would change is held back too. */
function verdictObjection(finding: Finding, verdict: CheckedFinding | undefined, profile: Profile): string | null {
  if (verdict?.verdict === "wrong")
    return `it did not hold when checked: ${cutText(verdict.reason.trim(), REASON_CHARS)}`;
  const { real, wanted } = oddsOf(finding);
  const least = leastOdds(profile);
  const floor = `is below ${least}, the threshold of the ${profile} profile`;
  if (real < least) return `confidence ${real.toFixed(2)} ${floor}`;
  return wanted < least ? `the chance that its author would change it, ${wanted.toFixed(2)}, ${floor}` : null;
}

/** Holds back the findings with an objection. */
export function split(findings: readonly Finding[], objection: (finding: Finding) => string | null): Checked {
  const heldBack: HeldBack[] = [];
  const kept = findings.filter((finding) => {
    const reason = objection(finding);
    if (reason !== null) heldBack.push({ finding, reason });
    return reason === null;
  });
  return { findings: kept, heldBack };
}
