// Recorded arms of one question: the same pull requests, read in another way, judged by meaning
// without the arm.
import { readFile } from "node:fs/promises";
import { bootstrapShare, type Interval } from "../src/domain/figures/bootstrap-interval.ts";
import type { Finding } from "../src/domain/finding.ts";
import type { Review } from "../src/domain/review.ts";
import { meanOf } from "./metrics.ts";
import { modelChoice } from "./model-choice.ts";
import { type ReplyFiles, readFlat } from "./packed-replies.ts";
import type { RealPull } from "./pull-requests.ts";
import { fingerprint, jsonLines } from "./read-data.ts";
import { hasReply, type Outcome, recordedModel, stemOf } from "./reply-folder.ts";
import { reviewPull } from "./review-pull.ts";
import { openReviewSet, type ReviewSet } from "./review-set.ts";
import type { Row, SuiteOptions } from "./suite.ts";

/** What a judge said about one finding. */
export interface Judgement {
  /** OWNER/NAME#NUMBER */
  readonly pull: string;
  /** See `keyOf`. */
  readonly finding: string;
  /** Whether the code does what the finding says; null where the judge could not decide. */
  readonly real: boolean | null;
  /** Numbers of the comments, from 0, that say the same. */
  readonly meets: readonly number[];
}

/** One arm as its file says it: `[{"name", "readings", "replies": "DIR,FILE:FOLDER"}]`. */
export interface Arm {
  readonly name: string;
  readonly readings: number;
  readonly replies: ReplyFiles;
}

/** One pull request in one arm. */
export interface ArmReview {
  readonly pull: RealPull;
  readonly review: Review;
  readonly outcomes: readonly Outcome[];
}

export const DEFECT = "Code Defect";

export async function readArms(file: string): Promise<readonly Arm[]> {
  const arms = JSON.parse(await readFile(file, "utf8")) as readonly (Omit<Arm, "replies"> & { replies: string })[];
  return Promise.all(arms.map(async (arm) => ({ ...arm, replies: await readFlat(arm.replies) })));
}

export async function readJudgements(file: string | undefined): Promise<readonly Judgement[]> {
  return file === undefined ? [] : (jsonLines(await readFile(file, "utf8"), file) as readonly Judgement[]);
}

/** Findings are known by what they say and where. */
export function keyOf({ path, line, title }: Finding): string {
  return fingerprint([path, line, title]);
}

/** The pull requests that have a reply in one of the arms. */
export function openArms(arms: readonly Arm[], options: SuiteOptions): Promise<ReviewSet> {
  const isAnswered = (pull: RealPull) => arms.some(({ replies }) => hasReply(pull, replies));
  return openReviewSet(options, Number.POSITIVE_INFINITY, isAnswered);
}

/** The reviews of an arm, of all pull requests that have a reply in it. */
export async function reviewsOf({ readings, replies }: Arm, set: ReviewSet): Promise<readonly ArmReview[]> {
  const reviews: ArmReview[] = [];
  for (const pull of set.pulls) {
    if (!hasReply(pull, replies)) continue;
    const { model, outcomes } = await recordedModel(stemOf(pull), replies, modelChoice(undefined));
    const { review } = await reviewPull(pull, { ...(await set.reviewerOf(pull, readings)), model });
    reviews.push({ pull, review, outcomes });
  }
  return reviews;
}

/** Counts of one pull request in one arm; of the model's findings alone. */
function countsOf({ pull, review, outcomes }: ArmReview, verdicts: ReadonlyMap<string, Judgement>) {
  const about = ({ finding }: { readonly finding: Finding }) =>
    verdicts.get(`${pull.repo}#${pull.number} ${keyOf(finding)}`);
  const ours = review.findings.filter(({ finding }) => finding.source === "model");
  const posted = ours.filter(({ place }) => place === "inline" || place === "file");
  const judged = posted.map(about).filter((one) => one !== undefined && one.real !== null);
  const isDefect = (at: number) => pull.comments[at]?.category === DEFECT;
  const met = (list: typeof ours) => [...new Set(list.flatMap((one) => about(one)?.meets ?? []))];
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0);
  return {
    posted: posted.length,
    seen: ours.length,
    judged: judged.length,
    real: judged.filter((one) => one?.real === true).length,
    meeting: posted.filter((one) => (about(one)?.meets.length ?? 0) > 0).length,
    comments: pull.comments.length,
    met: met(posted).length,
    defects: pull.comments.filter(({ category }) => category === DEFECT).length,
    defectsMet: met(posted).filter(isDefect).length,
    defectsSeen: met(ours).filter(isDefect).length,
    unanswered: outcomes.filter(({ state }) => state === "missing" || state === "malformed").length,
    tokensIn: sum(({ usage }) => usage.inputTokens),
    tokensOut: sum(({ usage }) => usage.outputTokens),
    cached: sum(({ usage }) => usage.cachedTokens),
    usd: sum(({ usage }) => usage.usd ?? 0),
  };
}

type Counts = ReturnType<typeof countsOf>;

/**
 * The figures of each arm, with the paired difference to the first one over the pull requests that
 * both have. `seen` counts what the summary has as well; money counts a cached token as a tenth.
 */
export function armRows(
  arms: readonly { readonly name: string; readonly reviews: readonly ArmReview[] }[],
  judged: readonly Judgement[],
): readonly Row[] {
  const verdicts = new Map(judged.map((one) => [`${one.pull} ${one.finding}`, one]));
  const counted = arms.map(({ name, reviews }) => ({
    name,
    byPull: new Map(reviews.map((one) => [one.pull.id, countsOf(one, verdicts)])),
  }));
  const [first] = counted;
  return counted.map(({ name, byPull }): Row => {
    const list = [...byPull.values()];
    const shares = sharesOf(list);
    const both = [...byPull].flatMap(([id, ours]) => {
      const theirs = first?.byPull.get(id);
      return theirs === undefined ? [] : [[ours, theirs] as const];
    });
    const defects = bootstrapShare(list.map((one) => [one.defectsMet, one.defects]));
    const gain = {
      defects: bootstrapShare(both.map(([ours, theirs]) => [ours.defectsMet - theirs.defectsMet, ours.defects])),
      recall: bootstrapShare(both.map(([ours, theirs]) => [ours.met - theirs.met, ours.comments])),
      posted: bootstrapShare(both.map(([ours, theirs]) => [ours.posted - theirs.posted, 1])),
    };
    return {
      name,
      n: list.length,
      metrics: shares,
      ci: { defects: [defects.low, defects.high] },
      against: { row: first?.name ?? name, gain },
      remark: name === first?.name ? "" : `defects ${signed(gain.defects)}, posted ${signed(gain.posted)}`,
    };
  });
}

function sharesOf(list: readonly Counts[]): Readonly<Record<string, number>> {
  const sum = (field: keyof Counts) => list.reduce((total, one) => total + one[field], 0);
  const share = (over: keyof Counts, under: keyof Counts) => sum(over) / Math.max(1, sum(under));
  const [precision, recall] = [share("meeting", "posted"), share("met", "comments")];
  return {
    defects: share("defectsMet", "defects"),
    defectsSeen: share("defectsSeen", "defects"),
    recall,
    precision,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    real: share("real", "judged"),
    unjudged: sum("posted") - sum("judged"),
    posted: sum("posted"),
    seen: sum("seen"),
    mean: meanOf(list.map(({ posted }) => posted)),
    median: median(list.map(({ posted }) => posted)),
    unanswered: sum("unanswered"),
    tokensIn: sum("tokensIn") / Math.max(1, list.length),
    tokensOut: sum("tokensOut") / Math.max(1, list.length),
    cached: share("cached", "tokensIn"),
    usd: sum("usd") / Math.max(1, list.length),
  };
}

function signed({ mean, low, high }: Interval): string {
  return `${mean >= 0 ? "+" : ""}${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
