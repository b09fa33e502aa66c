// Gives each job of a server its ports. Its tokens reach only the job's own repository.

import { LRUCache } from "lru-cache";
import { dryRunEvidence, dryRunMemory, dryRunReplies } from "../adapters/dry-run/dry-run.ts";
import { codeScanning } from "../adapters/github/read/code-scanning.ts";
import { githubFeedback } from "../adapters/github/read/feedback.ts";
import { githubPermissions, newDenials } from "../adapters/github/read/permissions.ts";
import { githubFiles, githubPullRequests } from "../adapters/github/read/pull-requests.ts";
import { githubRepositoryHost } from "../adapters/github/read/repository-host.ts";
import { githubSnapshots } from "../adapters/github/read/snapshot.ts";
import { githubThreads, newThreadRoots } from "../adapters/github/read/threads.ts";
import { githubReplies } from "../adapters/github/write/replies.ts";
import { redactedReplies } from "../adapters/secrets/redacted-reviews.ts";
import type { CommandJob } from "../domain/command.ts";
import type { FeedbackJob, ReviewJob, UpkeepJob } from "../domain/job.ts";
import type { CommandPorts } from "../flows/commands/order.ts";
import type { LearnPorts } from "../flows/people/learn-from-people.ts";
import type { FollowPorts } from "../flows/repository/follow-repository.ts";
import { PLAIN_CHANGE, type ReviewPorts } from "../flows/review/review-ports.ts";
import type { RetrievalStatistics } from "../ports/memory.ts";
import type { Inspector, Lease } from "../ports.ts";
import { newGateCache } from "../retrieve/retrieve.ts";
import { cachedStatistics } from "../store/reviews/retrievals.ts";
import { PACE_MS, pastOf, pathOf, reviewsOn, reviewsOnGitHub, type WiredGitHub, wiredChecks } from "./github.ts";
import { accessFor, type ModelSettings } from "./models.ts";
import { knownRules, symbolsOfReview } from "./rules.ts";
import { redact, redactor, safeRetrievals } from "./secrets.ts";
import type { Store } from "./store.ts";

const AUTHOR_CACHE = { max: 10_000, ttl: 24 * 60 * 60_000 };

export interface RetrievalServices extends Pick<ReviewPorts, "embedder" | "reranker"> {
  readonly asking: ModelSettings;
}

/** Gives each job its ports: tokens reach only the job's own repository. */
export function reviewPorts(
  github: WiredGitHub,
  store: Store,
  rules: Inspector,
  { embedder, reranker, asking }: RetrievalServices,
): (lease: Lease<ReviewJob | CommandJob>) => Promise<Omit<CommandPorts, "jobs">> {
  const { clients, botLogin, onUnposted } = github;
  const { blobs } = store;
  const isDry = onUnposted !== null;
  const authors = new LRUCache<string, number>(AUTHOR_CACHE);
  const denials = newDenials();
  const threadRoots = newThreadRoots();
  const gateCache = newGateCache();
  const retrievals = safeRetrievals(store.retrievals, github.onUnrecorded);
  return async (lease) => {
    const { job, attempt } = lease;
    const { installationId } = job;
    const held = store.held(lease);
    const { ledger } = held;
    const path = pathOf(github, held.writes, installationId);
    const client = await clients.forRepository(installationId, job.repo);
    const replies = githubReplies(client, botLogin, path);
    return {
      pulls: githubPullRequests({ github: client, clients, installationId, botLogin, authors, attempt }),
      // Without a folder for the cache, there are none.
      snapshots:
        blobs &&
        githubSnapshots({ github: client, archives: github.archives, blobs: blobs.of(job.repo), trim: blobs.trim }),
      reviews: reviewsOn(github, client, path),
      permissions: githubPermissions(client, denials),
      threads: githubThreads(client, botLogin, threadRoots),
      replies: redactedReplies(isDry ? dryRunReplies(replies, onUnposted) : replies, redactor),
      decisions: store.decisions,
      answers: held.answers,
      records: ledger,
      evidence: isDry ? dryRunEvidence(store.evidence) : store.evidence,
      inspector: rules,
      tools: codeScanning(() => clients.forCodeScanning(installationId, job.repo)),
      symbols: symbolsOfReview(),
      known: knownRules(),
      embedder,
      reranker,
      recall: store.recall,
      introductions: store.introductions,
      retrievals,
      memory: isDry ? dryRunMemory(store.memory) : store.memory,
      past: store.past,
      keeping: isDry ? null : store.past,
      redact,
      botLogin,
      gateCache,
      access: accessFor(asking, lease, store.spending, { key: job.key, replies: store.replies }),
      checks: wiredChecks(github, held.writes)(installationId, job.repo),
      checkStore: held.checks,
      waits: store.waits,
      isOnGitHub: await reviewsOnGitHub(client, botLogin, store),
      isLastTry: false,
      commentLimit: null,
      signal: PLAIN_CHANGE.signal,
      // Reviews of a dry run do not count as posted: the same head is reviewed after it.
      ledger: isDry ? { ...ledger, settle: (of, review, now) => ledger.settle(of, review, now, "dry run") } : ledger,
      now: Date.now,
    };
  };
}

/** Gives each maintenance job its ports: its token can only read that repository. */
export function followPorts(
  github: WiredGitHub,
  store: Store,
  { embedder, asking }: Pick<RetrievalServices, "embedder" | "asking">,
): (lease: Lease<UpkeepJob>) => FollowPorts {
  const { clients } = github;
  const paceMs = github.pace ? PACE_MS : 0;
  return (lease) => {
    const { installationId, repo } = lease.job;
    return {
      host: githubRepositoryHost({ clients, installationId, repo, paceMs }),
      pulls: githubFiles(clients, installationId),
      known: knownRules(),
      labels: store.labels,
      memory: store.memory,
      traces: store.traces,
      embedder,
      redact,
      describing: { recall: store.recall, access: accessFor(asking, lease, store.spending) },
      history: { past: pastOf(clients, installationId, github.pace), store: store.history, botLogin: github.botLogin },
      now: Date.now,
    };
  };
}

/** Statistics of a running server, read at most every five minutes. */
export function serverStatistics(store: Store): RetrievalStatistics {
  return cachedStatistics(store.statistics, () => performance.now());
}

/** Gives each feedback job its ports: its token reaches only that repository. */
export function learnPorts(github: WiredGitHub, store: Store): (job: FeedbackJob) => Promise<LearnPorts> {
  const { clients, botLogin } = github;
  const denials = newDenials();
  return async ({ installationId, repo }) => {
    const client = await clients.forRepository(installationId, repo);
    return {
      feedback: githubFeedback(client, botLogin, denials),
      pulls: githubPullRequests({
        ...{ github: client, clients, installationId, botLogin },
        ...{ authors: new Map(), attempt: null },
      }),
      records: store.ledger,
      evidence: github.onUnposted === null ? store.evidence : dryRunEvidence(store.evidence),
      feedbackStore: store.feedback,
      redact,
      now: Date.now,
    };
  };
}
