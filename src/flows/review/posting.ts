// What posting takes beside writing: the ledger, by which a retry resumes, the check run, and
// memory. Neither the ledger nor GitHub gets a secret.

import { Stopped, Transient } from "../../domain/errors.ts";
import type { Finding } from "../../domain/finding.ts";
import type { ReviewJob } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Degraded, Skipped } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { isReviewOf, type ReviewedAt } from "../../domain/review/review-history.ts";
import type { PlacedFinding, PostedReview, Review, Superseded } from "../../domain/review.ts";
import { isReviewName, type RedactText, redactTexts } from "../../domain/text/redact-texts.ts";
import { NO_REPORT } from "../../domain/tool-result.ts";
import { type Admitted, admit } from "../../gather/gather.ts";
import { recordsOfFindings, remember } from "../../learn/learn.ts";
import { publish } from "../../publish/publish.ts";
import { type CheckRun, writersOf } from "./check-run.ts";
import { flaggedBy } from "./load-past-decisions.ts";
import { knownFor } from "./model-allowance.ts";
import { fingerprintFor } from "./prepare.ts";
import type { ReviewPorts, SentReview, Stage } from "./review-ports.ts";

/** Tools whose ends start reviews of one head: an upload can have any number of names. */
const MOST_TOOLS = 10;

export type Posting = ReturnType<typeof posting>;

export function posting(job: ReviewJob, ports: ReviewPorts, stage: Stage, check: CheckRun) {
  const { ledger, now, signal } = ports;
  const fingerprint = fingerprintFor(ports);
  const placeOf = ({ pull, config }: Pick<Admitted, "pull" | "config">) => {
    return { headSha: pull.head.sha, baseRef: pull.base.ref, failOn: config.review.checks.failOn };
  };
  const reviewedAt = ({ pull, config }: Pick<Admitted, "pull" | "config">): ReviewedAt => {
    return { headSha: pull.head.sha, baseRef: pull.base.ref, fingerprint: fingerprint(config) };
  };
  /** Whether code scanning ran on the head since. GitHub knows: order and repetition are fine. */
  const hasNewScan = async ({ sources }: Review, { pull, config }: Admitted): Promise<boolean> => {
    const settings = config.review.tools;
    const request = { repo: job.repo, pull, settings, paths: [], isInHead: async () => null };
    const { ran } = settings.codeScanning ? await ports.tools.of(request) : NO_REPORT;
    const before = sources.tools;
    return before.length < MOST_TOOLS && ran.some((tool) => !before.includes(tool));
  };
  let unsent: Review | null = null;
  return {
    /** The review of exactly this that an earlier try did not post; known after `settled`. */
    unsent: () => unsent,
    /**
     * Whether no review has to be written: one of exactly this waits to be posted, or is the latest
     * on GitHub. One of anything else that waits is dropped.
     */
    async settled(admitted: Admitted): Promise<Skipped | null> {
      const at = reviewedAt(admitted);
      const waiting = await ledger.unsent(job);
      if (waiting !== null && isReviewOf(waiting, at)) {
        unsent = waiting;
        return { kind: "skipped", reason: "its review only has to be posted" };
      }
      if (waiting !== null) await ledger.settle(job, waiting, now(), "superseded");
      if (job.explicit) return null;
      const latest = (await ledger.earlier(job)).find(({ posted }) => posted)?.review;
      const isDone =
        latest === undefined
          ? ((await ports.isOnGitHub?.(job.repo, job.number, at.headSha)) ?? false)
          : isReviewOf(latest, at);
      if (!isDone || (latest !== undefined && (await hasNewScan(latest, admitted)))) return null;
      const { checks } = admitted.config.review;
      if (latest !== undefined && checks.enabled) await check.again(latest, placeOf(admitted));
      return { kind: "skipped", reason: "this head was reviewed before" };
    },
    /** Begins the check run; returns what the review lacks without it. */
    async begin(context: PullRequestContext): Promise<readonly Degraded[]> {
      const { repo, config } = context;
      const { review } = config;
      await ports.waits.learn(repo, review.debounceSeconds * 1000);
      return review.checks.enabled ? check.begin(placeOf(context)) : [];
    },
    /**
     * Asks the policy again, since a review takes minutes: drafts, bases and labels change.
     *
     * @returns why it is not posted, or null
     * @throws Transient where it has to be written anew
     */
    async stale(saved: Review): Promise<Skipped | null> {
      const { pausedBy } = await ports.decisions.of(job.key);
      const admitted = await admit(job, ports.pulls, knownFor(ports), {
        pausedBy,
        mayWrite: writersOf(job.repo, ports),
      });
      const isSame =
        admitted.kind === "admitted" && isReviewOf({ ...reviewedAt(admitted), headSha: saved.headSha }, saved);
      if (isSame) return null;
      await ledger.settle(job, saved, now(), "superseded");
      if (admitted.kind === "skipped") return admitted;
      throw new Transient("its base branch or the configuration there changed while it was reviewed");
    },
    /**
     * Saves a review without secrets.
     *
     * @throws Stopped after a `stop`: what was not read for this reason is not posted
     */
    async save(review: Review): Promise<Review | Superseded> {
      if (signal.reason instanceof Stopped) throw signal.reason;
      if (signal.aborted) return { kind: "superseded", reason: "a later request took its place" };
      const safe = await withoutSecrets(review, ports.redact);
      await ledger.save(job, safe, now());
      return safe;
    },
    async publish(saved: Review): Promise<PostedReview | Superseded> {
      const sent = await stage("publish", () => publish(saved, ports.reviews)).catch(async (error: unknown) => {
        // What was stopped is not posted by the next job either.
        if (error instanceof Stopped) await ledger.settle(job, saved, now(), "stopped");
        throw error;
      });
      if (sent.kind === "superseded") await ledger.settle(job, saved, now(), sent.kind);
      return sent;
    },
    /** Remembers what was posted and ends the check run; runs again after a crash in between. */
    async remember(sent: PostedReview, saved: Review): Promise<SentReview> {
      // As planned, not as posted: after a crash GitHub has comments already, and remembering twice
      // changes nothing.
      const kept = await stage("remember", () => rememberPosted({ ...sent, findings: saved.findings }, ports));
      await check.end(sent);
      await ledger.settle(job, saved, now(), sent.kind);
      return { ...sent, notRemembered: kept.kind === "remembered" ? null : kept.reason };
    },
  };
}

/**
 * A damaged file costs the memory and not the job. What another try may fix, such as a full disk,
 * is tried again as long as there is one.
 */
async function rememberPosted(posted: PostedReview, ports: ReviewPorts) {
  const records = recordsOfFindings(posted, { at: ports.now(), author: ports.botLogin });
  try {
    const kept = await remember(records, ports.embedder, ports.memory, { redact: ports.redact });
    await ports.keeping?.keep(repoKey(posted.review.repo), flaggedBy(posted), ports.now());
    return kept;
  } catch (error) {
    if (error instanceof Transient && !ports.isLastTry) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "not remembered", reason } as const;
  }
}

/** Masks every secret. A suggestion that held one is removed: one click would commit the mask. */
export async function withoutSecrets(review: Review, redact: RedactText): Promise<Review> {
  const safe = await redactTexts(review, redact, isReviewName);
  if (safe === review) return review;
  return {
    ...safe,
    findings: safe.findings.map((placed, at): PlacedFinding => {
      const before = review.findings[at]?.finding.suggestion?.text;
      return { ...placed, finding: withSuggestion(placed.finding, before) };
    }),
    said: safe.said.map((one, at) => {
      const before = review.said[at]?.finding.suggestion?.text;
      return { ...one, finding: withSuggestion(one.finding, before) };
    }),
  };
}

function withSuggestion(finding: Finding, before: string | undefined): Finding {
  return finding.suggestion?.text === before ? finding : { ...finding, suggestion: null };
}
