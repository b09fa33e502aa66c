// The pipeline: one pull request, from a job to a posted review, read top to bottom.
//
//   gather -> analyze -> decisions -> retrieve -> context -> review -> save -> publish -> remember
//
// Each stage takes values that earlier stages returned and returns one. A review is saved before it
// is posted, so a retry goes on with "publish": nothing is written twice and nothing is posted
// twice.
import { analyze } from "../../analyze/analyze.ts";
import { contextOf } from "../../context/context.ts";
import type { ReadHead } from "../../domain/change-context.ts";
import { Stopped } from "../../domain/errors.ts";
import type { ReviewJob } from "../../domain/job.ts";
import type { Skipped } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Review, Superseded } from "../../domain/review.ts";
import { gather, gatherIssues, isFork, isOwnFork } from "../../gather/gather.ts";
import type { Snapshots } from "../../ports/snapshot.ts";
import { retrieve } from "../../retrieve/retrieve.ts";
import { review } from "../../review/review.ts";
import { checkRun, mayWrite, writersOf } from "./check-run.ts";
import { loadPastDecisions, withReasons } from "./load-past-decisions.ts";
import { knownFor } from "./model-allowance.ts";
import { type Posting, posting } from "./posting.ts";
import { fingerprintFor, prepare, summaryBecause } from "./prepare.ts";
import type { ReviewPorts, SentReview, Stage, WritingPorts } from "./review-ports.ts";

/**
 * Reviews one pull request at its newest head and posts it, once however often the job runs.
 *
 * @throws Transient when another try may succeed; Stopped after a `stop`; anything else is a bug
 */
export async function reviewPullRequest(
  job: ReviewJob,
  ports: ReviewPorts,
  stage: Stage,
): Promise<SentReview | Superseded | Skipped> {
  const check = checkRun(job, ports, ports.now);
  const result = await pipeline(job, ports, stage, posting(job, ports, stage, check)).catch(async (error: unknown) => {
    if (error instanceof Stopped) {
      await check.end({ kind: "skipped", reason: error.message, isStopped: true });
    }
    throw error;
  });
  // Of a posted review it was ended before the review was settled.
  if (result.kind !== "posted") await check.end(result);
  return result;
}

/** Of a review that is not posted: it is always written, and nothing on GitHub says so. */
const UNPOSTED: Pick<Posting, "settled" | "begin"> = {
  settled: async () => null,
  begin: async () => [],
};

const UNREAD_HEAD: ReadHead = { code: null, degraded: [] };

/** Steps 1 to 6: a complete review that is not posted, for the command line. */
export async function writeReview(
  job: ReviewJob,
  ports: WritingPorts,
  stage: Stage,
  { settled, begin }: Pick<Posting, "settled" | "begin"> = UNPOSTED,
): Promise<Review | Skipped> {
  const started = ports.now();

  // 1. Gather the pull request, its configuration and diff, and what was said on it before.
  const { declined, pausedBy } = await ports.decisions.of(job.key);
  const reviews = await ports.ledger.earlier(job);
  const fingerprint = fingerprintFor(ports);
  const people = { declined, pausedBy, mayWrite: writersOf(job.repo, ports) };
  const earlier = { reviews, fingerprint, ...people, settled };
  const known = knownFor(ports);
  const gathered = await stage("gather", () =>
    gather(job, ports.pulls, known, ports.access !== null, earlier, ports.tools),
  );
  if (gathered.kind === "skipped") return gathered;
  const because = await summaryBecause(gathered, ports);
  const begun = await begin(gathered);
  const { pull, repo } = gathered;
  // A review at a terminal asks for no permissions.
  const { permissions } = ports;
  const isAuthorTrusted =
    !isFork(repo, pull) ||
    permissions === null ||
    (isOwnFork(pull) && (await mayWrite(repo, pull.author, permissions)));

  // 2. Analyze what kind of change it is.
  const signals = await stage("analyze", () => analyze(gathered));
  const context = { ...gathered, issues: await gatherIssues(gathered, signals.intent.issues, ports.pulls) };

  // 3. Load what people decided about such code and findings.
  const { pastDecisions, commenters, degraded } = await loadPastDecisions(context, ports);
  const prepared = await prepare(context, signals, ports);

  // 4. Retrieve what was said before about code like this.
  const found = await stage("retrieve", () => retrieve(context, signals, prepared.ports, prepared.settings()));
  const precedents = withReasons(found, pastDecisions.rejected);
  await prepared.record(precedents);

  // 5. Read what of the repository is around the change.
  const allowance = prepared.remaining();
  const reads = readsHead(context, ports);
  const read = allowance.model === null ? null : { ...reads, mask: allowance.model.mask };
  const around = await stage("context", () => contextOf(context, signals, read));

  // 6. Review the change by rules, memory and the model.
  const { inspector, commentLimit } = ports;
  const given = { pastDecisions, around, fingerprint: fingerprint(context.config), isAuthorTrusted, commentLimit };
  const written = await stage("review", async () => {
    const head = allowance.model === null ? UNREAD_HEAD : await reads.head();
    const own = { ...given, head, inspector, repository: reads.repository, allowance };
    return review(context, signals, precedents, own);
  });
  const whole = await prepared.complete(written, [...degraded, ...begun], started);
  const memory = commenters.length === 0 ? whole.memory : { ...whole.memory, commenters };
  return { ...whole, memory, summaryBecause: because };
}

/**
 * Steps 7 to 9 after `writeReview`, for a command that also shows the review. Without a check run.
 *
 * @throws Transient and OutOfReach when GitHub does not take it
 */
export async function postReview(
  written: Review,
  job: ReviewJob,
  ports: ReviewPorts,
  stage: Stage,
): Promise<SentReview | Superseded> {
  const post = posting(job, ports, stage, checkRun(job, ports, ports.now));
  const saved = await post.save(written);
  return saved.kind === "superseded" ? saved : send(saved, post);
}

async function send(saved: Review, post: Posting): Promise<SentReview | Superseded> {
  const sent = await post.publish(saved);
  return sent.kind === "superseded" ? sent : post.remember(sent, saved);
}

/** Steps 7 to 9, after a review that is written now or was by an earlier try. */
async function pipeline(
  job: ReviewJob,
  ports: ReviewPorts,
  stage: Stage,
  post: Posting,
): Promise<SentReview | Superseded | Skipped> {
  const written = await writeReview(job, ports, stage, post);
  // Written by an earlier try that ended before it was posted, and still of what stands there.
  const unsent = post.unsent();
  if (written.kind === "skipped" && unsent === null) return written;

  // 7. Save it, so that a retry posts this review and writes no other.
  const saved = written.kind === "skipped" ? (unsent as Review) : await post.save(written);
  if (saved.kind === "superseded") return saved;

  // 8. Publish it, unless the head moved or policy changed. 9. Remember what was said.
  const stale = unsent === null ? await post.stale(saved) : null;
  return stale ?? send(saved, post);
}

/** Reads the head when first asked to, unless `review.snapshot` is off. */
function readsHead(context: PullRequestContext, ports: Pick<WritingPorts, "snapshots" | "symbols">) {
  const { snapshot: setting, contextTokens } = context.config.review;
  const source = setting === "off" ? null : ports.snapshots;
  const { symbols } = ports;
  let read: ReturnType<Snapshots["at"]> | null = null;
  const once = (): ReturnType<Snapshots["at"]> => {
    read ??= source?.at(context.repo, context.pull) ?? Promise.resolve({ snapshot: null, degraded: [] });
    return read;
  };
  return {
    snapshots: source && { at: once },
    symbols,
    /** For rules; null where there is none behind the change, or it is not to be read. */
    repository: source && symbols && { symbols, at: once },
    async head(): Promise<ReadHead> {
      if (symbols === null || contextTokens === 0) return UNREAD_HEAD;
      const { snapshot: code, degraded } = await once();
      return { code, degraded };
    },
  };
}
