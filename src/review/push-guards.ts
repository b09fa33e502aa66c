// Two ways of being a nuisance over several pushes: telling today what could have been told yesterday, and asking for the
// opposite of what was asked before.
import { shapeOf, textTokens } from "../domain/code-shape.ts";
import type { Finding, HeldBack } from "../domain/finding.ts";
import type { Checkpoint, Said } from "../domain/past.ts";
import type { CodeNow } from "./code-now.ts";
import { findAgain } from "./find-again.ts";
import type { LocatedSaid } from "./locate-said.ts";
import type { Reach } from "./reach.ts";

export interface Guarded {
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
}

const DRIP = "not in what this push changed";
const OPPOSITE = "it asks for the opposite of what an earlier finding of ours asked for, and got";

/**
 * Holds back new findings that a push did not give cause for. What is critical or a matter of security is always said.
 *
 * @param known findings that were said before: they are left alone
 */
export function guardPush(
  findings: readonly Finding[],
  known: ReadonlyMap<Finding, Said>,
  { reach, checkpoint, located, code }: GuardMaterial,
): Guarded {
  const heldBack: HeldBack[] = [];
  const mended = mendedPlaces(located, code);
  const before = new Map(
    checkpoint.kind === "full" ? [] : checkpoint.heldBack.map((held) => [held.finding.id, held.reason]),
  );
  const kept = findings.filter((finding) => {
    if (known.has(finding)) return true;
    const reason = isGrave(finding) ? null : (opposite(finding, mended, code) ?? dripped(finding, reach, before));
    if (reason !== null) heldBack.push({ finding, reason });
    return reason === null;
  });
  return { findings: kept, heldBack };
}

export interface GuardMaterial {
  readonly reach: Reach;
  readonly checkpoint: Checkpoint;
  readonly located: readonly LocatedSaid[];
  readonly code: CodeNow;
}

function isGrave({ severity, category }: Finding): boolean {
  return severity === "critical" || category === "security";
}

/** Rules find the same each time; of them only what was held back before stays held back. */
function dripped(finding: Finding, reach: Reach, before: ReadonlyMap<string, string>): string | null {
  const { path, side, startLine, line } = finding;
  if (reach.touches(path, side, startLine, line)) return null;
  if (finding.rule !== null) return before.get(finding.id) ?? null;
  return DRIP;
}

/** Lines that read now as a suggestion of ours asked for. */
interface Mended {
  readonly path: string;
  readonly startLine: number;
  readonly line: number;
  readonly said: Said;
}

function mendedPlaces(located: readonly LocatedSaid[], code: CodeNow): readonly Mended[] {
  return located.flatMap(({ said, path, place }) => {
    const { suggestion, startLine, side } = said.finding;
    if (suggestion === null || path === null || side === "LEFT" || place?.as === "same") return [];
    const stream = code.stream(path, side);
    const shape = { ...said.shape, at: textTokens(suggestion.text) };
    const found = stream === null ? null : findAgain(shape, stream, startLine);
    return found?.as === "same" ? [{ path, startLine: found.startLine, line: found.line, said }] : [];
  });
}

/** A finding on mended lines that would restore what stood there, or that only has another taste. */
function opposite(finding: Finding, mended: readonly Mended[], code: CodeNow): string | null {
  const { path, startLine, line, side } = finding;
  if (finding.rule !== null || side === "LEFT") return null;
  const on = mended.find((one) => one.path === path && startLine <= one.line && one.startLine <= line);
  if (on === undefined) return null;
  const restored = restores(finding, on, code);
  const isMild = finding.severity === "medium" || finding.severity === "minor";
  const isWithin = startLine >= on.startLine && line <= on.line;
  const isTaste = isMild && isWithin && finding.suggestion === null && finding.category === on.said.finding.category;
  return restored || isTaste ? OPPOSITE : null;
}

/** True when the finding's suggestion brings the old tokens back. */
function restores(finding: Finding, { said }: Mended, code: CodeNow): boolean {
  if (finding.suggestion === null) return false;
  const wanted = ` ${textTokens(finding.suggestion.text).join(" ")} `;
  const stream = code.stream(finding.path, finding.side);
  const now = stream === null ? "" : ` ${shapeOf(stream, finding.startLine, finding.line).at.join(" ")} `;
  const old = ` ${said.shape.at.join(" ")} `;
  return said.shape.at.length > 0 && wanted.includes(old) && !now.includes(old);
}
