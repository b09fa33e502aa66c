// Prevents two nuisances over several pushes: reporting today what could have been reported yesterday, and asking for
// the opposite of an earlier request.
import { shapeOf, textTokens } from "../domain/code/code-fingerprint.ts";
import { atLeast, type Finding, isAlwaysReported } from "../domain/finding.ts";
import type { Checkpoint, EarlierFinding } from "../domain/review/review-history.ts";
import type { LocatedFinding } from "./memory/locate-earlier-findings.ts";
import type { CodeNow } from "./placing/code-now.ts";
import type { PushScope } from "./push-scope.ts";
import { type Checked, split } from "./reading/verify.ts";

const DRIP = "outside the changes of this push";
const OPPOSITE = "it asks for the opposite of an earlier finding of ours that was fixed";

/**
 * Holds back new findings without a cause in the push. Critical and security findings are always reported.
 *
 * @param known findings that were reported before: they stay
 */
export function guardPush(
  findings: readonly Finding[],
  known: ReadonlyMap<Finding, EarlierFinding>,
  { pushScope, checkpoint, located, code, revived = new Set() }: GuardMaterial,
): Checked {
  // Memory's decisions are made again each time, because a person may have restored a finding.
  const held = checkpoint.kind === "full" ? [] : checkpoint.heldBack.filter(({ precedent }) => precedent === undefined);
  const before = new Map(held.map(({ finding, reason }) => [finding.id, reason]));
  return split(findings, (finding) =>
    known.has(finding) || revived.has(finding.id) || isAlwaysReported(finding)
      ? null
      : (opposite(finding, located, code) ?? dripped(finding, pushScope, before)),
  );
}

interface GuardMaterial {
  readonly pushScope: PushScope;
  readonly checkpoint: Checkpoint;
  readonly located: readonly LocatedFinding[];
  readonly code: CodeNow;
  /** Ids of findings of earlier pushes that only memory held back: they need no cause in the push. */
  readonly revived?: ReadonlySet<string>;
}

/** Rules find the same each time, so of theirs only those held back before stay held back. */
function dripped(finding: Finding, pushScope: PushScope, before: ReadonlyMap<string, string>): string | null {
  const { path, side, startLine, line } = finding;
  if (pushScope.touches(path, side, startLine, line)) return null;
  if (finding.rule !== null) return before.get(finding.id) ?? null;
  return DRIP;
}

/** A finding on fixed lines that would restore the old code, or that is only a matter of taste. */
function opposite(finding: Finding, located: readonly LocatedFinding[], code: CodeNow): string | null {
  const { path, startLine, line, side, suggestion } = finding;
  if (finding.rule !== null || side === "LEFT") return null;
  const on = located.find(({ fixed }) => fixed?.path === path && startLine <= fixed.line && fixed.startLine <= line);
  if (on === undefined || on.fixed === null) return null;
  if (suggestion !== null) return restores(finding, on.said, suggestion.text, code) ? OPPOSITE : null;
  const isMild = !atLeast(finding.severity, "major");
  const isWithin = startLine >= on.fixed.startLine && line <= on.fixed.line;
  return isMild && isWithin && finding.category === on.said.finding.category ? OPPOSITE : null;
}

/** True when a suggestion brings the old tokens back. */
function restores(finding: Finding, { shape }: EarlierFinding, suggested: string, code: CodeNow): boolean {
  const stream = code.stream(finding.path, finding.side);
  if (stream === null || shape.at.length === 0) return false;
  const old = sequence(shape.at);
  const now = sequence(shapeOf(stream, finding.startLine, finding.line).at);
  return sequence(textTokens(suggested)).includes(old) && !now.includes(old);
}

function sequence(tokens: readonly number[]): string {
  return ` ${tokens.join(" ")} `;
}
