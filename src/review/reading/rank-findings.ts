// One question puts the findings that hold in order of worth: many true findings are not worth a comment, and what a model
// says of each by itself orders little.
import { atLeast, type Finding, WHENS } from "../../domain/finding.ts";
import { type AllowedModel, type ModelUsage, tokensOf } from "../../domain/model.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Profile } from "../../domain/signals.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { fence, reveal, revealLine } from "../../domain/text/untrusted-text.ts";
import { RANK_REPLY, type RankedFinding } from "../reply.ts";
import { plainId } from "./draft.ts";
import { RANK_INSTRUCTIONS } from "./instructions.ts";
import { failureReason, verifyBudget } from "./plan-reading.ts";
import { type Checked, fittingFindings, split, wantedObjection } from "./verify.ts";

/** What ranking adds to the findings. */
interface Ranked extends Checked {
  readonly usage: readonly ModelUsage[];
  readonly degraded: readonly Degraded[];
}

interface RankBounds {
  readonly profile: Profile;
  /** False: the odds that the model named decide which findings are wanted. */
  readonly isRanked: boolean;
  /** Otherwise the author's text may have steered the ranking: what it holds back still counts for the check. */
  readonly isAuthorTrusted: boolean;
}

/** Tokens of a reply, thinking included. */
const REPLY_TOKENS = 4_000;
const DESCRIPTION_CHARS = 2_000;
const NEVER = "ranked among the findings of this change as one that no one would fix";

/**
 * Ranks findings against each other by the small model, and holds back what no one would fix, but never a major or a security
 * finding. Without an answer the odds of each decide, as they do for a change that is read once.
 */
export async function rankFindings(
  findings: readonly Finding[],
  context: Pick<PullRequestContext, "pull">,
  { profile, isRanked, isAuthorTrusted }: RankBounds,
  { model, usd, delimiter }: AllowedModel,
): Promise<Ranked> {
  const byOdds = split(findings, (finding) => wantedObjection(finding, profile));
  if (!isRanked || findings.length < 2) return { ...byOdds, usage: [], degraded: [] };
  const because = (reason: string): readonly Degraded[] => [
    { part: "ranking", reason: `the findings of the model were not ranked against each other: ${reason}` },
  ];
  const budget = verifyBudget(model);
  const none = { failure: budget === null ? "too-long" : "budget", detail: "" };
  if (budget === null) return { ...byOdds, usage: [], degraded: because(failureReason(none)) };
  const replyTokens = Math.min(REPLY_TOKENS, budget.replyTokens);
  const { listed, ...question } = rankQuestion(findings, context, delimiter(), budget.chars);
  const price = model.price("small", tokensOf([...question.system, ...question.user]), replyTokens) ?? 0;
  if (price > usd) return { ...byOdds, usage: [], degraded: because(failureReason(none)) };
  const answer = await model.ask({ ...RANKING, ...question, maxOutputTokens: replyTokens });
  const usage = [answer.usage];
  if (answer.kind === "failed") return { ...byOdds, usage, degraded: because(failureReason(answer)) };
  const ranked = inOrder(findings, answer.value.order);
  const silent = findings.length - ranked.named;
  const partly = silent === 0 ? [] : because(`the model gave no rank to ${silent} of ${findings.length}`);
  const isGrave = ({ severity, category }: Finding) => category === "security" || atLeast(severity, "major");
  const out = split(ranked.findings, (one) => (one.rank?.when === "never" && !isGrave(one) ? NEVER : null));
  const heldBack = out.heldBack.map((held) => (isAuthorTrusted ? held : { ...held, heldBy: "author" as const }));
  const degraded = listed === findings.length ? partly : because(`${listed} of ${findings.length} fit a question`);
  return { findings: out.findings, heldBack, usage, degraded };
}

const RANKING = { purpose: "rank", tier: "small", effort: "medium", shape: RANK_REPLY } as const;

/** @returns with how many of the findings the question lists */
function rankQuestion(
  findings: readonly Finding[],
  { pull }: Pick<PullRequestContext, "pull">,
  delimiter: string,
  budget: number,
) {
  const description = cutText(reveal(visibleText(pull.body ?? "").text).trim(), DESCRIPTION_CHARS);
  const change = `${revealLine(cutText(pull.title, 600))}\n\n${description}`.trim();
  const listed = fittingFindings(findings, budget - change.length);
  const text = `# The change, as its author describes it\n\n${fence("description", change, delimiter)}\n\n# Findings that hold\n\n${fence("findings", listed.join("\n\n"), delimiter)}\n\nPut the ${listed.length} findings in order, by their ids.`;
  return {
    listed: listed.length,
    system: [{ text: RANK_INSTRUCTIONS, cache: true }],
    user: [{ text, cache: false }],
  };
}

/** The findings with their rank: by when to fix them, then as the model lists them. Those that it does not name come last. */
function inOrder(findings: readonly Finding[], order: readonly RankedFinding[]) {
  const byId = new Map<string, RankedFinding & { readonly place: number }>();
  for (const [place, one] of order.entries())
    if (!byId.has(plainId(one.id))) byId.set(plainId(one.id), { ...one, place });
  const rankOf = (finding: Finding) => byId.get(finding.id) ?? { when: "later" as const, place: order.length };
  const ranked = findings.toSorted(
    (a, b) => WHENS.indexOf(rankOf(a).when) - WHENS.indexOf(rankOf(b).when) || rankOf(a).place - rankOf(b).place,
  );
  const at = new Map(ranked.map((finding, index) => [finding, index]));
  return {
    findings: findings.map((one): Finding => ({ ...one, rank: { when: rankOf(one).when, at: at.get(one) ?? 0 } })),
    named: findings.filter(({ id }) => byId.has(id)).length,
  };
}
