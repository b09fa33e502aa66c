// The one place that chooses adapters and joins them to ports; its parts are in wire/.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { cachedStatistics } from "./adapters/cached-statistics.ts";
import { astChunker } from "./adapters/code-index/chunker.ts";
import { dryRunMemory } from "./adapters/dry-run/memory.ts";
import { dryRunReviews, type Unposted } from "./adapters/dry-run/reviews.ts";
import { type AppCredentials, appClient, appSlug } from "./adapters/github/app-slug.ts";
import { type Clients, githubClients } from "./adapters/github/clients.ts";
import { githubDependencies } from "./adapters/github/dependencies.ts";
import type { GuardedFetch } from "./adapters/github/guarded-fetch.ts";
import { githubFiles, githubPullRequests } from "./adapters/github/pull-requests.ts";
import { githubRepositoryHost } from "./adapters/github/repository-host.ts";
import { githubReviews } from "./adapters/github/reviews.ts";
import { unpacedWrites, type WriteTurns, writeTurns } from "./adapters/github/write-turns.ts";
import { localWords } from "./adapters/local/local-embedder.ts";
import { customRuleProblems } from "./adapters/rules/custom.ts";
import { rulesInspector } from "./adapters/rules/inspector.ts";
import { type IsolatedInspector, isolatedInspector } from "./adapters/rules/isolated-inspector.ts";
import { ruleIds, rulesVersion } from "./adapters/rules/rules.ts";
import { redactStrings } from "./adapters/secrets/redact-strings.ts";
import { redactedInbox } from "./adapters/secrets/redacted-inbox.ts";
import { type RedactedLog, redactedLog } from "./adapters/secrets/redacted-log.ts";
import { redactedQueue } from "./adapters/secrets/redacted-queue.ts";
import { redactedRetrievals } from "./adapters/secrets/redacted-retrievals.ts";
import { redactedReviews } from "./adapters/secrets/redacted-reviews.ts";
import type { ServiceLimits } from "./adapters/service-call.ts";
import type { KnownRules } from "./config/check-rules.ts";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { CommandJob } from "./domain/command.ts";
import { ADVISORY_RULE } from "./domain/dependency-update.ts";
import type { ReviewJob, UpkeepJob } from "./domain/job.ts";
import type { CommandPorts } from "./flows/command-order.ts";
import type { FollowPorts } from "./flows/follow-repository.ts";
import type { ReviewPorts } from "./flows/review-pull-request.ts";
import type { Inbox } from "./ports/inbox.ts";
import type { Embedder, RetrievalLog, RetrievalStatistics } from "./ports/memory.ts";
import type { InstallationPace, WriteBook } from "./ports/writes.ts";
import type { Inspector, Lease, Ledger, Queue } from "./ports.ts";
import { newGateCache } from "./retrieve/retrieve.ts";
import { usearchExact } from "./search/vector-index.ts";
import { type MemoryFacts, memoryFacts } from "./store/memory/memory-facts.ts";
import { type Asking, accessFor } from "./wire/asking.ts";
import { type ChecksOf, checksOf } from "./wire/checks.ts";
import { egressTo, githubFetch } from "./wire/egress.ts";
import { pastOf } from "./wire/history.ts";
import { inTurn } from "./wire/in-turn.ts";
import { neverTell, redactor } from "./wire/secrets.ts";
import { standingReviews } from "./wire/standing.ts";
import type { Store } from "./wire/store.ts";
import { talkPorts } from "./wire/talk.ts";
import { pathOf, type WriteWiring } from "./wire/writes.ts";

/** What stands in the memory of a data folder; null when it has none. Looking creates no file. */
export async function memoryIn(dataDir: string): Promise<MemoryFacts | null> {
  const path = join(dataDir, "memory.db");
  return existsSync(path) ? memoryFacts(path) : null;
}

export type { MemoryFacts };

/** False where usearch has no build for this machine: then the database compares vectors, however many there are. */
export function comparesInMemory(): boolean {
  return usearchExact() !== null;
}

/** An embedder that leaves the machine sees no secret. */
function withoutSecretsSent(embedder: Embedder): Embedder {
  return {
    get space() {
      return embedder.space;
    },
    threshold: embedder.threshold,
    ...(embedder.sameClaim === undefined ? {} : { sameClaim: embedder.sameClaim }),
    weight: embedder.weight,
    embed: async (texts, kind) => embedder.embed(await Promise.all(texts.map(redact)), kind),
  };
}

/**
 * What turns text into vectors: as the operator chose, else the keyless one.
 *
 * @param limits other than the documented ones: for tests and `doctor`, which do not wait so long
 */
export async function chosenEmbedder(embeddings: Embeddings, limits: Partial<ServiceLimits> = {}): Promise<Embedder> {
  if (embeddings.kind === "local") return localWords();
  const { model, apiKey, dimension, baseUrl } = embeddings;
  neverTell(apiKey);
  // Loaded only when chosen: the SDK takes a second to import.
  if (embeddings.kind === "voyage") {
    const { VOYAGE_URL } = await import("./adapters/voyage/client.ts");
    const { voyageEmbedder } = await import("./adapters/voyage/embedder.ts");
    const own = baseUrl ?? VOYAGE_URL;
    return withoutSecretsSent(
      voyageEmbedder({ ...embeddings, baseUrl: own, fetch: egressTo(own), limits, now: Date.now }),
    );
  }
  const { httpEmbedder } = await import("./adapters/http-embedder/embedder.ts");
  const fetch = egressTo(embeddings.baseUrl);
  const settings = {
    baseUrl: embeddings.baseUrl,
    model,
    apiKey: apiKey ?? undefined,
    dimension: dimension ?? undefined,
    limits,
  };
  return withoutSecretsSent(httpEmbedder({ ...settings, fetch, now: Date.now }));
}

/** The rules, loaded once a process. */
export function inspector(): Inspector {
  return rulesInspector();
}

/** The rules in a process of their own, for a server that has to answer meanwhile. */
export function serverInspector(): IsolatedInspector {
  return isolatedInspector();
}

/** What the configuration is checked against: the built-in rules, and whether custom rules can run. */
export function knownRules(): Required<KnownRules> {
  return { ruleIds: new Set([...ruleIds(), ADVISORY_RULE]), version: rulesVersion(), customRuleProblems };
}

export interface GitHubWiring extends Omit<WriteWiring, "clients" | "turns"> {
  /** What each installation asks of us. */
  readonly limits: InstallationPace;
  /** False does not space requests out; in tests only. */
  readonly pace: boolean;
  /** Authenticated as the app itself. */
  readonly app: Parameters<typeof githubClients>[0]["app"];
  readonly apiUrl: string;
  readonly fetch: GuardedFetch;
  /** In a dry run: told what is not posted. Null posts. */
  readonly onUnposted: ((unposted: Unposted) => void) | null;
  /** Told why a retrieval was not written down; the review goes on. */
  readonly onUnrecorded: (error: unknown) => void;
}

const AUTHOR_CACHE = { max: 10_000, ttl: 24 * 60 * 60_000 };

/** The same, with its clients: one token per repository, kept until shortly before it ends; and with the order of its writes. */
export interface WiredGitHub extends GitHubWiring {
  readonly clients: Clients;
  readonly turns: WriteTurns;
}

export function wiredGitHub(github: GitHubWiring): WiredGitHub {
  const turns = github.pace ? writeTurns(github.limits, wait) : unpacedWrites();
  return { ...github, turns, clients: githubClients({ ...github, now: Date.now }) };
}

/** Access to check runs of each repository. */
export function wiredChecks(github: WiredGitHub, book: WriteBook): ChecksOf {
  return checksOf({ ...github, redactor }, book);
}

/** What reads memory and code for reviews. */
export interface Reading extends Pick<ReviewPorts, "embedder" | "reranker"> {
  readonly asking: Asking;
}

/** Gives each job its ports: tokens reach only the job's own repository. */
export function reviewPorts(
  github: WiredGitHub,
  store: Store,
  rules: Inspector,
  { embedder, reranker, asking }: Reading,
): (lease: Lease<ReviewJob | CommandJob>) => Promise<Omit<CommandPorts, "jobs">> {
  const { clients } = github;
  const authors = new LRUCache<string, number>(AUTHOR_CACHE);
  const gateCache = newGateCache();
  const pause = inTurn();
  const retrievals = withoutSecretsKept(store.retrievals, github.onUnrecorded);
  return async (lease) => {
    const { job } = lease;
    const held = store.held(lease);
    const path = pathOf(github, held.writes, job.installationId);
    const client = await clients.forRepository(job.installationId, job.repo);
    const real = githubReviews(client, github.botLogin, path);
    const reviews = github.onUnposted === null ? real : dryRunReviews(real, github.onUnposted);
    return {
      pulls: githubPullRequests({
        github: client,
        clients,
        installationId: job.installationId,
        botLogin: github.botLogin,
        authors: { get: (key) => authors.get(key), set: (key, merged) => void authors.set(key, merged) },
        attempt: lease.attempt,
      }),
      reviews: redactedReviews(reviews, redactor),
      dependencies: githubDependencies(client),
      ...talkPorts(client, { ...github, redactor }, store, { held, path }),
      inspector: rules,
      known: knownRules(),
      embedder,
      reranker,
      recall: store.recall,
      introductions: store.introductions,
      retrievals,
      memory: github.onUnposted === null ? store.memory : dryRunMemory(store.memory),
      past: store.past,
      replays: store.replays,
      keeping: github.onUnposted === null ? store.past : null,
      redact,
      botLogin: github.botLogin,
      gateCache,
      pause,
      access: accessFor(asking, lease, store.book, { key: job.key, replies: store.replies }),
      checks: wiredChecks(github, held.writes)(job.installationId, job.repo),
      checkBook: held.checks,
      waits: store.waits,
      standing: await standingReviews(client, github.botLogin, store),
      ledger: github.onUnposted === null ? held.ledger : unpostedLedger(held.ledger),
      now: Date.now,
    };
  };
}

/** Milliseconds between requests for files: at most 600 of GitHub's 900 points a minute. */
const FILES_PACE_MS = 100;

/** Gives each job that follows a repository its ports: its token reads that repository and nothing else. */
export function followPorts(
  github: WiredGitHub,
  store: Store,
  { embedder, asking }: Pick<Reading, "embedder" | "asking">,
): (lease: Lease<UpkeepJob>) => FollowPorts {
  const { clients } = github;
  const chunker = astChunker();
  const paceMs = github.pace ? FILES_PACE_MS : 0;
  const of = (lease: Lease<UpkeepJob>, { installationId, repo }: UpkeepJob): FollowPorts => ({
    host: githubRepositoryHost({ clients, installationId, repo, paceMs }),
    pulls: githubFiles(clients, installationId),
    known: knownRules(),
    labels: store.labels,
    memory: store.memory,
    traces: store.traces,
    embedder,
    chunker,
    redact,
    describing: { recall: store.recall, access: accessFor(asking, lease, store.book) },
    history: { past: pastOf(clients, installationId, github.pace), book: store.history, botLogin: github.botLogin },
    now: Date.now,
  });
  return (lease) => of(lease, lease.job);
}

/** The text with every secret masked; the line count stays. */
export async function redact(text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

/** The log as reviews and searches write it: without secrets, and never rejecting. */
export function withoutSecretsKept(log: RetrievalLog, onUnrecorded: (error: unknown) => void): RetrievalLog {
  return redactedRetrievals(log, redactor, onUnrecorded);
}

/** The inbox without secrets in what it keeps of deliveries that ask nothing, the queue without any in how jobs ended. */
export function withoutSecretsTaken<Kept extends { readonly inbox: Inbox; readonly queue: Queue }>(kept: Kept): Kept {
  return { ...kept, inbox: redactedInbox(kept.inbox, redactor), queue: redactedQueue(kept.queue, redactor) };
}

/** Figures of a running server, read at most every five minutes. */
export function serverStatistics(store: Store): RetrievalStatistics {
  return cachedStatistics(store.statistics, Date.now);
}

/** What a dry run wrote was not posted: without the dry run the same head is reviewed. */
function unpostedLedger(ledger: Ledger): Ledger {
  return { ...ledger, settle: (job, review, now) => ledger.settle(job, review, now, "dry run") };
}

/** The value with `‹redacted:KIND›` in place of every secret in its texts; line numbers inside a text stay true. */
export function withoutSecrets<T>(value: T): Promise<T> {
  return redactStrings(value, redactor);
}

/** A destination for pino that hands each line on without secrets. */
export function logWithoutSecrets(handOn: (line: string) => void): RedactedLog {
  return redactedLog(handOn, redactor);
}

export type { Unposted };

/**
 * Asks GitHub for the name of this app.
 *
 * @throws Transient when GitHub does not answer; Error with the reason when the credentials or the way to GitHub are wrong
 */
export function githubAnswers(credentials: AppCredentials, apiUrl: string, signal?: AbortSignal): Promise<string> {
  return appSlug(appClient(credentials, apiUrl, githubFetch(apiUrl)), signal);
}
