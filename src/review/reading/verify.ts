// Checks each drafted finding before it is posted, by rule and then by a cheaper question. One that
// fails is held back with the reason.

import { type ChangeContext, citedContext, type MaskedLines } from "../../domain/change-context.ts";
import { atLeast, type Finding, type HeldBack } from "../../domain/finding.ts";
import { type AllowedModel, type ModelUsage, usdOf } from "../../domain/model.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { FileDiff, Hunk, PullRequestContext } from "../../domain/pull-request.ts";
import type { Profile } from "../../domain/signals.ts";
import { counted } from "../../domain/text/counted.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import { fence, reveal, revealLine } from "../../domain/text/untrusted-text.ts";
import { leastOdds } from "../filter-findings.ts";
import { type DiffLines, diffLines, type QuotableLine } from "../placing/locate.ts";
import { type CheckedFinding, type RuleVerdict, VERIFY_REPLY } from "../reply.ts";
import { plainId, share } from "./draft.ts";
import { cutAtLine, drawHunk, drawnContext, fileHeading, shownLine } from "./draw-file.ts";
import { VERIFY_INSTRUCTIONS } from "./instructions.ts";
import { type Failed, failureReason, joinedRanges, pieceOfHunk, verifyBudget } from "./plan-reading.ts";

export interface Checked {
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
}

/** Whether this diff changes the finding's lines, and whether its fix is already there. */
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
 * Applies the verdicts. Without one a finding counts as undecided by the code shown; a verdict may
 * lower a severity, never raise it.
 *
 * @param unchecked without an answered question: they keep their confidence, and say so
 */
export function takeVerdicts(
  findings: readonly Finding[],
  verdicts: readonly CheckedFinding[],
  profile: Profile,
  unchecked: ReadonlySet<Finding>,
): Checked {
  const byId = agreedVerdicts(verdicts);
  const calibrated = findings.map((finding) =>
    unchecked.has(finding) ? withNote(finding, UNCHECKED_NOTE) : calibrate(finding, byId.get(finding.id)),
  );
  return split(calibrated, (finding) => verdictObjection(finding, byId.get(finding.id), profile));
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

const NOT_SHOWN = 0.8;
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
  return { ...finding, body: paragraphs(finding.body, note) };
}

function verdictObjection(finding: Finding, verdict: CheckedFinding | undefined, profile: Profile): string | null {
  if (verdict?.verdict === "wrong")
    return `it did not hold when checked: ${cutText(verdict.reason.trim(), REASON_CHARS)}`;
  const { real, wanted } = oddsOf(finding);
  const least = leastOdds(profile);
  const floor = `is below ${least}, the threshold of the ${profile} profile`;
  if (real < least) return `confidence ${real.toFixed(2)} ${floor}`;
  // A certain defect that no one would change is held back too.
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

const MOST_QUESTIONS = 4;
const VERIFYING = { purpose: "verify", tier: "small", effort: "medium", shape: VERIFY_REPLY } as const;

/**
 * Verifies findings by the cheaper model, as far as questions and budget allow; what was not
 * checked is reported.
 *
 * @param lines of the files that drafts cite as `path:line`
 */
export async function secondLook(
  findings: readonly Finding[],
  { files, headTexts }: Pick<PullRequestContext, "files" | "headTexts">,
  around: ChangeContext,
  lines: MaskedLines,
  profile: Profile,
  { model, usd: usdLeft, delimiter }: AllowedModel,
) {
  const budget = verifyBudget(model);
  const verdicts: CheckedFinding[] = [];
  const usage: ModelUsage[] = [];
  let rest = findings;
  let failure: Failed | null = budget === null && findings.length > 0 ? { failure: "too-long", detail: "" } : null;
  while (budget !== null && rest.length > 0 && failure === null) {
    failure = usage.length === MOST_QUESTIONS || usdLeft <= usdOf(usage) ? { failure: "budget", detail: "" } : null;
    if (failure !== null) break;
    const parts = [await citedLines(rest, lines), drawnContext(citedContext(around, rest))];
    const cited = paragraphs(...parts);
    const question = verifyQuestion(rest, files, headTexts, delimiter(), budget.chars, cited);
    const { findings: inQuestion, ...prompt } = question;
    const answer = await model.ask({ ...VERIFYING, ...prompt, maxOutputTokens: budget.replyTokens });
    usage.push(answer.usage);
    if (answer.kind === "failed") failure = answer;
    else {
      verdicts.push(...answer.value.findings.slice(0, 10 * inQuestion.length));
      rest = rest.slice(inQuestion.length);
    }
  }
  const missing: string[] = [];
  if (failure !== null) {
    const which = rest.length === findings.length ? "findings" : `${rest.length} of ${findings.length} findings`;
    missing.push(`${which} of the model were not checked a second time: ${failureReason(failure)}`);
  }
  // A check without a verdict on a finding did not confirm it.
  const looked = findings.slice(0, findings.length - rest.length);
  const decided = new Set(verdicts.map(({ id }) => plainId(id)));
  const silent = looked.filter(({ id }) => !decided.has(id)).length;
  if (silent > 0)
    missing.push(`the second look gave no verdict on ${silent} of ${counted(looked.length, "finding")} of the model`);
  const degraded = missing.map((reason): Degraded => ({ part: "verification", reason }));
  return { checked: takeVerdicts(findings, verdicts, profile, new Set(rest)), usage, degraded };
}

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
 * @param around code from elsewhere that the findings cite; shown as far as it fits
 * @returns with the findings that it asks about, at least one
 */
export function verifyQuestion(
  findings: readonly Finding[],
  files: readonly FileDiff[],
  headTexts: ReadonlyMap<string, string>,
  delimiter: string,
  budget: number,
  around: string,
) {
  const listed = fittingFindings(findings, budget * FINDINGS_PART);
  const included = findings.slice(0, listed.length);
  const list = listed.join("\n\n");
  const drawn = drawnCode(included, files, headTexts, budget - list.length);
  const elsewhere = cutAtLine(around, budget - list.length - drawn.length);
  const code = elsewhere === "" ? drawn : `${drawn}\n\n${elsewhere}`;
  const text = `# Code\n\n${fence("code", code, delimiter)}\n\n# Drafted findings\n\n${fence("findings", list, delimiter)}\n\nDecide each of the ${included.length} findings, by its id.`;
  return {
    findings: included,
    system: [{ text: VERIFY_INSTRUCTIONS, cache: true }],
    user: [{ text, cache: false }],
  };
}

/** At least one, which is cut if it is too long. */
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
  const text = cutText(reveal(body), BODY_CHARS);
  return `[${id}] ${revealLine(cutText(path, 500))}, ${place}; ${severity} ${category}\n${revealLine(title)}\n${text}`;
}

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
  for (const piece of piecesNear(file, findings)) {
    const { text } = drawHunk(file.path, piece, headLines);
    if (text.length + 1 > left) continue;
    left -= text.length + 1;
    shown.push(text);
  }
  return shown.length === 0 ? null : [heading, ...shown].join("\n");
}

/** The lines around each proven place; when one is not proven, then the file's other hunks. */
function piecesNear({ hunks }: FileDiff, findings: readonly Finding[]): readonly Hunk[] {
  const proven = findings.filter(({ locMethod }) => locMethod !== "none");
  const near = hunks.map((hunk) => segmentsNear(hunk, proven));
  const others = proven.length === findings.length ? [] : hunks.filter((_, index) => near[index]?.length === 0);
  return [...near.flat(), ...others];
}

function segmentsNear(hunk: Hunk, findings: readonly Finding[]): readonly Hunk[] {
  const near = findings.flatMap(({ side, startLine, line }) => {
    const numberOf = side === "LEFT" ? "oldLine" : "newLine";
    const isCited = (at: number | null) => at !== null && at >= startLine && at <= line;
    const first = hunk.lines.findIndex((line) => isCited(line[numberOf]));
    if (first < 0) return [];
    const last = hunk.lines.findLastIndex((line) => isCited(line[numberOf]));
    return [{ first: Math.max(0, first - AROUND), last: last + AROUND }];
  });
  return joinedRanges(near).map(({ first, last }) => pieceOfHunk(hunk, hunk.lines.slice(first, last + 1)));
}

/**
 * Splits the rules' findings by the model's verdicts. One without a verdict stays, and one that any
 * answer does not call wrong. A verdict may silence a mild finding but never a severe one: the text
 * that the model read may have asked it to.
 */
export function takeRuleVerdicts(findings: readonly Finding[], verdicts: readonly RuleVerdict[]): Checked {
  const byId = new Map<string, RuleVerdict>();
  for (const verdict of verdicts) {
    const id = plainId(verdict.id);
    if (verdict.verdict !== "wrong" || !byId.has(id)) byId.set(id, verdict);
  }
  return split(findings, (finding) => {
    const { verdict, reason = "" } = byId.get(finding.id) ?? {};
    const isGrave = finding.category === "security" || atLeast(finding.severity, "major");
    if (verdict !== "wrong" || reason.trim() === "" || isGrave) return null;
    return `the model, looking at the code, found it wrong: ${cutText(reason.trim(), REASON_CHARS)}`;
  });
}

const CITED = /([^\s:`'"*()<>[\],;]{1,300}):(\d{1,6})(?:[-–](\d{1,6}))?/g;
const MOST_PLACES = 12;
const NEAR = 4;
const CITED_LINES = 40;

/** The lines that drafts cite as `path:line`, where they can be read, for the model that checks. */
async function citedLines(
  findings: readonly { readonly title: string; readonly body: string }[],
  lines: MaskedLines,
): Promise<string> {
  const drafts = findings.map(({ title, body }) => `${title}\n${body}`).join("\n");
  const places = new Map([...drafts.matchAll(CITED)].map((place) => [place[0], place]));
  const shown: string[] = [];
  for (const [, path = "", first, last = first] of [...places.values()].slice(0, MOST_PLACES)) {
    const all = await lines(path);
    const from = Math.max(1, Number(first) - NEAR);
    const to = Math.min(Number(last) + NEAR, from + CITED_LINES);
    if (all === null || from > all.length) continue;
    shown.push(`### ${revealLine(path)}: cited by a finding\n${numbered(all, from, to)}`);
  }
  return shown.join("\n\n");
}

function numbered(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from - 1, to)
    .map((text, at) => `${from + at}: ${shownLine(text).text}`)
    .join("\n");
}
