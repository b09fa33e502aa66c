// Verification: the cheaper model checks drafted findings against the code before they are posted.

import { type ChangeContext, citedContext } from "../../domain/change-context.ts";
import type { Finding } from "../../domain/finding.ts";
import type { MaskedLines } from "../../domain/head-code.ts";
import type { ModelAnswer, ModelRequest, ModelUsage, PromptPiece } from "../../domain/model.ts";
import type { Cost, Degraded } from "../../domain/omissions.ts";
import type { FileDiff, Hunk, PullRequestContext } from "../../domain/pull-request.ts";
import type { Profile } from "../../domain/signals.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { fence, reveal, revealLine } from "../../domain/text/untrusted-text.ts";
import { failureText } from "../coverage.ts";
import { type CheckedFinding, VERIFY_REPLY } from "../reply.ts";
import { drawHunk, drawnContext, fileHeading } from "./draw-file.ts";
import { cutAtLine } from "./fit-sections.ts";
import { VERIFY_INSTRUCTIONS } from "./instructions.ts";
import { citedLines } from "./look-ups.ts";
import { pieceOfHunk } from "./plan-reading.ts";
import { verifyBudget } from "./reading-budget.ts";
import { type Checked, plainId, takeVerdicts } from "./verify.ts";

/** The part of the model that verification uses. */
export interface Checker {
  /** Of the verifying model. */
  readonly smallContextTokens: number;
  readonly ask: <T>(request: ModelRequest<T>) => Promise<ModelAnswer<T>>;
  readonly delimiter: () => string;
}

/** Most questions. */
const MOST_LOOKS = 4;
const VERIFYING = { purpose: "verify", tier: "small", effort: "medium", shape: VERIFY_REPLY } as const;

/** The remaining findings, the cost, and what was not checked. */
interface SecondLook {
  readonly checked: Checked;
  readonly usage: readonly ModelUsage[];
  readonly degraded: readonly Degraded[];
}

/**
 * Verifies findings as far as questions and budget allow. Unchecked findings, and those without a verdict, are
 * reported.
 *
 * @param lines of the files that drafts cite as `path:line`
 * @param usdLeft US$
 */
export async function secondLook(
  findings: readonly Finding[],
  { files, headTexts }: Pick<PullRequestContext, "files" | "headTexts">,
  around: ChangeContext,
  lines: MaskedLines,
  profile: Profile,
  asked: Checker,
  usdLeft: number,
): Promise<SecondLook> {
  const budget = verifyBudget(asked.smallContextTokens);
  const verdicts: CheckedFinding[] = [];
  const usage: ModelUsage[] = [];
  let rest = findings;
  let failure: string | null = budget === null && findings.length > 0 ? "too-long" : null;
  while (budget !== null && rest.length > 0 && failure === null) {
    failure = usage.length === MOST_LOOKS || usdLeft <= usdOf(usage) ? "budget" : null;
    if (failure !== null) break;
    const parts = [await citedLines(rest, lines), drawnContext(citedContext(around, rest))];
    const cited = parts.filter((part) => part !== "").join("\n\n");
    const question = verifyQuestion(rest, files, headTexts, asked.delimiter(), budget.chars, cited);
    const { findings: inQuestion, ...prompt } = question;
    const answer = await asked.ask({ ...VERIFYING, ...prompt, maxOutputTokens: budget.replyTokens });
    usage.push(answer.usage);
    if (answer.kind === "failed") failure = answer.failure;
    else {
      verdicts.push(...answer.value.findings.slice(0, 10 * inQuestion.length));
      rest = rest.slice(inQuestion.length);
    }
  }
  const looked = findings.slice(0, findings.length - rest.length);
  const degraded = [...unchecked(rest, findings, failure), ...undecided(looked, verdicts)];
  return { checked: takeVerdicts(findings, verdicts, profile, new Set(rest)), usage, degraded };
}

function unchecked(rest: readonly Finding[], all: readonly Finding[], failure: string | null): readonly Degraded[] {
  if (failure === null) return [];
  const which = rest.length === all.length ? "findings" : `${rest.length} of ${all.length} findings`;
  const reason = `${which} of the model were not checked a second time: ${failureText(failure)}`;
  return [{ part: "verification", reason }];
}

/** A check without a verdict on a finding did not confirm it. */
function undecided(looked: readonly Finding[], verdicts: readonly CheckedFinding[]): readonly Degraded[] {
  const decided = new Set(verdicts.map(({ id }) => plainId(id)));
  const silent = looked.filter(({ id }) => !decided.has(id)).length;
  if (silent === 0) return [];
  const reason = `the second look gave no verdict on ${silent} of ${looked.length} findings of the model`;
  return [{ part: "verification", reason }];
}

// The cost of several questions together.

/** US$, without unpriced usage. */
export function usdOf(usage: readonly ModelUsage[]): number {
  return usage.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/** Null as soon as one question has no price: a sum without it would be wrong. */
export function costOf(usage: readonly ModelUsage[]): Omit<Cost, "ms"> {
  return {
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: usage.some(({ usd }) => usd === null) ? null : usdOf(usage),
  };
}

// The question that verifies drafted findings: as many of them as fit, with the code around each.

/** A question about drafted findings. */
interface VerifyQuestion {
  /** The first of the given findings; at least one. */
  readonly findings: readonly Finding[];
  readonly system: readonly PromptPiece[];
  readonly user: readonly PromptPiece[];
}

/** Lines of a hunk shown on either side of a finding. */
const AROUND = 40;
/** The share of a question for findings; the rest is code. */
const FINDINGS_PART = 0.4;
const BODY_CHARS = 1_500;

/**
 * Asks about the first findings, as many as fit, with the code around each.
 *
 * @param findings at least one
 * @param delimiter unguessable and new
 * @param budget UTF-16 units for findings and code together, at least 4,000
 * @param around code from elsewhere in the repository that the findings cite; shown as far as it fits
 */
export function verifyQuestion(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  headTexts: ReadonlyMap<string, string>,
  delimiter: string,
  budget: number,
  around = "",
): VerifyQuestion {
  const listed = fittingFindings(findings, budget * FINDINGS_PART);
  const asked = findings.slice(0, listed.length);
  const list = listed.join("\n\n");
  const drawn = drawnCode(asked, files, headTexts, budget - list.length);
  const elsewhere = cutAtLine(around, budget - list.length - drawn.length);
  const code = elsewhere === "" ? drawn : `${drawn}\n\n${elsewhere}`;
  const text = `# Code\n\n${fence("code", code, delimiter)}\n\n# Drafted findings\n\n${fence("findings", list, delimiter)}\n\nDecide each of the ${asked.length} findings, by its id.`;
  return {
    findings: asked,
    system: [{ text: VERIFY_INSTRUCTIONS, cache: true }],
    user: [{ text, cache: false }],
  };
}

function fittingFindings(findings: readonly Finding[], budget: number): readonly string[] {
  const listed: string[] = [];
  let left = budget;
  for (const finding of findings) {
    const text = drawnFinding(finding);
    left -= text.length + 2;
    if (left < 0 && listed.length > 0) break;
    listed.push(left < 0 ? cutText(text, budget) : text);
  }
  return listed;
}

function drawnFinding(finding: Finding): string {
  const { id, path, startLine, line, side, severity, category, title, body } = finding;
  const place = finding.locMethod === "none" ? "no proven line" : `lines ${startLine} to ${line}, ${side}`;
  const said = cutText(reveal(body), BODY_CHARS);
  return `[${id}] ${revealLine(cutText(path, 500))}, ${place}; ${severity} ${category}\n${revealLine(title)}\n${said}`;
}

/** The code near the findings of each file, as far as it fits. */
function drawnCode(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  headTexts: ReadonlyMap<string, string>,
  budget: number,
): string {
  const byPath = Map.groupBy(findings, ({ path }) => path);
  const parts: string[] = [];
  let left = budget;
  for (const file of files) {
    const text = drawnFile(file, byPath.get(file.path) ?? [], headTexts.get(file.path) ?? null, left);
    if (text === null) continue;
    parts.push(text);
    left -= text.length + 2;
  }
  return parts.join("\n\n");
}

/** Null when there is nothing to show, or it does not fit. */
function drawnFile(
  file: FileDiff,
  findings: readonly Finding[],
  headText: string | null,
  budget: number,
): string | null {
  if (findings.length === 0) return null;
  const heading = fileHeading(file);
  const headLines = headText?.split("\n") ?? null;
  const shown: string[] = [];
  let left = budget - heading.length - 2;
  for (const { hunk, index } of piecesNear(file, findings)) {
    const { text } = drawHunk(file, index, hunk, headLines);
    if (text.length + 1 > left) continue;
    left -= text.length + 1;
    shown.push(text);
  }
  return shown.length === 0 ? null : [heading, ...shown].join("\n");
}

/**
 * The lines around each proven place; when a finding has none, the other hunks of the file too, after these. `index` is
 * that of the hunk in its file.
 */
function piecesNear(file: FileDiff, findings: readonly Finding[]) {
  const proven = findings.filter(({ locMethod }) => locMethod !== "none");
  const near = file.hunks.map((hunk, index) => segmentsNear(hunk, proven).map((piece) => ({ hunk: piece, index })));
  if (proven.length === findings.length) return near.flat();
  const others = file.hunks.map((hunk, index) => ({ hunk, index })).filter(({ index }) => near[index]?.length === 0);
  return [...near.flat(), ...others];
}

/** Runs of lines of a hunk near one of the findings. */
function segmentsNear(hunk: Hunk, findings: readonly Finding[]): readonly Hunk[] {
  const segments: { from: number; to: number }[] = [];
  for (const { from, to } of reaches(hunk, findings)) {
    const last = segments.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else segments.push({ from, to });
  }
  return segments.map(({ from, to }) => pieceOfHunk(hunk, hunk.lines.slice(from, to)));
}

/** The range around each finding in the hunk, in order: indices of lines, the second exclusive. */
function reaches(hunk: Hunk, findings: readonly Finding[]): readonly { readonly from: number; readonly to: number }[] {
  return findings
    .flatMap(({ side, startLine, line }) => {
      const numberOf = side === "LEFT" ? "oldLine" : "newLine";
      const isCited = (at: number | null) => at !== null && at >= startLine && at <= line;
      const first = hunk.lines.findIndex((one) => isCited(one[numberOf]));
      if (first < 0) return [];
      const last = hunk.lines.findLastIndex((one) => isCited(one[numberOf]));
      return [{ from: Math.max(0, first - AROUND), to: last + AROUND + 1 }];
    })
    .sort((a, b) => a.from - b.from);
}
