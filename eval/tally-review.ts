// One written review against what people said about the same lines.
import { localWords } from "../src/adapters/local/local-embedder.ts";
import { bootstrapShare } from "../src/domain/figures/bootstrap-interval.ts";
import type { Finding } from "../src/domain/finding.ts";
import type { PullRequestContext } from "../src/domain/pull-request.ts";
import type { Review } from "../src/domain/review.ts";
import type { GoldenComment, RealPull } from "./pull-requests.ts";
import type { Row } from "./suite.ts";

/** People point at the line above or below: as far as this a comment is about the same place. */
const NEAR = 3;

/** Counts of one pull request. */
export interface Tally {
  readonly golden: number;
  /** Comments that a finding meets by its place; and by its words as well. */
  readonly found: number;
  readonly foundWords: number;
  readonly findings: number;
  /** Findings that meet a comment. */
  readonly met: number;
  readonly metWords: number;
  /** Findings that meet only rejected comments. */
  readonly rejected: number;
  readonly changedLines: number;
  readonly duplicates: number;
  /** Posted by the first push; and of these said once more by a second that moved every line. */
  readonly posted: number;
  readonly again: number;
  readonly heldBack: number;
  readonly located: { readonly anchor: number; readonly quote: number; readonly none: number };
  readonly questions: number;
  readonly unanswered: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

/** @param second the review of a second push, which knows the comments of the first */
export async function tallyReview(
  pull: RealPull,
  context: PullRequestContext,
  review: Review,
  second: Review,
): Promise<Tally> {
  const findings = review.findings.map(({ finding }) => finding);
  const similar = await similarity(findings, [...pull.comments, ...pull.rejected]);
  const near = (finding: Finding, comment: GoldenComment) =>
    comment.line > 0
      ? isNear(finding, comment)
      : (comment.path === "" || comment.path === finding.path) && similar(finding, comment);
  const alike = (finding: Finding, comment: GoldenComment) => near(finding, comment) && similar(finding, comment);
  const meets = (test: typeof near) => findings.filter((one) => pull.comments.some((comment) => test(one, comment)));
  const met = new Set(meets(near));
  const posted = review.findings.filter(({ place }) => place === "inline" || place === "file");
  const saidAgain = new Set(
    second.findings
      .filter(({ place }) => place === "inline" || place === "file")
      .map(({ finding }) => sameDefect(finding)),
  );
  return {
    golden: pull.comments.length,
    found: pull.comments.filter((comment) => findings.some((one) => near(one, comment))).length,
    foundWords: pull.comments.filter((comment) => findings.some((one) => alike(one, comment))).length,
    findings: findings.length,
    met: met.size,
    metWords: meets(alike).length,
    rejected: findings.filter((one) => !met.has(one) && pull.rejected.some((comment) => near(one, comment))).length,
    changedLines: context.files.reduce((sum, file) => sum + file.additions + file.deletions, 0),
    duplicates: findings.filter((one, at) => findings.slice(0, at).some((earlier) => isDuplicate(earlier, one))).length,
    posted: posted.length,
    again: posted.filter(({ finding }) => saidAgain.has(sameDefect(finding))).length,
    heldBack: review.heldBack.length,
    located: review.coverage?.located ?? { anchor: 0, quote: 0, none: 0 },
    questions: review.coverage?.questions ?? 0,
    unanswered: review.coverage?.unanswered ?? 0,
    inputTokens: review.cost.inputTokens,
    outputTokens: review.cost.outputTokens,
    usd: review.cost.usd ?? 0,
  };
}

/**
 * Within three lines of each other on the same side of the same file. A finding without a proven
 * line meets no comment.
 */
export function isNear(
  finding: Pick<Finding, "path" | "side" | "startLine" | "line" | "locMethod">,
  comment: GoldenComment,
): boolean {
  return (
    finding.locMethod !== "none" &&
    finding.path === comment.path &&
    finding.side === comment.side &&
    finding.startLine <= comment.line + NEAR &&
    comment.startLine <= finding.line + NEAR
  );
}

function sameDefect({ path, rule, title }: Finding): string {
  return JSON.stringify([path, rule, title]);
}

/**
 * The same kind of thing about overlapping lines; of a model also the same title. A rule may speak
 * twice in one file.
 */
function isDuplicate(a: Finding, b: Finding): boolean {
  const overlap = a.side === b.side && a.startLine <= b.line && b.startLine <= a.line;
  if (a.path !== b.path) return false;
  return (
    (overlap && a.rule === b.rule && a.category === b.category) || (a.rule === null && sameDefect(a) === sameDefect(b))
  );
}

/** Whether two texts share enough rare words, by the keyless embedder and its own threshold. */
async function similarity(
  findings: readonly Finding[],
  comments: readonly GoldenComment[],
): Promise<(finding: Finding, comment: GoldenComment) => boolean> {
  const { embed, threshold } = localWords();
  const vectors = async (texts: readonly string[]) =>
    texts.length === 0 ? [] : (await embed(texts, "document")).vectors;
  const ours = await vectors(findings.map(({ title, body }) => `${title}\n${body}`));
  const theirs = await vectors(comments.map(({ text }) => text));
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return (finding, comment) => {
    const [a, b] = [ours[findings.indexOf(finding)], theirs[comments.indexOf(comment)]];
    return a != null && b != null && 1 - cosine(a, b) <= threshold;
  };
}

/** Figures over pull requests, each with its interval. */
export function figures(name: string, tallies: readonly Tally[]): Row {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const shares: Readonly<Record<string, readonly [(tally: Tally) => number, (tally: Tally) => number]>> = {
    recall: [(tally) => tally.found, (tally) => tally.golden],
    recallWords: [(tally) => tally.foundWords, (tally) => tally.golden],
    meetsHuman: [(tally) => tally.met, (tally) => tally.findings],
    meetsWords: [(tally) => tally.metWords, (tally) => tally.findings],
    per1000: [(tally) => tally.findings * 1000, (tally) => tally.changedLines],
  };
  const measured = Object.entries(shares).map(
    ([metric, [over, under]]) => [metric, bootstrapShare(tallies.map((tally) => [over(tally), under(tally)]))] as const,
  );
  const drafted = sum(({ located }) => located.anchor + located.quote + located.none);
  const share = (part: number, of: number) => (of === 0 ? 0 : part / of);
  const asked = sum(({ questions }) => questions);
  const counts = {
    golden: sum(({ golden }) => golden),
    found: sum(({ found }) => found),
    missed: sum(({ golden, found }) => golden - found),
    findings: sum(({ findings }) => findings),
    noise: sum(({ findings, met }) => findings - met),
    rejected: sum(({ rejected }) => rejected),
    heldBack: sum(({ heldBack }) => heldBack),
    duplicates: sum(({ duplicates }) => duplicates),
    againOnPush: share(
      sum(({ again }) => again),
      sum(({ posted }) => posted),
    ),
  };
  const model = {
    questions: asked,
    unanswered: sum(({ unanswered }) => unanswered),
    byAnchor: share(
      sum(({ located }) => located.anchor),
      drafted,
    ),
    byQuote: share(
      sum(({ located }) => located.quote),
      drafted,
    ),
    unplaced: share(
      sum(({ located }) => located.none),
      drafted,
    ),
    tokensIn: share(
      sum(({ inputTokens }) => inputTokens),
      tallies.length,
    ),
    tokensOut: share(
      sum(({ outputTokens }) => outputTokens),
      tallies.length,
    ),
    usd: share(
      sum(({ usd }) => usd),
      tallies.length,
    ),
  };
  return {
    name,
    n: tallies.length,
    metrics: {
      ...counts,
      ...Object.fromEntries(measured.map(([metric, { mean }]) => [metric, mean])),
      ...(asked === 0 ? {} : model),
    },
    ci: Object.fromEntries(measured.map(([metric, { low, high }]) => [metric, [low, high] as const])),
  };
}
