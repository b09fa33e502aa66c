// One review by a model: plan, ask, validate the replies, prove each place, verify. Nothing here
// throws; every step may return less than hoped, and reports what is missing.

import { type HeadCode, maskedLines } from "../../domain/change-context.ts";
import type { Finding, HeldBack, Precedent } from "../../domain/finding.ts";
import { type AllowedModel, costOf, isLastingFailure, type ModelAnswer, tokensOf, usdOf } from "../../domain/model.ts";
import type { Cost, Degraded } from "../../domain/omissions.ts";
import { type Coverage, type FileCoverage, isUnread, type Readings } from "../../domain/review.ts";
import type { Profile } from "../../domain/signals.ts";
import { counted, listed } from "../../domain/text/counted.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { compose, type PromptMaterial, type ReviewPrompt } from "../compose.ts";
import { scopeAfterPush } from "../push-scope.ts";
import { type DraftedFinding, REVIEW_REPLY, type ReviewReply, type RuleVerdict } from "../reply.ts";
import { draft, plainId } from "./draft.ts";
import { drawnContext } from "./draw-file.ts";
import {
  coverageOf,
  type Failed,
  failureReason,
  isIn,
  PART_FOR_READING,
  type Part,
  planReading,
  type QuestionBudget,
  type ReadingPlan,
  readingBudget,
} from "./plan-reading.ts";
import { affordableReadings, wantedReadings } from "./readings.ts";
import { checkByRule, secondLook } from "./verify.ts";

/** What the model contributes to a review. */
export interface ModelReview {
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
  readonly ruleVerdicts: readonly RuleVerdict[];
  readonly walkthrough: string | null;
  readonly coverage: Coverage | null;
  readonly degraded: readonly Degraded[];
  readonly cost: Omit<Cost, "ms">;
}

export interface Bounds {
  readonly remembered: readonly Precedent[];
  readonly profile: Profile;
  readonly head: HeadCode | null;
}

const AT_ONCE = 3;
/** UTF-16 units of the model's description of the change. */
const WALKTHROUGH_CHARS = 2_000;

/**
 * A review without the model.
 *
 * @param reason why, if one was expected; null otherwise
 */
export function withoutModel(reason: string | null): ModelReview {
  return {
    findings: [],
    heldBack: [],
    ruleVerdicts: [],
    walkthrough: null,
    coverage: null,
    degraded: reason === null ? [] : [{ part: "model", reason: `${reason}: rules and memory only` }],
    cost: costOf([]),
  };
}

/** Lets the model read as much of the change as the budget allows. Never throws. */
export async function readByModel(
  material: Omit<PromptMaterial, "parts" | "readings" | "coverage">,
  bounds: Bounds,
  allowed: AllowedModel,
): Promise<ModelReview> {
  const { context, signals, precedents, around } = material;
  const { model, usd } = allowed;
  const budget = readingBudget(model, usd, drawnContext(around).length);
  if (budget.charsInAll === 0) return withoutModel("the budget does not pay for a single question");
  const pushScope = scopeAfterPush(context.files, context.past.checkpoint);
  const readable = planReading(pushScope.files, signals, rememberedPaths(precedents), context.headTexts, budget);
  const planned = await maskedPlan(readable, model.mask);
  // One entry for each reviewed file, in their order.
  const covered = new Map([...planned.coverage, ...pushScope.earlier].map((one) => [one.path, one]));
  const plan = { ...planned, coverage: context.files.flatMap(({ path }) => covered.get(path) ?? []) };
  if (plan.parts.length === 0) {
    // A push that touches nothing of the change needs no question; earlier reading still counts.
    const isFirst = pushScope.earlier.length === 0;
    const coverage = isFirst ? null : coverageOf(model.names.main, plan, [], { cut: [], hidden: [], questions: 0 }, []);
    return { ...withoutModel(null), coverage };
  }

  // Cited lines of changed files can be shown without a repository too.
  const text = async (path: string) => (await bounds.head?.text(path)) ?? context.headTexts.get(path) ?? null;
  const lines = maskedLines({ text }, model.mask);
  const delimiter = allowed.delimiter();
  const wanted = wantedReadings(context.config.review.readings, bounds.profile, pushScope.files);
  const { parts } = plan;
  const prompt = compose({ ...material, ...plan, readings: wanted.planned }, delimiter, budget);
  const readings = affordableReadings(wanted, prompt, allowed, budget.replyTokens);
  const questions = prompt.questions.slice(0, readings.planned * parts.length);
  const answers = await askAll({ ...prompt, questions }, parts.length, budget, allowed);

  const inReading = Array.from({ length: readings.planned }, (_, at) =>
    answers.slice(at * parts.length, (at + 1) * parts.length),
  );
  const replies = answered(answers);
  const failures = parts.map((_, at) => neverRead(inReading.map((list) => list[at])));
  const remembered = new Map(bounds.remembered.map((precedent) => [precedent.id, precedent]));
  const found = inReading.map((list) => inTurn(answered(list).map(({ findings }) => findings)));
  const times = timesRead(parts, inReading);
  const drafts = draft(found, context.files, remembered, (path) => times.get(path)?.times ?? inReading.length);
  const ruled = checkByRule(drafts.findings, context.files);
  const spent = answers.flatMap((answer) => (answer.kind === "not-asked" ? [] : [answer.usage]));
  const fewer = [...times].flatMap(([path, read]) =>
    read.times === 0 || read.times === readings.planned ? [] : [{ path, ...read }],
  );
  const asking = { ...prompt, questions: questions.length, readings: { ...readings, fewer } };
  const coverage = coverageOf(model.names.main, plan, failures, asking, drafts.findings);
  const second = await secondLook(ruled.findings, context, around, lines, bounds.profile, {
    ...allowed,
    usd: usd - usdOf(spent),
  });

  return {
    findings: second.checked.findings,
    heldBack: [...drafts.heldBack, ...ruled.heldBack, ...second.checked.heldBack],
    ruleVerdicts: groundedVerdicts(material.ruleFindings, plan, answers),
    walkthrough: cutText(replies[0]?.walkthrough.trim() ?? "", WALKTHROUGH_CHARS) || null,
    coverage,
    degraded: [
      ...degradedBy("model", unanswered(failures)),
      ...degradedBy("readings", replies.length === 0 ? null : readFewer(fewer, readings.planned)),
      ...degradedBy("model", refused(answers)),
      ...degradedBy("coverage", replies.length === 0 ? null : notWhole(plan, coverage)),
      ...degradedBy("model", dropped(drafts.dropped)),
      ...degradedBy("model", unread(replies)),
      ...second.degraded,
    ],
    cost: costOf([...spent, ...second.usage]),
  };
}

function rememberedPaths({ ranked, seenBefore }: PromptMaterial["precedents"]): ReadonlySet<string> {
  return new Set([...ranked.flatMap(({ record }) => record.path ?? []), ...seenBefore.map(({ path }) => path)]);
}

const REVIEWING = { purpose: "review", tier: "main", effort: "medium", shape: REVIEW_REPLY } as const;

type Answer = ModelAnswer<ReviewReply> | ({ readonly kind: "not-asked" } & Failed);

/**
 * A few at once, in order; stops when the budget is used up or the server is unavailable.
 *
 * @param once how many of the questions are the first reading
 */
async function askAll(
  prompt: Pick<ReviewPrompt, "system" | "questions">,
  once: number,
  { replyTokens }: QuestionBudget,
  { model, usd }: AllowedModel,
): Promise<readonly Answer[]> {
  const answers = new Map<number, Answer>();
  const most = prompt.questions.map(
    (user) => model.price("main", tokensOf([...prompt.system, ...user]), replyTokens) ?? 0,
  );
  let spent = 0;
  let running = 0;
  let next = 0;
  let over: Failed | null = null;
  const askNext = async () => {
    const at = next++;
    const user = prompt.questions[at] ?? [];
    const question = { ...REVIEWING, maxOutputTokens: replyTokens, system: prompt.system, user };
    running += most[at] ?? 0;
    const answer = await model.ask(question);
    running -= most[at] ?? 0;
    answers.set(at, answer);
    spent += answer.usage.usd ?? 0;
    if (answer.kind === "failed" && isLastingFailure(answer)) over = answer;
  };
  /**
   * Running questions of the first reading are taken to cost what the others did. A further reading
   * counts its most, and leaves the money for verification.
   */
  const isPaid = () =>
    next < once
      ? spent < usd && (spent / answers.size) * (next + 1) <= usd
      : spent + running + (most[next] ?? 0) <= usd * PART_FOR_READING;
  const worker = async () => {
    while (over === null && next < prompt.questions.length && isPaid()) await askNext();
  };
  // The first question runs alone: it fills the server's cache for the others.
  await askNext();
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, prompt.questions.length - 1) }, worker));
  const { failure, detail } = over ?? { failure: "budget", detail: "" };
  return prompt.questions.map((_, at) => answers.get(at) ?? { kind: "not-asked", failure, detail });
}

function answered(answers: readonly Answer[]): readonly ReviewReply[] {
  return answers.flatMap((answer) => (answer.kind === "answered" ? [answer.value] : []));
}

function neverRead(answers: readonly (Answer | undefined)[]): Failed | null {
  const failures = answers.flatMap((answer) => (answer === undefined || answer.kind === "answered" ? [] : [answer]));
  return failures.length === answers.length ? (failures[0] ?? null) : null;
}

/** How often all of a file's parts were read, and why not oftener. */
function timesRead(parts: readonly Part[], inReading: readonly (readonly Answer[])[]) {
  const times = new Map<string, { readonly times: number; readonly reason: string }>();
  for (const [at, part] of parts.entries()) {
    const here = inReading.flatMap((list) => list[at] ?? []);
    const failed = here.flatMap((answer) => (answer.kind === "answered" ? [] : [failureReason(answer)]));
    const read = { times: here.length - failed.length, reason: failed[0] ?? "" };
    for (const { path } of part) if ((times.get(path)?.times ?? here.length) >= read.times) times.set(path, read);
  }
  return times;
}

const MOST_FEWER = 5;

function readFewer(fewer: Readings["fewer"], planned: number): string | null {
  if (fewer.length === 0) return null;
  const which = listed(fewer, MOST_FEWER, ({ path, times }) => `${path} ${times === 1 ? "once" : `${times} times`}`);
  const why = [...new Set(fewer.map(({ reason }) => reason))].join("; ");
  return `the model read ${which} in place of ${planned} times: ${why}`;
}

/** One of each in turn, so that one endless reply does not crowd out the others. */
function inTurn(lists: readonly (readonly DraftedFinding[])[]): readonly DraftedFinding[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** Verdicts on rule findings in files that the question showed: of others it knows nothing. */
function groundedVerdicts(
  ruleFindings: readonly Finding[],
  plan: ReadingPlan,
  answers: readonly Answer[],
): readonly RuleVerdict[] {
  const paths = new Map(ruleFindings.map(({ id, path }) => [id, path]));
  return answers.flatMap((answer, at) => {
    if (answer.kind !== "answered") return [];
    const part = plan.parts[at % plan.parts.length] ?? [];
    return answer.value.ruleFindings.filter(({ id }) => isIn(part, paths.get(plainId(id)) ?? ""));
  });
}

function degradedBy(part: string, reason: string | null): readonly Degraded[] {
  return reason === null ? [] : [{ part, reason }];
}

function dropped(count: number): string | null {
  if (count === 0) return null;
  return `${counted(count, "more finding")} of the model dropped, over the number that one review takes`;
}

const MOST_UNREAD = 5;

function unread(replies: readonly ReviewReply[]): string | null {
  const parts = replies.flatMap((reply) => reply.unread);
  if (parts.length === 0) return null;
  const read = replies.reduce((sum, { findings }) => sum + findings.length, 0);
  const more = parts.length > MOST_UNREAD ? "; …" : "";
  return `${parts.length} of ${counted(read + parts.length, "finding")} of the model could not be read: ${parts.slice(0, MOST_UNREAD).join("; ")}${more}`;
}

function unanswered(failures: readonly (Failed | null)[]): string | null {
  const failed = failures.filter((failure) => failure !== null);
  if (failed.length === 0) return null;
  const part = failed.length === failures.length ? "" : `${failed.length} of ${failures.length} parts of `;
  const verb = part === "" ? "was" : "were";
  return `${part}the change ${verb} not read by the model: ${[...new Set(failed.map(failureReason))].join("; ")}`;
}

/** Features that the model's server refused, so that the question was sent without them. */
function refused(answers: readonly Answer[]): string | null {
  const what = new Set(answers.flatMap((answer) => (answer.kind === "answered" ? (answer.without ?? []) : [])));
  return what.size === 0 ? null : `the model was asked without ${[...what].join(" and ")}, which its server refuses`;
}

/** Where not all was to be read: how much was, after the questions that got no answer. */
function notWhole(plan: ReadingPlan, { files }: Coverage): string | null {
  const unread = files.filter(isUnread).length;
  return plan.coverage.some(isUnread)
    ? `the model read ${files.length - unread} of ${counted(files.length, "file")} wholly`
    : null;
}

type Mask = AllowedModel["model"]["mask"];

/** The plan as it will be sent; a file with a masked line counts as partly read. */
async function maskedPlan(plan: ReadingPlan, mask: Mask): Promise<ReadingPlan> {
  const seen = await Promise.all(plan.parts.map((part) => maskedPart(part, mask)));
  const masked = seen.flatMap((one) => one.masked);
  return {
    parts: seen.map(({ part }) => part),
    coverage: plan.coverage.map((file) => lessMasked(file, masked.filter(({ path }) => path === file.path).length)),
  };
}

const ANCHORED = /^-?\d+#[0-9a-f]+:/;

/** A part as it will be sent, and its masked lines of the change with their anchors and signs. */
export async function maskedPart(part: Part, mask: Mask) {
  const texts = await Promise.all(part.map(({ text }) => mask(text)));
  const masked = part.flatMap(({ path, text }, file) => {
    const shown = texts[file]?.split("\n") ?? [];
    // Only lines of the change have an anchor.
    const hidden = text.split("\n").filter((line, at) => line !== shown[at] && ANCHORED.test(line));
    return hidden.map((line) => ({ path, text: line }));
  });
  return { part: part.map(({ path }, file) => ({ path, text: texts[file] ?? "" })), masked };
}

function lessMasked(file: FileCoverage, lines: number): FileCoverage {
  if (lines === 0) return file;
  const which = lines === 1 ? "a line that may hold a secret was" : `${lines} lines that may hold a secret were`;
  const what = `${which} hidden from the model`;
  return { path: file.path, state: "partial", reason: file.reason === null ? what : `${file.reason}; ${what}` };
}
