// Verification: the cheaper model checks drafted findings against the code before they are posted.
import { type ChangeContext, citedContext } from "../../domain/change-context.ts";
import type { Finding } from "../../domain/finding.ts";
import type { MaskedLines } from "../../domain/masked-lines.ts";
import type { ModelAnswer, ModelRequest, ModelUsage } from "../../domain/model.ts";
import type { Cost, Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Profile } from "../../domain/signals.ts";
import { failureText } from "../coverage.ts";
import { type CheckedFinding, VERIFY_REPLY } from "../reply.ts";
import { drawnContext } from "./draw-context.ts";
import { citedLines } from "./look-ups.ts";
import { verifyBudget } from "./reading-budget.ts";
import { type Checked, plainId, takeVerdicts } from "./verify.ts";
import { verifyQuestion } from "./verify-question.ts";

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
