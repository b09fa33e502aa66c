// The corridor. One review, from a job to a posted review, read top to bottom:
//
//   ReviewJob -> gather -> analyze -> retrieve -> review | publish -> remember
//                (write the letter)                      | (send it)
//
// Each room takes values that earlier rooms returned and hands one value on. A written review is saved before it is
// sent, so a retry resumes at "send": nothing is written twice and nothing is posted twice.
import { analyze } from "../analyze/analyze.ts";
import type { KnownRules } from "../config/check-rules.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import type { DependencyUpdate } from "../domain/dependency-update.ts";
import type { Repo, ReviewJob } from "../domain/job.ts";
import { originOf } from "../domain/logged-retrieval.ts";
import { repoKey } from "../domain/memory.ts";
import type { Degraded, Skipped } from "../domain/outcome.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Remembered } from "../domain/remembered.ts";
import type { PostedReview, Review, Superseded } from "../domain/review.ts";
import { reviewFingerprint } from "../domain/review-fingerprint.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { Stopped } from "../domain/stopped.ts";
import { Transient } from "../domain/transient.ts";
import { gather } from "../gather/gather.ts";
import { findingRecords, remember, reviewHunks } from "../learn/learn.ts";
import type { CheckBook, Checks, PushWaits } from "../ports/checks.ts";
import type { Dependencies } from "../ports/dependency.ts";
import type { Introductions } from "../ports/history.ts";
import type { Embedder, Memory, Recall, Replays, Reranker, RetrievalLog } from "../ports/memory.ts";
import type { ModelAccess } from "../ports/model.ts";
import type { FlaggedCode, PastCode, PastRejections, Rejecting } from "../ports/rejections.ts";
import type { Decisions, Permissions } from "../ports/talk.ts";
import type { EarlierReview, Inspector, Ledger, PullRequests, Reviews } from "../ports.ts";
import { publish } from "../publish/publish.ts";
import { type newGateCache, retrieve } from "../retrieve/retrieve.ts";
import { PROMPT_VERSION, review } from "../review/review.ts";
import { vet } from "../vet/vet.ts";
import { type CheckRun, checkRun } from "./check-run.ts";
import { introduceMemory } from "./introduce-memory.ts";
import { logRetrieval } from "./log-retrieval.ts";
import { modelLeave, monthSpending } from "./model-leave.ts";
import { newcomerAccess } from "./newcomer-access.ts";
import { isForOutsider } from "./outsider.ts";
import { flaggedBy, recollect, withReasons } from "./recollect.ts";
import { costWith, leaveAfter, leaveForMemory } from "./share-leave.ts";
import { unhelpfulMemory } from "./unhelpful-memory.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** What writing a review needs of the world: nothing that could post. */
export interface WritingPorts {
  readonly pulls: PullRequests;
  readonly inspector: Inspector;
  /** Null searches memory by words only. */
  readonly embedder: Embedder | null;
  readonly recall: Recall;
  /** Null leaves what memory finds in the order of its own ranking. */
  readonly reranker: Reranker | null;
  /** Decisions whether to search memory, kept from one review to the next; null keeps none. */
  readonly gateCache: ReturnType<typeof newGateCache> | null;
  /** Null: rules and memory only. */
  readonly access: ModelAccess | null;
  /** Lets whoever else waits have a turn in the middle of long work, if it is time for one; absent: it is done in one go. */
  readonly pause?: () => Promise<void>;
  /** Where each retrieval is written down: never rejects, so that no review fails for it. Null or absent: nowhere. */
  readonly retrievals?: RetrievalLog | null;
  /** Where dependency updates are looked up; null or absent reads the change alone. */
  readonly dependencies?: Dependencies | null;
  /** What replays came to, for the gate; null or absent: it decides without. */
  readonly replays?: Pick<Replays, "of"> | null;
  /** Whether the review says what memory there is; absent where none does. */
  readonly introductions?: Introductions;
  /** What people decided about the pull request; absent where nobody could have. */
  readonly decisions?: Pick<Decisions, "of">;
  /** Who may write to the repository; absent where whoever asks pays. */
  readonly permissions?: Permissions;
  /** What was declined and spoken about on other pull requests; absent or null where that is not kept. */
  readonly past?: (PastRejections & PastCode) | null;
  /** Which rules there are. */
  readonly known: KnownRules;
  /** The text with every secret masked. Absent where nothing will be remembered. */
  readonly redact?: (text: string) => Promise<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told what is reviewed before the work begins; what it returns as degraded is said in the review. */
  readonly begun?: (context: PullRequestContext) => Promise<readonly Degraded[]>;
  /** Aborted when nobody wants the review any more: with Stopped when somebody said stop, else for a later job. */
  readonly signal?: AbortSignal;
}

export interface ReviewPorts extends WritingPorts {
  readonly ledger: Ledger;
  readonly reviews: Reviews;
  readonly checks: Checks;
  readonly checkBook: CheckBook;
  readonly waits: PushWaits;
  readonly embedder: Embedder;
  readonly memory: Memory;
  /** Writes down what is declined and spoken about; absent or null where that is not kept. */
  readonly keeping?: (Rejecting & FlaggedCode) | null;
  /** The text with every secret masked. */
  readonly redact: (text: string) => Promise<string>;
  /** Our own account: `kodiai[bot]`. */
  readonly botLogin: string;
  /**
   * Whether a review of ours of this head stands on GitHub: asked where our books may have lost it. Null or absent:
   * they are believed.
   */
  readonly standing?: ((repo: Repo, number: number, headSha: string) => Promise<boolean>) | null;
  /** Nobody will call again: what cannot be remembered now is not. */
  readonly isLastTry?: boolean;
}

/** The review stands on GitHub, and memory does not have it. */
export interface NotRemembered {
  readonly kind: "not remembered";
  readonly reason: string;
}

/** A review on GitHub, and why memory does not have it; null when it does. */
export type SentReview = PostedReview & { readonly notRemembered: string | null };

/** Enter a room: the caller decides what to time, log or print of the value that it hands on. */
export type Step = <T>(room: string, enter: () => T | Promise<T>) => Promise<T>;

/**
 * Reviews one pull request at its newest head and posts the review, at most once however often the job runs.
 *
 * @throws Transient when another try may succeed; Stopped when somebody said stop; anything else is a bug
 */
export async function reviewPullRequest(
  job: ReviewJob,
  ports: ReviewPorts,
  step: Step,
): Promise<SentReview | Superseded | Skipped> {
  const check = checkRun(job, { checks: ports.checks, book: ports.checkBook }, ports.now);
  const result = await reviewed(job, ports, step, check).catch(async (error: unknown) => {
    if (error instanceof Stopped) await check.end({ kind: "skipped", reason: error.message });
    throw error;
  });
  // A posted one has said so before it was settled.
  if (result.kind !== "posted") await check.end(result);
  return result;
}

async function reviewed(
  job: ReviewJob,
  ports: ReviewPorts,
  step: Step,
  check: CheckRun,
): Promise<SentReview | Superseded | Skipped> {
  const { pausedBy } = (await ports.decisions?.of(job.key)) ?? { pausedBy: null };
  const unsent = pausedBy === null || job.explicit ? await ports.ledger.unsent(job) : null;
  if (unsent !== null) {
    const sent = await send(job, unsent, ports, step, check);
    if (sent.kind === "posted") return sent;
  }
  const isDone = async (headSha: string, baseSha: string) =>
    !job.explicit &&
    ((await ports.ledger.wasPosted(job, headSha, baseSha)) ||
      ((await ports.standing?.(job.repo, job.number, headSha)) ?? false));
  const begun = async ({ repo, pull, config: { review: asked } }: PullRequestContext) => {
    await ports.waits.learn(repo, asked.debounceSeconds * 1000);
    return asked.checks.enabled ? check.begin(pull.head.sha, asked.checks.failOn) : [];
  };
  const written = await writeReview(job, { ...ports, begun }, step, isDone, await ports.ledger.earlier(job));
  if (written.kind === "skipped") return written;
  // What was not read for this reason is not posted; the job that waits reads it.
  if (ports.signal?.reason instanceof Stopped) throw ports.signal.reason;
  if (ports.signal?.aborted === true) return { kind: "superseded", reason: "a later request took its place" };
  const safe = await withoutSecrets(written, ports.redact);
  await ports.ledger.save(job, safe, ports.now());
  return send(job, safe, ports, step, check);
}

/**
 * The first half of the corridor: a complete review, not sent. The command line stops here.
 *
 * @param isDone whether this head was reviewed against this base before
 * @param earlier reviews of this pull request that were written before, newest first
 */
export async function writeReview(
  job: ReviewJob,
  ports: WritingPorts,
  step: Step,
  isDone: (headSha: string, baseSha: string) => boolean | Promise<boolean> = () => false,
  earlier: readonly EarlierReview[] = [],
): Promise<Review | Skipped> {
  const started = ports.now();
  const fingerprint = (config: RepoConfig) => fingerprintOf(config, ports);
  const { declined = [], pausedBy = null } = (await ports.decisions?.of(job.key)) ?? {};
  const context = await step("gather", () =>
    gather(job, ports.pulls, ports.known, ports.access !== null, { reviews: earlier, fingerprint, declined, pausedBy }),
  );
  if (context.kind === "skipped") return context;
  if (await isDone(context.pull.head.sha, context.pull.base.sha)) {
    return { kind: "skipped", reason: "this head was reviewed before" };
  }
  const missing = (await ports.begun?.(context)) ?? [];
  const signals = await step("analyze", () => analyze(context));
  const update = await vetted(context, signals, ports, step);
  const { recollection, degraded: forgotten } = await recollect(context, ports);
  const { repo, config } = context;
  const { access, degraded: newcomer } = newcomerAccess(context, signals, ports.access);
  const isOutsider = await isForOutsider(context, access, ports.permissions);
  const asker = { isOutsider, isReview: true, signal: ports.signal };
  const leave = await modelLeave(config.review, repo, access, ports.now(), asker);
  const noGain = await unhelpfulMemory(context, ports);
  const asked = ports.now();
  const retrieved = await step("retrieve", () =>
    retrieve(
      context,
      signals,
      { ...ports, leave: leaveForMemory(leave) },
      {
        knowledge: config.knowledge,
        now: ports.now(),
        gateCache: ports.gateCache,
        noGain,
      },
    ),
  );
  const precedents = withReasons(retrieved, recollection.rejected);
  const searched = { repo, number: job.number, origin: originOf(job.trigger), knowledge: config.knowledge, at: asked };
  await logRetrieval(precedents, searched, ports);
  const spent = precedents.modelCosts ?? [];
  const written = await step("review", () =>
    review(context, signals, precedents, {
      inspector: ports.inspector,
      leave: leaveAfter(leave, spent),
      fingerprint: fingerprint(config),
      recollection,
      update,
    }),
  );
  await access?.reserve?.release();
  const held = await introduceMemory(repo, signals, ports);
  const complete = {
    ...written,
    memory: held === null ? written.memory : { ...written.memory, held },
    degraded: [...written.degraded, ...forgotten, ...missing, ...newcomer],
    cost: { ...costWith(written.cost, spent), ms: ports.now() - started },
    month: await monthSpending(config.review, repo, access, ports.now(), isOutsider),
  };
  if (ports.redact === undefined) return complete;
  const said = written.findings.flatMap(({ finding, place }) => (place === "already-posted" ? [] : [finding]));
  return { ...complete, hunks: await reviewHunks(said, context.files, ports.redact) };
}

/** Only dependency updates enter the room. */
async function vetted(
  context: PullRequestContext,
  signals: ReviewSignals,
  { dependencies = null, recall }: WritingPorts,
  step: Step,
): Promise<DependencyUpdate | null> {
  if (signals.intent.bump === null || !context.config.review.dependencies) return null;
  return step("vet", () => vet(context, signals, dependencies, recall));
}

function fingerprintOf(config: RepoConfig, { access, known }: WritingPorts): string {
  const isRead = access !== null && config.review.model !== "off";
  const models = isRead ? access.model.names : null;
  return reviewFingerprint({ config, rules: known.version ?? "", models, prompt: PROMPT_VERSION });
}

async function send(
  job: ReviewJob,
  written: Review,
  ports: ReviewPorts,
  step: Step,
  check: CheckRun,
): Promise<SentReview | Superseded> {
  const sent = await step("publish", () => publish(written, ports.reviews)).catch(async (error: unknown) => {
    // What somebody stopped is not sent by the next job either.
    if (error instanceof Stopped) await ports.ledger.settle(job, written, ports.now(), "stopped");
    throw error;
  });
  if (sent.kind === "superseded") {
    await ports.ledger.settle(job, written, ports.now(), sent.kind);
    return sent;
  }
  // As planned, not as posted: after a crash in between, comments that stand already are remembered all the same, and
  // remembering twice changes nothing.
  const kept = await step("remember", () => keep({ ...sent, findings: written.findings }, ports));
  // Before the review is settled: a process that dies in between comes by here again.
  await check.end(sent);
  await ports.ledger.settle(job, written, ports.now(), sent.kind);
  return { ...sent, notRemembered: kept.kind === "remembered" ? null : kept.reason };
}

/**
 * Remembers what was posted. A damaged file costs the memory and not the job: the review is sent, and to try again would
 * fail again. What another try may fix, such as a full disk, is tried again as long as there is one.
 */
async function keep(posted: PostedReview, ports: ReviewPorts): Promise<Remembered | NotRemembered> {
  const records = findingRecords(posted, { at: ports.now(), author: ports.botLogin });
  try {
    const kept = await remember(records, ports.embedder, ports.memory, { redact: ports.redact });
    await ports.keeping?.keep(repoKey(posted.review.repo), flaggedBy(posted), ports.now());
    return kept;
  } catch (error) {
    if (error instanceof Transient && ports.isLastTry !== true) throw error;
    return { kind: "not remembered", reason: error instanceof Error ? error.message : String(error) };
  }
}
