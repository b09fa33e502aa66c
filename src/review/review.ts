// The review stage: merges the findings of rules and model, checks them against the diff and places
// them. Nothing is sent. Without a model the rules' review remains, and says so.

import { parseConfig } from "../config/parse-config.ts";
import { fileList } from "../config/patterns.ts";
import { CONFIG_FILE } from "../config/read-yaml.ts";
import type { ChangeContext, ReadHead } from "../domain/change-context.ts";
import { isNotebook, readNotebook } from "../domain/code/notebook.ts";
import { declinedReason } from "../domain/conversation.ts";
import type { Finding, HeldBack } from "../domain/finding.ts";
import { canonicalLanguage } from "../domain/language.ts";
import type { RepositoryHistory } from "../domain/memory/rejections.ts";
import { costOf, type ModelAllowance, tokensOf } from "../domain/model.ts";
import { type Cost, type Degraded, isSource, unreadSource } from "../domain/omissions.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { Checkpoint } from "../domain/review/review-history.ts";
import { isUnread, type PlacedFinding, type Review, type Scope } from "../domain/review.ts";
import type { FileFacts, ReviewSignals } from "../domain/signals.ts";
import { shortHash } from "../domain/text/hash.ts";
import { paragraphs } from "../domain/text/paragraphs.ts";
import type { InspectedFile, InspectedRepository, Inspector } from "../ports.ts";
import { filterFindings, type ReportingPolicy, reportsMore } from "./filter-findings.ts";
import { heldByMemory, type WithMemory, withMemory } from "./memory/held-by-memory.ts";
import {
  type LocatedFinding,
  locateEarlierFindings,
  matchEarlierFindings,
  openFindings,
  placeOfKnown,
  recordFindings,
  whoLooked,
} from "./memory/match-earlier-findings.ts";
import { reviewMemory, withRememberedAbout } from "./memory/remembered-about.ts";
import { type CodeNow, codeNow } from "./placing/code-now.ts";
import { anchorFindings, place } from "./placing/place.ts";
import { suggestion } from "./placing/suggestion.ts";
import { guardPush, scopeAfterPush } from "./push-scope.ts";
import { ANSWER_TOKENS, answerRequest, type Question } from "./reading/answer-question.ts";
import { FIRST_QUESTIONS, REVIEW_INSTRUCTIONS, VERIFY_INSTRUCTIONS } from "./reading/instructions.ts";
import { failureReason } from "./reading/plan-reading.ts";
import { type ModelReview, readByModel, withoutModel } from "./reading/read-by-model.ts";
import { takeRuleVerdicts } from "./reading/verify.ts";
import { withToolFindings } from "./tools/tool-findings.ts";

export { beginnings, flaggedInChange } from "./memory/flagged-here.ts";
export { probeQuestion } from "./reading/probe.ts";

/** The version of the models' instructions: part of a review's fingerprint. */
export const PROMPT_VERSION = shortHash([REVIEW_INSTRUCTIONS, ...FIRST_QUESTIONS, VERIFY_INSTRUCTIONS].join("\n"));

export interface ReviewInputs {
  readonly inspector: Inspector;
  /** The repository at the head, for rules; null: they read the change alone. */
  readonly repository: InspectedRepository | null;
  readonly allowance: ModelAllowance;
  readonly fingerprint: string;
  /** Memory about code and claims like those of this change. */
  readonly pastDecisions: RepositoryHistory;
  /** Whether the author may write to the repository; else the author's word hides nothing. */
  readonly isAuthorTrusted: boolean;
  /** How many findings get a comment of their own; null: `review.maxComments`. */
  readonly commentLimit: number | null;
  readonly around: ChangeContext;
  /** The repository at the head, for the lines that findings cite. */
  readonly head: ReadHead;
}

/**
 * Writes a review.
 *
 * @returns a review that survives JSON unchanged; its cost has 0 ms: only the caller knows the time
 * @throws what the inspector throws; a failing model is `degraded`
 */
export async function review(
  authored: PullRequestContext,
  signals: ReviewSignals,
  precedents: Precedents,
  ports: ReviewInputs,
): Promise<Review> {
  // Rules read what the model is spared.
  const context = { ...authored, files: [...authored.files, ...authored.spared] };
  const { config, pull } = context;
  const { checkpoint } = context.past;
  const inspected = inspectedFiles(context, signals, ports.isAuthorTrusted);
  const settings = new Map(Object.entries(config.rules));
  const found = await ports.inspector.inspect(inspected.files, settings, config.customRules, {
    repository: ports.repository,
  });
  // In a notebook code is in strings, so nothing replaces a line of it.
  const inspection = {
    ...found,
    findings: found.findings.map((finding) => (isNotebook(finding.path) ? { ...finding, suggestion: null } : finding)),
    degraded: [...inspected.degraded, ...found.degraded],
  };
  const memory = reviewMemory(precedents);
  const policy = policyOf(context, signals, ports.isAuthorTrusted);
  const { around } = ports;
  // An author without write access holds nothing back by a comment: it is shown as asked for.
  const unless = (held: readonly HeldBack[]) => (ports.isAuthorTrusted ? [] : held.map(({ finding }) => finding));
  const tools = withToolFindings([...inspection.findings, ...unless(inspection.heldBack)], context, settings);
  const commented = [...inspection.heldBack, ...tools.heldBack];
  const ignored = ports.isAuthorTrusted ? [] : commented;
  const ruleFindings = [...tools.findings, ...unless(tools.heldBack)];
  const material = { context: authored, signals, precedents, ruleFindings, around };
  const bounds = { remembered: memory.precedents, profile: policy.profile, head: ports.head.code };
  const { allowance } = ports;
  const read =
    allowance.model === null ? withoutModel(allowance.reason) : await readByModel(material, bounds, allowance);
  const ruled = takeRuleVerdicts(ruleFindings, read.ruleVerdicts);
  // The author's text may have steered the model that found a rule wrong.
  const refuted = ports.isAuthorTrusted
    ? ruled.heldBack
    : ruled.heldBack.map((held) => ({ ...held, heldBy: "author" as const }));
  const quieted = [...(ports.isAuthorTrusted ? commented : []), ...refuted, ...read.heldBack];
  const code = codeNow(context.files, context.headTexts);
  const byRules = withRememberedAbout(ruled.findings, precedents.ranked, context.headTexts);
  const remembered = await withMemory([...byRules, ...read.findings], checkpoint, code, ports.pastDecisions);
  const weighed = weigh(context, remembered, quieted, code, policy, ports.isAuthorTrusted);
  const seen = [...context.degraded, ...inspection.degraded, ...read.degraded];
  const looked = whoLooked(read.coverage, seen, context.tools);
  const { open, addressed } = openFindings(weighed.notFound, context, looked);
  const limit = ports.commentLimit ?? config.review.maxComments;
  const asked = askedToIgnore([...weighed.reported, ...open], ignored, policy);
  const placed = place(withAsked([...weighed.reported, ...open], asked), limit);
  const findings = withSuggestions(placed, context);
  return {
    kind: "review",
    repo: context.repo,
    number: pull.number,
    headSha: pull.head.sha,
    baseSha: pull.base.sha,
    baseRef: pull.base.ref,
    author: pull.author.id === 0 ? null : `@${pull.author.login}`,
    signals,
    findings,
    memory,
    heldBack: [...quieted, ...weighed.heldBack],
    reviewed: authored.files.map(({ path }) => path),
    coverage: read.coverage,
    // A model that read only the pushed changes cannot describe the whole.
    walkthrough: (checkpoint.kind === "delta" ? checkpoint.walkthrough : null) ?? read.walkthrough,
    leftOut: context.leftOut,
    unread: unreadSource(context.leftOut, [
      ...context.degraded,
      ...inspection.degraded,
      ...unreadByModel(authored, read, allowance),
    ]),
    asked,
    degraded: eachOnce([
      ...context.degraded,
      ...precedents.degraded,
      ...inspection.degraded.filter(({ part }) => part !== "head-text" || !saysNoHead(context)),
      ...tools.degraded,
      ...around.degraded,
      ...ports.head.degraded,
      ...read.degraded,
    ]),
    sources: {
      guidance: context.guidance.map(({ path }) => path),
      tools: [...(context.tools?.ran ?? [])].sort(),
      issues: context.issues.map((issue) =>
        issue.kind === "read" ? { name: `#${issue.number}`, reason: null } : { name: issue.name, reason: issue.reason },
      ),
    },
    configProblems: context.configProblems,
    configUsed: context.configUsed,
    configChanges: changesConfig(context),
    proposedProblems: proposedProblems(context),
    cost: { ...read.cost, ms: 0 },
    fingerprint: ports.fingerprint,
    agentPrompt: config.review.agentPrompt,
    hunks: [],
    month: null,
    isByOutsider: false,
    answersCommands: true,
    summaryBecause: null,
    scope: scopeOf(checkpoint, read),
    said: recordFindings(findings, weighed.located, code),
    addressed,
  };
}

/** Reported findings that an author without write access asks to ignore, in code or by command. */
function askedToIgnore(
  reported: readonly PlacedFinding[],
  ignored: readonly HeldBack[],
  { asked }: ReportingPolicy,
): readonly HeldBack[] {
  const inCode = new Map(ignored.map(({ finding, reason }) => [finding.id, reason]));
  return reported.flatMap(({ finding }) => {
    const reason = inCode.get(finding.id) ?? asked.get(finding.id);
    return reason === undefined ? [] : [{ finding, reason }];
  });
}

const ASKED = "The author asked to ignore this. It counts until a person with write access agrees (`/kodiai ignore`).";

function withAsked(reported: readonly PlacedFinding[], asked: readonly HeldBack[]): readonly PlacedFinding[] {
  const ids = new Set(asked.map(({ finding }) => finding.id));
  return reported.map((placed) => {
    const { finding } = placed;
    return ids.has(finding.id) ? { ...placed, finding: withNote(finding, ASKED) } : placed;
  });
}

function withNote(finding: Finding, note: string): Finding {
  return finding.body.includes(note) ? finding : { ...finding, body: paragraphs(finding.body, note) };
}

/** What a model that is set up did not read of the files that it was to read. */
function unreadByModel(
  { files }: PullRequestContext,
  { coverage, degraded }: ModelReview,
  allowance: ModelAllowance,
): readonly Degraded[] {
  if (coverage !== null) {
    return coverage.files.filter(isUnread).map(({ path, reason }) => {
      return {
        part: "model",
        reason: `not wholly read by the model: ${reason ?? "no reason is known"}`,
        paths: [path],
      };
    });
  }
  const isExpected = allowance.model !== null || allowance.reason !== null;
  const why = degraded.find(({ part }) => part === "model")?.reason;
  if (!isExpected || why === undefined) return [];
  return [{ part: "model", reason: `not read by the model: ${why}`, paths: files.map(({ path }) => path) }];
}

/**
 * Decides which findings are reported, and which earlier ones were neither found nor held back.
 *
 * @param quieted held back before
 */
function weigh(
  context: PullRequestContext,
  { past, revived, ...found }: WithMemory,
  quieted: readonly HeldBack[],
  code: CodeNow,
  policy: ReportingPolicy,
  isAuthorTrusted: boolean,
) {
  const { checkpoint, said } = context.past;
  const located = locateEarlierFindings(said, code, checkpoint.kind === "delta" ? checkpoint.renamed : new Map());
  // Otherwise an author could have a harmless line declined, and then write another in its place.
  const isDeclined = ({ earlier: { finding } }: LocatedFinding) => policy.declined.has(finding.id);
  const matchable = located.map((one) =>
    isAuthorTrusted || one.place?.as === "same" || !isDeclined(one) ? one : { ...one, place: null },
  );
  const { findings, known } = matchEarlierFindings(found.findings, matchable, code);
  const pushScope = scopeAfterPush(context.files, checkpoint);
  const fresh = heldByMemory(findings, (finding) => known.has(finding), past);
  const guarded = guardPush(fresh.findings, known, { pushScope, checkpoint, located, code, revived });
  const filtered = filterFindings(anchorFindings(guarded.findings, context.files), policy);
  const quiet = matchEarlierFindings(
    quieted.map(({ finding }) => finding),
    matchable,
    code,
  );
  const heldBack = [...fresh.heldBack, ...guarded.heldBack, ...filtered.heldBack];
  const seen = new Set([...known.values(), ...quiet.known.values()].map(({ finding }) => finding.id));
  // Declined findings are neither open nor addressed.
  const notFound = located.filter(
    ({ earlier: { finding } }) => !seen.has(finding.id) && !policy.declined.has(finding.id),
  );
  const reported = filtered.reported.map((placed) => {
    const earlier = known.get(placed.finding);
    return earlier === undefined ? placed : placeOfKnown(placed, earlier);
  });
  return { located, notFound, heldBack, reported };
}

/** What the model read; without one the rules read everything, as always. */
function scopeOf(checkpoint: Checkpoint, { coverage }: ModelReview): Scope {
  if (checkpoint.kind === "full") return { kind: "full", reason: checkpoint.reason };
  return coverage === null ? { kind: "full", reason: null } : { kind: "delta", since: checkpoint.since };
}

/** The answer to a question; `text` is null when there is none, and then `reason` says why. */
export interface Answered {
  readonly text: string | null;
  readonly reason: string | null;
  readonly model: string | null;
  readonly cost: Omit<Cost, "ms">;
}

/** Asks the model one question of a person. Never throws. */
export async function answer(question: Question, allowance: ModelAllowance): Promise<Answered> {
  const none = { text: null, model: null, cost: costOf([]) };
  if (allowance.model === null) return { ...none, reason: allowance.reason ?? "no model is set up" };
  const { model, usd, delimiter } = allowance;
  const unanswered = { ...none, model: model.names.main };
  const request = answerRequest(question, delimiter());
  const price = model.price("main", tokensOf([...request.system, ...request.user]), ANSWER_TOKENS);
  if (price !== null && price > usd) return { ...unanswered, reason: "the budget does not pay for the question" };
  const reply = await model.ask(request);
  const paid = { ...unanswered, cost: costOf([reply.usage]) };
  if (reply.kind === "failed") return { ...paid, reason: failureReason(reply) };
  const text = reply.value.answer.trim();
  return text === "" ? { ...paid, reason: "the model gave an empty answer" } : { ...paid, text, reason: null };
}

/** The files as rules read them: a notebook as its code, in its language, and the rest of it. */
function inspectedFiles(context: PullRequestContext, signals: ReviewSignals, isAuthorTrusted: boolean) {
  const known = new Map([...signals.files, ...signals.spared].map((file) => [file.path, file]));
  // Otherwise an author could turn the check green by naming code a test, a document or an example.
  const newTests = isAuthorTrusted ? null : context.newTests;
  const isNamedDocs = fileList(context.config.fileKinds.docs);
  const factsOf = (path: string): FileFacts => {
    const facts = known.get(path) ?? { path, language: "unknown", kind: "source" };
    const isText = !isSource(facts) && facts.kind !== "source";
    if (newTests === null || isText || isNamedDocs(path)) return facts;
    if (facts.kind === "test" && !newTests.has(path)) return facts;
    return { ...facts, kind: facts.kind === "test" || facts.kind === "docs" ? "source" : facts.kind, isServing: true };
  };
  const degraded: Degraded[] = [];
  const files = context.files.flatMap((diff): readonly InspectedFile[] => {
    const { path } = diff;
    const facts = factsOf(path);
    const headText = context.headTexts.get(path) ?? null;
    if (!isNotebook(path) || diff.additions === 0) return [{ diff, facts, headText }];
    const notebook = headText === null ? null : readNotebook(headText, diff);
    if (notebook === null) {
      degraded.push({ part: "notebook", reason: `${path}: ${CELLS_UNREAD}`, paths: [path] });
      return [{ diff, facts, headText }];
    }
    const { code, rest } = notebook;
    return [
      { diff: code.diff, facts: { ...facts, language: canonicalLanguage(notebook.language) }, headText: code.text },
      { diff: rest.diff, facts, headText: rest.text },
    ];
  });
  return { files, degraded };
}

const CELLS_UNREAD = "rules did not read the code of its cells, since it is not on lines of its own in the file";

/** The title of an author without write access can ask for more than configured, not for less. */
function policyOf(
  { config, ownComments, declined }: PullRequestContext,
  { intent }: ReviewSignals,
  isAuthorTrusted: boolean,
): ReportingPolicy {
  const { profile } = config.review;
  const fromTitle = intent.profile;
  const isFromTitle = fromTitle !== null && (isAuthorTrusted || reportsMore(fromTitle, profile));
  const reasons = (isWriter: boolean) =>
    new Map(declined.filter((one) => one.isWriter === isWriter).map((one) => [one.findingId, declinedReason(one)]));
  return {
    severityThreshold: config.review.severityThreshold,
    profile: isFromTitle ? fromTitle : profile,
    profileFrom: isFromTitle ? "title" : "configuration",
    styleOk: intent.styleOk && isAuthorTrusted,
    suppress: config.review.suppress,
    posted: new Set(ownComments.map(({ findingId }) => findingId)),
    declined: reasons(true),
    asked: reasons(false),
  };
}

/**
 * A suggestion needs a comment on its lines, and certainty. Of several for the same lines the first
 * stays, and none where an earlier comment is: committing both would undo one.
 */
function withSuggestions(findings: readonly PlacedFinding[], context: PullRequestContext): readonly PlacedFinding[] {
  const files = new Map(context.files.map((file) => [file.path, file]));
  const linesOf = (path: string, startLine: number, line: number) =>
    Array.from({ length: line - startLine + 1 }, (_, at) => `${startLine + at} ${path}`);
  const taken = new Set(
    findings.flatMap(({ place: where, finding: { path, startLine, line } }) =>
      where === "already-posted" ? linesOf(path, startLine, line) : [],
    ),
  );
  const offerOf = ({ place: where, finding }: PlacedFinding) => {
    const file = where === "inline" && context.config.review.suggestions ? files.get(finding.path) : undefined;
    const headText = context.headTexts.get(finding.path) ?? null;
    const offered = file === undefined ? null : suggestion(finding, file, headText);
    if (offered === null) return null;
    const lines = linesOf(finding.path, offered.startLine, offered.line);
    if (lines.some((line) => taken.has(line))) return null;
    for (const line of lines) taken.add(line);
    return offered;
  };
  return findings.map((finding) => ({ ...finding, finding: { ...finding.finding, suggestion: offerOf(finding) } }));
}

/** When no file of the head could be read, gather has reported that for all of them. */
function saysNoHead({ headTexts, degraded }: PullRequestContext): boolean {
  return headTexts.size === 0 && degraded.some(({ part }) => part === "head-text");
}

function eachOnce(degraded: readonly Degraded[]): readonly Degraded[] {
  return [...new Map(degraded.map((one) => [JSON.stringify([one.part, one.reason]), one])).values()];
}

/**
 * Problems of the configuration that the pull request proposes, at its lines of the head: it is not
 * in effect yet, but can be fixed before the merge. Rule ids are not checked here.
 */
function proposedProblems({ headTexts }: PullRequestContext): Review["proposedProblems"] {
  const text = headTexts.get(CONFIG_FILE);
  return text === undefined ? [] : parseConfig([{ file: CONFIG_FILE, text }]).problems;
}

function changesConfig({ files, leftOut }: PullRequestContext): boolean {
  const changed = [...files, ...leftOut].map(({ path }) => path);
  return changed.includes(CONFIG_FILE) || files.some(({ previousPath }) => previousPath === CONFIG_FILE);
}
