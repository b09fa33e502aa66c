// One review by a model: plan the reading, ask, take what is of the right form, prove each place, look a second time.
// Each step may come back with less than hoped; nothing here throws, and what is missing is said.
import type { Finding, HeldBack, Precedent } from "../domain/finding.ts";
import type { ModelAnswer, ModelRequest, ModelUsage } from "../domain/model.ts";
import type { Cost, Degraded } from "../domain/outcome.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import type { Coverage } from "../domain/review.ts";
import type { Profile } from "../domain/signals.ts";
import { compose, type PromptMaterial, type ReviewPrompt } from "./compose.ts";
import { coverageOf, failureText } from "./coverage.ts";
import { draft } from "./draft.ts";
import { planReading, type ReadingPlan } from "./plan-reading.ts";
import { type Reach, reachOf } from "./reach.ts";
import { type ModelMeasure, type QuestionRoom, readingBudget } from "./reading-budget.ts";
import { REVIEW_REPLY, type ReviewReply, type RuleVerdict, VERIFY_REPLY } from "./reply.ts";
import { type Checked, checkByRule, takeVerdicts, verifyQuestion } from "./verify.ts";

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

/** The model, as far as this room needs it. */
export interface Asked extends ModelMeasure {
  readonly name: string;
  readonly ask: <T>(request: ModelRequest<T>) => Promise<ModelAnswer<T>>;
  readonly delimiter: () => string;
}

export interface Bounds {
  /** Precedents that stand in the prompt. */
  readonly remembered: readonly Precedent[];
  readonly profile: Profile;
  /** US$ */
  readonly usd: number;
}

/** Questions at the same time. */
const AT_ONCE = 3;
/** Tokens of the second look's reply, thinking included. */
const VERDICT_TOKENS = 8_000;
const NO_COST = { inputTokens: 0, outputTokens: 0, usd: 0 } as const;

/**
 * A review without the model.
 *
 * @param reason why, where there could have been one; null where nobody expects one
 */
export function withoutModel(reason: string | null): ModelReview {
  return {
    findings: [],
    heldBack: [],
    ruleVerdicts: [],
    walkthrough: null,
    coverage: null,
    degraded: reason === null ? [] : [{ part: "model", reason: `${reason}: rules and memory only` }],
    cost: NO_COST,
  };
}

/** Lets the model read the change, as much of it as the money pays for. Never throws. */
export async function readByModel(
  material: Omit<PromptMaterial, "readings">,
  bounds: Bounds,
  asked: Asked,
): Promise<ModelReview> {
  const budget = readingBudget(asked, bounds.usd);
  if (budget.charsInAll === 0) return withoutModel("the budget does not pay for a single question");
  const { context, signals, precedents } = material;
  const reach = reachOf(context.files, context.past.checkpoint);
  const planned = planReading(reach.files, signals, rememberedPaths(precedents), context.headTexts, budget);
  const plan = { ...planned, coverage: inOrder(context.files, planned.coverage, reach) };
  if (plan.readings.length === 0) return nothingToRead(plan, reach, asked.name);
  const prompt = compose({ ...material, readings: plan.readings }, asked.delimiter(), budget.contextChars);
  const answers = await askAll(prompt, bounds.usd, budget, asked);
  return written(material, bounds, asked, plan, prompt, answers);
}

/** One entry for each reviewed file, in their order. */
function inOrder(
  files: readonly FileDiff[],
  coverage: ReadingPlan["coverage"],
  { earlier }: Reach,
): ReadingPlan["coverage"] {
  const byPath = new Map([...coverage, ...earlier].map((one) => [one.path, one]));
  return files.flatMap(({ path }) => byPath.get(path) ?? []);
}

/** A push that touches nothing of the change needs no question; what was read before still counts. */
function nothingToRead(plan: ReadingPlan, { earlier }: Reach, model: string): ModelReview {
  const coverage = earlier.length === 0 ? null : coverageOf(model, plan, [], [], []);
  return { ...withoutModel(null), coverage };
}

function rememberedPaths({ ranked, seenBefore }: PromptMaterial["precedents"]): ReadonlySet<string> {
  return new Set([...ranked.flatMap(({ record }) => record.path ?? []), ...seenBefore.map(({ path }) => path)]);
}

const REVIEWING = {
  purpose: "review",
  tier: "main",
  effort: "medium",
  shape: REVIEW_REPLY,
} as const;

type Answer = ModelAnswer<ReviewReply> | { readonly kind: "not-asked" };

/** At most a few at once, in the order of the plan, and none any more when the money is used up. */
async function askAll(
  prompt: ReviewPrompt,
  usd: number,
  { replyTokens }: QuestionRoom,
  asked: Asked,
): Promise<readonly Answer[]> {
  const answers: Answer[] = prompt.questions.map(() => ({ kind: "not-asked" }));
  let spent = 0;
  let next = 0;
  const askNext = async () => {
    const at = next++;
    const user = prompt.questions[at] ?? [];
    const answer = await asked.ask({ ...REVIEWING, maxOutputTokens: replyTokens, system: prompt.system, user });
    answers[at] = answer;
    spent += answer.usage.usd ?? 0;
  };
  const worker = async () => {
    while (next < prompt.questions.length && spent < usd) await askNext();
  };
  // The first question alone: it fills the server's cache for the others.
  await askNext();
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, prompt.questions.length - 1) }, worker));
  return answers;
}

async function written(
  material: Omit<PromptMaterial, "readings">,
  bounds: Bounds,
  asked: Asked,
  plan: ReadingPlan,
  prompt: ReviewPrompt,
  answers: readonly Answer[],
): Promise<ModelReview> {
  const { context } = material;
  const replies = answers.flatMap((answer) => (answer.kind === "answered" ? [answer.value] : []));
  const failures = answers.map(failureOf);
  const remembered = new Map(bounds.remembered.map((precedent) => [precedent.id, precedent]));
  const drafts = draft(
    replies.flatMap(({ findings }) => findings),
    context.files,
    remembered,
  );
  const ruled = checkByRule(drafts.findings, context.files);
  const spent = answers.flatMap((answer) => (answer.kind === "not-asked" ? [] : [answer.usage]));
  const second = await secondLook(ruled.findings, material, bounds, asked, bounds.usd - usdOf(spent));
  const coverage = coverageOf(asked.name, plan, failures, prompt.cut, drafts.findings);
  return {
    findings: second.checked.findings,
    heldBack: [...drafts.heldBack, ...ruled.heldBack, ...second.checked.heldBack],
    ruleVerdicts: replies.flatMap(({ ruleFindings }) => ruleFindings),
    walkthrough: replies[0]?.walkthrough.trim() || null,
    coverage,
    degraded: [...unanswered(failures), ...overBudget(plan), ...second.degraded],
    cost: costOf([...spent, ...second.usage]),
  };
}

function failureOf(answer: Answer): string | null {
  if (answer.kind === "answered") return null;
  return answer.kind === "failed" ? answer.failure : "budget";
}

function unanswered(failures: readonly (string | null)[]): readonly Degraded[] {
  const failed = failures.filter((failure) => failure !== null);
  const [first] = failed;
  if (first === undefined) return [];
  const what =
    failed.length === failures.length
      ? "the change was not read by the model"
      : `${failed.length} of ${failures.length} parts of the change were not read by the model`;
  const reasons = [...new Set(failed)].map(failureText).join("; ");
  return [{ part: "model", reason: `${what}: ${reasons}` }];
}

function overBudget({ coverage }: ReadingPlan): readonly Degraded[] {
  const unread = coverage.filter(({ state }) => state === "partial" || state === "not-read").length;
  if (unread === 0) return [];
  return [
    { part: "coverage", reason: `the model read ${coverage.length - unread} of ${coverage.length} files wholly` },
  ];
}

interface SecondLook {
  readonly checked: Checked;
  readonly usage: readonly ModelUsage[];
  readonly degraded: readonly Degraded[];
}

async function secondLook(
  findings: readonly Finding[],
  { context }: Omit<PromptMaterial, "readings">,
  { profile }: Bounds,
  asked: Asked,
  usdLeft: number,
): Promise<SecondLook> {
  if (findings.length === 0) return { checked: { findings, heldBack: [] }, usage: [], degraded: [] };
  const unchecked = (reason: string, usage: readonly ModelUsage[]): SecondLook => ({
    checked: takeVerdicts(findings, null, profile),
    usage,
    degraded: [{ part: "verification", reason: `findings of the model were not checked a second time: ${reason}` }],
  });
  if (usdLeft <= 0) return unchecked(failureText("budget"), []);
  const question = verifyQuestion(findings, context.files, context.headTexts, asked.delimiter());
  const answer = await asked.ask({
    purpose: "verify",
    tier: "small",
    ...question,
    effort: "medium",
    maxOutputTokens: VERDICT_TOKENS,
    shape: VERIFY_REPLY,
  });
  if (answer.kind === "failed") return unchecked(failureText(answer.failure), [answer.usage]);
  return { checked: takeVerdicts(findings, answer.value.findings, profile), usage: [answer.usage], degraded: [] };
}

function usdOf(usage: readonly ModelUsage[]): number {
  return usage.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/** Null as soon as one question has no price: a sum without it would be a lie. */
function costOf(usage: readonly ModelUsage[]): ModelReview["cost"] {
  return {
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usd: usage.some(({ usd }) => usd === null) ? null : usdOf(usage),
  };
}
