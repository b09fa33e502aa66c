// The only stage that writes to GitHub. It returns where each finding ended up. The order of the
// writes makes a crash harmless: the summary is edited in place, and comments have markers.

import type { FailOn } from "../config/repo-config.ts";
import type { CommandJob } from "../domain/command.ts";
import type { Answer } from "../domain/conversation.ts";
import { TooExpensive } from "../domain/errors.ts";
import { type Finding, sharedComment } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import type { Skipped } from "../domain/omissions.ts";
import { answerMarker, reviewMarker, withoutMarkers } from "../domain/review/marker.ts";
import {
  type CheckEnd,
  type Conclusion,
  isQuiet,
  isSilent,
  type PlacedFinding,
  type PostedReview,
  type Review,
  type Superseded,
  worstOf,
} from "../domain/review.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import type { BegunCheck, CheckStore, Checks } from "../ports/checks.ts";
import type { Replies } from "../ports/conversation.ts";
import { CommentRefused, type CommentToPost, type Reviews, SupersededError } from "../ports.ts";
import { endWithoutReview, reviewEnd } from "./check-end.ts";
import { placeOf, safeUrl } from "./permalink.ts";
import { postInPieces } from "./post-in-pieces.ts";
import { renderAnswer, renderComment } from "./render-comment.ts";
import { renderReviewBody, renderSummary } from "./render-summary.ts";
import { sanitizeInline } from "./sanitize.ts";

const REFUSED_LINES = "GitHub did not take a comment on these lines";
const REFUSED_FILE = "GitHub did not take a comment on these lines or on this file";
const TOO_MANY_REFUSED = "not posted: GitHub refused too many comments of this review";

/**
 * Sends a written review. With nothing to say and no reason for a summary it is a 👍, and an edit
 * of the summary if there is one. Else: summary (the review's body links it), one review with the
 * inline comments, comments on files, and the summary again if GitHub refused some. May run again
 * after a failure at any point: no comment is posted twice on the same head.
 *
 * @returns Superseded, with nothing more posted, when the head moved or the pull request was closed
 *   or locked meanwhile
 * @throws Transient and bugs, as the port throws them; CommentRefused never
 */
export async function publish(review: Review, reviews: Reviews): Promise<PostedReview | Superseded> {
  const { repo, number, headSha } = review;
  const known = await reviews.postedFindings(repo, number, headSha);
  const planned = review.findings.map((placed) => withoutRepeat(placed, known));
  const superseded = supersededReason(await reviews.head(repo, number), headSha);
  if (superseded !== null) return { kind: "superseded", reason: superseded };
  const putSummary = (body: string) => reviews.putSummary(repo, number, body, headSha);
  try {
    const plannedBody = renderSummary(review, planned);
    if (isSilent(review)) {
      const edited = await reviews.editSummary(repo, number, plannedBody, headSha);
      await reviews.showQuiet(repo, number, headSha);
      return { kind: "posted", review, reviewUrl: null, summaryUrl: edited?.url ?? null, findings: planned };
    }
    if (!isQuiet(review)) await reviews.endQuiet(repo, number);
    const summary = await putSummary(plannedBody);
    const inline = await postInline(review, planned, summary.url, reviews);
    const findings = await postOnFiles(review, inline.findings, reviews);
    const body = renderSummary(review, findings);
    const last = body === plannedBody ? summary : await putSummary(body);
    return { kind: "posted", review, reviewUrl: inline.url, summaryUrl: last.url, findings };
  } catch (error) {
    // The check between two writes, like the one before the first.
    if (error instanceof SupersededError) return { kind: "superseded", reason: error.message };
    throw error;
  }
}

/**
 * Says above the summary why this head is not reviewed; the next review replaces it. Does nothing
 * once the head moved or the pull request was closed or locked.
 *
 * @param why the fragment of a sentence
 * @throws Transient when GitHub does not take it now
 */
export async function refuseReview(
  repo: Repo,
  number: number,
  why: string,
  reviews: Pick<Reviews, "head" | "showNotice">,
): Promise<void> {
  const { sha, state, locked } = await reviews.head(repo, number);
  if (state === "closed" || locked) return;
  const line = `Not reviewed: ${sanitizeInline(publicErrorText(why, 300), 300)}.`;
  try {
    await reviews.showNotice(repo, number, line, sha);
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
  }
}

/** The reaction to a command's comment when the command ends. */
const REACTIONS = { done: "hooray", started: "rocket", failed: "confused", refused: "-1" } as const;

/**
 * Sends an answer: the text where the question was asked, then the reaction.
 *
 * @returns the answer's address, null without a text; and whether GitHub took the reaction
 * @throws Transient when it could not be sent now
 */
export async function publishAnswer(
  { repo, number, comment }: Pick<CommandJob, "repo" | "number" | "comment">,
  answer: Answer,
  replies: Replies,
): Promise<{ readonly url: string | null; readonly isShown: boolean }> {
  const body = renderAnswer(answer, { comment, repo });
  const url = body === null ? null : (await replies.reply(repo, number, comment, body)).url;
  const isShown = await replies.react(repo, comment, REACTIONS[answer.end]);
  return { url, isShown };
}

/** Shows that a comment was seen, before any work is done. */
export async function acknowledge(
  { repo, comment }: Pick<CommandJob, "repo" | "comment">,
  replies: Replies,
): Promise<void> {
  await replies.react(repo, comment, "eyes");
}

/** Whether we already answered: a run that crashed after an answer sends no other. */
export function isAnswered(
  { repo, number, comment }: Pick<CommandJob, "repo" | "number" | "comment">,
  replies: Replies,
): Promise<boolean> {
  return replies.answered(repo, number, comment, answerMarker(comment.place, comment.id));
}

/** The review as Markdown for a terminal: the summary, then each comment by its place. */
export function reviewMarkdown(review: Review): string {
  const inline = byComment(review.findings).map(
    ([finding, ...others]) => `### ${placeOf(review, finding)}\n\n${renderComment(review, finding, "inline", others)}`,
  );
  const onFiles = review.findings
    .filter(({ place }) => place === "file")
    .map(({ finding }) => `### ${placeOf(review, finding)}\n\n${renderComment(review, finding, "file")}`);
  return `${withoutMarkers([renderSummary(review, review.findings), ...inline, ...onFiles].join("\n\n")).trim()}\n`;
}

/** The ports that a check run needs. */
export interface CheckPorts {
  readonly checks: Checks;
  readonly store: CheckStore;
  /** Whether the pull request of a review job's key is open at this head; true where unknown. */
  readonly isOpenAt: (key: string, headSha: string) => Promise<boolean>;
}

/**
 * Begins a check run, or continues the open one of this head. Those of the pull request's other
 * heads end as superseded.
 *
 * @param now epoch milliseconds
 * @throws as the ports throw
 */
export async function beginCheck(
  check: Omit<BegunCheck, "id">,
  number: number,
  ports: CheckPorts,
  now: number,
): Promise<BegunCheck> {
  const { key, headSha, repo } = check;
  for (const other of await ports.store.open(key)) {
    const because = `a review of ${headSha.slice(0, 7)} took its place`;
    if (other.headSha !== headSha) await endCheck(other, endWithoutReview("Superseded", because), ports, now);
  }
  const last = await ports.store.on(key, headSha);
  if (last?.isOpen === true && last.baseRef === check.baseRef) return last;
  const id = last?.isOpen === true ? last.id : await ports.checks.begin(repo, number, headSha, last?.id ?? null);
  await ports.store.begun({ ...check, id }, now);
  return { ...check, id };
}

/**
 * Ends a check run. It belongs to a commit: its conclusion is the worst of all open pull requests
 * with that head, never milder than a verdict that stands. It is stored before GitHub is called, so
 * that a later attempt reports the same; throws as the ports.
 *
 * @param isReviewed the end is the verdict of a review, which takes the place of an earlier one
 */
export async function endCheck(
  check: BegunCheck,
  end: CheckEnd,
  ports: CheckPorts,
  now: number,
  isReviewed = false,
): Promise<void> {
  if (isReviewed) await ports.store.judge(check.id, end.conclusion);
  const send = async (id: number, shown: CheckEnd) => {
    await ports.store.decide(id, shown);
    await ports.checks.end(check.repo, id, shown);
    await ports.store.ended(id, now);
  };
  await send(check.id, asWorst(end, await worstOnHead(check, ports)));
  // GitHub shows the newest run: another pull request's may have begun later and ended before.
  const newest = await ports.store.newest(check.repo, check.headSha);
  const worst = await worstOnHead(check, ports);
  if (newest === null || newest.isOpen || newest.conclusion === null || worst === null) return;
  if (worstOf([newest.conclusion, worst.conclusion]) !== newest.conclusion) await send(newest.id, asWorst(end, worst));
}

/** The worst verdict that stands on a head, and the pull request that it is of. */
export interface HeadVerdict {
  readonly conclusion: Conclusion;
  /** `#7`, or `#7 against main` of an earlier base of the same pull request. */
  readonly of: string;
}

/** Null without a verdict. */
export async function worstOnHead(
  { key, repo, headSha, baseRef }: Pick<BegunCheck, "key" | "repo" | "headSha" | "baseRef">,
  { store, isOpenAt }: Pick<CheckPorts, "store" | "isOpenAt">,
): Promise<HeadVerdict | null> {
  let worst: HeadVerdict | null = null;
  for (const verdict of await store.verdicts(repo, headSha)) {
    const isWorse = worst === null || worstOf([worst.conclusion, verdict.conclusion]) !== worst.conclusion;
    if (!isWorse || (verdict.key !== key && !(await isOpenAt(verdict.key, headSha)))) continue;
    const number = verdict.key.slice(verdict.key.lastIndexOf("#"));
    const of = verdict.key === key && verdict.baseRef !== baseRef ? `${number} against ${verdict.baseRef}` : number;
    worst = { conclusion: verdict.conclusion, of };
  }
  return worst;
}

function asWorst(end: CheckEnd, worst: HeadVerdict | null): CheckEnd {
  if (worst === null || worstOf([end.conclusion, worst.conclusion]) === end.conclusion) return end;
  const why = `The same commit is the head of ${sanitizeInline(worst.of, 150)}, whose review ended as \`${worst.conclusion}\`. That counts until another commit is pushed or that pull request is closed.`;
  return { ...end, conclusion: worst.conclusion, summary: `${why}\n\n${end.summary}` };
}

/**
 * The end of a check run for the result of its review.
 *
 * @param declined ids of findings that people with write access decline now
 */
export function checkEnd(
  result: PostedReview | Superseded | Skipped,
  failOn: FailOn,
  declined: ReadonlySet<string>,
): CheckEnd {
  if (result.kind === "posted") return reviewEnd(result.review, result.findings, result.summaryUrl, failOn, declined);
  return endWithoutReview(result.kind === "superseded" ? "Superseded" : "Not reviewed", result.reason);
}

/** The same end where it must not let a pull request pass. */
export function failing(end: CheckEnd, failOn: FailOn): CheckEnd {
  return failOn === "never" ? end : { ...end, conclusion: "failure" };
}

const LEFT = {
  "no-job": "the review ended without a result; the operator's log has the cause",
  "too-expensive": new TooExpensive().message,
  late: "the review is still running; this check is updated when it ends",
} as const;

/**
 * The end of a check run that its job did not end: no job works on it any more, or takes too long.
 * If the check may fail, it fails: neutral would let a pull request pass without its review. A
 * review that is still running later ends it again with its own result.
 */
export function leftCheckEnd(why: keyof typeof LEFT, failOn: FailOn): CheckEnd {
  return failing(endWithoutReview(why === "late" ? "In progress" : "Not reviewed", LEFT[why]), failOn);
}

function supersededReason(now: Awaited<ReturnType<Reviews["head"]>>, headSha: string): string | null {
  if (now.state === "closed") return "the pull request is closed";
  if (now.locked) return "the conversation is locked";
  return now.sha === headSha ? null : `the head moved to ${now.sha.slice(0, 7)}`;
}

function withoutRepeat(placed: PlacedFinding, known: ReadonlySet<string>): PlacedFinding {
  const repeats = (placed.place === "inline" || placed.place === "file") && known.has(placed.finding.id);
  return repeats ? { ...placed, place: "already-posted", reason: "already posted on this head" } : placed;
}

/** Posts the inline comments; those that GitHub refuses move to their file. */
async function postInline(
  review: Review,
  planned: readonly PlacedFinding[],
  summaryUrl: string,
  reviews: Reviews,
): Promise<{ readonly findings: readonly PlacedFinding[]; readonly url: string | null }> {
  const inline = byComment(planned);
  if (inline.length === 0) return { findings: planned, url: null };
  const { repo, number, headSha } = review;
  const body = `${renderReviewBody(headSha, repo, safeUrl(repo, summaryUrl))}\n${reviewMarker(headSha)}`;
  const post = (piece: readonly SharedComment[]) => {
    const comments = piece.map((findings) => toComment(review, findings));
    return unlessRefused(() => reviews.postReview(repo, number, headSha, body, comments));
  };
  const settled = await postInPieces(inline, post, async (waiting) => {
    const comments = waiting.map((findings) => toComment(review, findings));
    const outside = await reviews.outsideDiff(repo, number, comments);
    return waiting.filter((_, at) => outside.has(comments[at] as CommentToPost));
  });
  const refused = new Set(settled.refused.flat());
  const untried = new Set(settled.untried.flat());
  const findings = planned.map((placed): PlacedFinding => {
    if (placed.place !== "inline") return placed;
    if (refused.has(placed.finding)) return { ...placed, place: "file", reason: REFUSED_LINES };
    return untried.has(placed.finding) ? { ...placed, place: "summary", reason: TOO_MANY_REFUSED } : placed;
  });
  return { findings, url: settled.posted[0] ?? null };
}

/** Posts comments on files as a whole; those that GitHub refuses move to the summary. */
async function postOnFiles(
  review: Review,
  planned: readonly PlacedFinding[],
  reviews: Reviews,
): Promise<readonly PlacedFinding[]> {
  const { repo, number, headSha } = review;
  const findings: PlacedFinding[] = [];
  for (const placed of planned) {
    const { finding } = placed;
    const taken =
      placed.place !== "file" ||
      (await unlessRefused(() =>
        reviews.postFileComment(repo, number, headSha, finding.path, renderComment(review, finding, "file")),
      )) !== null;
    findings.push(taken ? placed : { ...placed, place: "summary", reason: REFUSED_FILE });
  }
  return findings;
}

/** Findings of one comment; the first is the one on whose lines it is. */
type SharedComment = readonly [Finding, ...Finding[]];

/** The inline findings by the comments that they get, in the order in which each begins. */
function byComment(placed: readonly PlacedFinding[]): readonly SharedComment[] {
  const inline = placed.flatMap(({ finding, place }) => (place === "inline" ? [finding] : []));
  const shared = Map.groupBy(inline, (finding) => sharedComment(finding) ?? finding.id);
  return [...shared.values()].flatMap(([first, ...more]) => (first === undefined ? [] : [[first, ...more] as const]));
}

function toComment(review: Review, [finding, ...others]: SharedComment): CommentToPost {
  const { path, side, startLine, line } = finding;
  return { path, side, startLine, line, body: renderComment(review, finding, "inline", others) };
}

async function unlessRefused(post: () => Promise<{ readonly url: string }>): Promise<string | null> {
  try {
    return (await post()).url;
  } catch (error) {
    if (error instanceof CommentRefused) return null;
    throw error;
  }
}
