// The second look: each drafted finding is held against the code, first by rule, then by a cheaper question, before it is
// said. What does not hold is held back with the reason.
import type { Finding, HeldBack } from "../domain/finding.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import type { Profile } from "../domain/signals.ts";
import { type DiffLines, diffLines } from "./diff-lines.ts";
import { drawHunk, fileHeading } from "./draw-file.ts";
import { fence } from "./fence.ts";
import { VERIFY_INSTRUCTIONS } from "./instructions.ts";
import type { CheckedFinding } from "./reply.ts";
import { reveal, revealLine } from "./reveal.ts";

/** How sure a finding must be to be said. Before calibration on recorded outcomes these are judgement, not measurement. */
const LEAST_CONFIDENCE: Readonly<Record<Profile, number>> = { quiet: 0.7, balanced: 0.5, thorough: 0.3 };

/** UTF-16 units of code in one question. */
const CODE_ROOM = 60_000;
/** Lines of a hunk shown on either side of a finding. */
const AROUND = 40;

export interface Checked {
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
}

/**
 * What rules alone can tell of a drafted finding: whether its lines are changed by this diff, and whether its mend
 * stands there already.
 */
export function checkByRule(findings: readonly Finding[], files: readonly FileDiff[]): Checked {
  const index = new Map(files.map((file) => [file.path, diffLines(file)]));
  return split(findings, (finding) => ruleObjection(finding, index.get(finding.path)));
}

function ruleObjection(finding: Finding, lines: DiffLines | undefined): string | null {
  if (lines === undefined || finding.locMethod === "none") return null;
  const cited = lines.runs
    .flat()
    .filter(({ side, line }) => side === finding.side && line >= finding.startLine && line <= finding.line);
  const grave = finding.severity === "critical" || finding.severity === "major";
  if (!grave && !cited.some(({ changed }) => changed)) return "it is about lines that this change does not touch";
  const standing = cited.map(({ text }) => text.trimEnd()).join("\n");
  const mended = finding.suggestion?.text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return mended !== undefined && mended === standing ? "the mend that it proposes stands there already" : null;
}

/** A question about drafted findings: what is asked of the model, and about which findings. */
export interface VerifyQuestion {
  readonly system: readonly { readonly text: string; readonly cache: boolean }[];
  readonly user: readonly { readonly text: string; readonly cache: boolean }[];
}

/**
 * The question whether findings hold, with the code around each.
 *
 * @param delimiter unguessable and new
 */
export function verifyQuestion(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  headTexts: ReadonlyMap<string, string>,
  delimiter: string,
): VerifyQuestion {
  const listed = findings.map((finding) => drawnFinding(finding)).join("\n\n");
  const code = drawnCode(findings, files, headTexts);
  const text = `# Code\n\n${fence("code", code, delimiter)}\n\n# Drafted findings\n\n${fence("findings", listed, delimiter)}\n\nDecide each of the ${findings.length} findings, by its id.`;
  return { system: [{ text: VERIFY_INSTRUCTIONS, cache: true }], user: [{ text, cache: false }] };
}

function drawnFinding(finding: Finding): string {
  const { id, path, startLine, line, side, severity, category, title, body } = finding;
  const place = finding.locMethod === "none" ? "no proven line" : `lines ${startLine} to ${line}, ${side}`;
  return `[${id}] ${revealLine(path)}, ${place}; ${severity} ${category}\n${revealLine(title)}\n${reveal(body)}`;
}

/** The hunks that findings stand in, those lines of them that are near. */
function drawnCode(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  headTexts: ReadonlyMap<string, string>,
): string {
  const parts: string[] = [];
  let room = CODE_ROOM;
  for (const file of files) {
    const here = findings.filter(({ path }) => path === file.path);
    if (here.length === 0) continue;
    const hunks = file.hunks.flatMap((hunk, index) => {
      const lines = hunk.lines.filter((line) => here.some((finding) => isNear(finding, line.newLine, line.oldLine)));
      if (lines.length === 0) return [];
      const first = lines.find(({ newLine }) => newLine !== null)?.newLine ?? hunk.newStart;
      return [drawHunk(file, index, { ...hunk, lines, newStart: first }, headTexts.get(file.path) ?? null).text];
    });
    const text = [fileHeading(file), ...hunks].join("\n");
    if (text.length > room) continue;
    room -= text.length;
    parts.push(text);
  }
  return parts.join("\n\n");
}

function isNear(finding: Finding, newLine: number | null, oldLine: number | null): boolean {
  if (finding.locMethod === "none") return true;
  const line = finding.side === "LEFT" ? oldLine : newLine;
  return line === null || (line >= finding.startLine - AROUND && line <= finding.line + AROUND);
}

/**
 * Takes the verdicts of the second look. A finding without a verdict counts as unsure; the graver of two severities is
 * never the new one: a second look may calm, not alarm.
 *
 * @param verdicts null when the question got no answer: then the first look stands, with less confidence
 */
export function takeVerdicts(
  findings: readonly Finding[],
  verdicts: readonly CheckedFinding[] | null,
  profile: Profile,
): Checked {
  const byId = new Map((verdicts ?? []).map((verdict) => [verdict.id.trim().replace(/^\[|\]$/g, ""), verdict]));
  const calibrated = findings.map((finding) => ({
    finding: calibrate(finding, byId.get(finding.id)),
    verdict: byId.get(finding.id),
  }));
  const reasons = new Map(
    calibrated.map(({ finding, verdict }) => [
      finding,
      verdictObjection(finding, verdict, LEAST_CONFIDENCE[profile], profile),
    ]),
  );
  return split(
    calibrated.map(({ finding }) => finding),
    (finding) => reasons.get(finding) ?? null,
  );
}

const RANK = { critical: 0, major: 1, medium: 2, minor: 3 } as const;
/** Without a second look, or with an undecided one, the model's own confidence is worth less. */
const UNCHECKED = 0.8;

function calibrate(finding: Finding, verdict: CheckedFinding | undefined): Finding {
  if (verdict === undefined || verdict.verdict === "unsure")
    return { ...finding, confidence: finding.confidence * UNCHECKED };
  const checked = Number.isFinite(verdict.confidence) ? Math.min(1, Math.max(0, verdict.confidence)) : 0.5;
  const severity = RANK[verdict.severity] > RANK[finding.severity] ? verdict.severity : finding.severity;
  return { ...finding, severity, confidence: Math.min(1, (finding.confidence + 2 * checked) / 3) };
}

function verdictObjection(
  finding: Finding,
  verdict: CheckedFinding | undefined,
  least: number,
  profile: Profile,
): string | null {
  if (verdict?.verdict === "wrong") return `it did not hold when checked: ${verdict.reason.trim().slice(0, 200)}`;
  if (finding.confidence >= least) return null;
  return `confidence ${finding.confidence.toFixed(2)} is below ${least}, the floor of the ${profile} profile`;
}

function split(findings: readonly Finding[], objection: (finding: Finding) => string | null): Checked {
  const heldBack: HeldBack[] = [];
  const kept = findings.filter((finding) => {
    const reason = objection(finding);
    if (reason !== null) heldBack.push({ finding, reason });
    return reason === null;
  });
  return { findings: kept, heldBack };
}
