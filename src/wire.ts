// The one place that chooses adapters and joins them to ports.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { dryRunChecks } from "./adapters/dry-run/checks.ts";
import { dryRunReviews, type Unposted } from "./adapters/dry-run/reviews.ts";
import { appSlug } from "./adapters/github/app-slug.ts";
import { githubChecks } from "./adapters/github/checks.ts";
import { type Clients, githubClients } from "./adapters/github/clients.ts";
import { type GuardedFetch, guardedFetch } from "./adapters/github/guarded-fetch.ts";
import { githubPullRequests } from "./adapters/github/pull-requests.ts";
import { githubReviews } from "./adapters/github/reviews.ts";
import { localWords } from "./adapters/local/local-embedder.ts";
import { meteredModel } from "./adapters/metered-model.ts";
import { customRuleProblems } from "./adapters/rules/custom.ts";
import { rulesInspector } from "./adapters/rules/inspector.ts";
import { ruleIds } from "./adapters/rules/rules.ts";
import { secretRedactor } from "./adapters/secrets/redact.ts";
import { redactStrings } from "./adapters/secrets/redact-strings.ts";
import { redactedChecks } from "./adapters/secrets/redacted-checks.ts";
import { type RedactedLog, redactedLog } from "./adapters/secrets/redacted-log.ts";
import { redactedReviews } from "./adapters/secrets/redacted-reviews.ts";
import { sqliteCheckBook } from "./adapters/sqlite/check-book.ts";
import { openDatabase } from "./adapters/sqlite/database.ts";
import { cachedEmbedder } from "./adapters/sqlite/embedding-cache.ts";
import { sqliteLedger } from "./adapters/sqlite/ledger.ts";
import { sqliteMemory } from "./adapters/sqlite/memory.ts";
import { openMemory } from "./adapters/sqlite/memory-file.ts";
import { sqlitePushWaits } from "./adapters/sqlite/push-waits.ts";
import { sqliteQueue } from "./adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "./adapters/sqlite/queue-schema.ts";
import { sqliteRecall } from "./adapters/sqlite/recall.ts";
import { type SpendingBook, sqliteSpending } from "./adapters/sqlite/spending.ts";
import type { KnownRules } from "./config/check-rules.ts";
import type { Env } from "./config/env.ts";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { ModelChoice } from "./config/read-model.ts";
import type { Repo, ReviewJob } from "./domain/job.ts";
import type { ModelUsage, PromptPiece, Purpose } from "./domain/model.ts";
import type { ReviewPorts } from "./flows/review-pull-request.ts";
import type { CheckBook, Checks, Inspector, Ledger, PushWaits, Queue } from "./ports.ts";
import type { Embedder, Memory, Recall } from "./ports-memory.ts";
import type { Model, ModelAccess } from "./ports-model.ts";
import { newGateCache } from "./retrieve/retrieve.ts";

/** Keeps no state. */
const redactor = secretRedactor();

/** The embedded store: queue and ledger in one file of the data folder, memory in another. */
export interface Store {
  readonly queue: Queue;
  readonly ledger: Ledger;
  /** What models cost. */
  readonly book: SpendingBook;
  /** Check runs that were begun. */
  readonly checks: CheckBook;
  /** How long pushes wait. */
  readonly waits: PushWaits;
  readonly memory: Memory;
  /** Searches in threads of its own, so that webhooks and reviews go on. */
  readonly recall: Recall;
  /** The embedder, with the vectors of its queries kept for a day. */
  cached(embedder: Embedder): Embedder;
  close(): Promise<void>;
}

/**
 * Opens (or creates) the store in `dataDir`.
 *
 * @throws Error when the folder cannot be written or the file comes from a newer Kodiai
 */
export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = openDatabase(join(dataDir, "queue.db"), QUEUE_MIGRATIONS);
  const memoryPath = join(dataDir, "memory.db");
  const memoryDb = openMemory(memoryPath);
  const recall = sqliteRecall({ path: memoryPath });
  return {
    queue: sqliteQueue(db),
    ledger: sqliteLedger(db),
    book: sqliteSpending(db),
    checks: sqliteCheckBook(db),
    waits: sqlitePushWaits(db),
    memory: sqliteMemory(memoryDb),
    recall,
    cached: (embedder) => cachedEmbedder(embedder, memoryDb, Date.now),
    async close() {
      await recall.close();
      memoryDb.close();
      db.close();
    },
  };
}

/** An embedder that leaves the machine sees no secret. */
function withoutSecretsSent(embedder: Embedder): Embedder {
  return {
    get space() {
      return embedder.space;
    },
    threshold: embedder.threshold,
    weight: embedder.weight,
    embed: async (texts, kind) => embedder.embed(await Promise.all(texts.map(redact)), kind),
  };
}

/** What turns text into vectors: as the operator chose, else the keyless one. */
export async function chosenEmbedder(embeddings: Embeddings): Promise<Embedder> {
  if (embeddings.kind === "local") return localWords();
  const { model, apiKey, dimension, baseUrl } = embeddings;
  // Loaded only when chosen: the SDK takes a second to import.
  if (embeddings.kind === "voyage") {
    const { voyageEmbedder } = await import("./adapters/voyage/embedder.ts");
    const own = baseUrl ?? undefined;
    return withoutSecretsSent(voyageEmbedder({ ...embeddings, baseUrl: own, now: Date.now }));
  }
  const { httpEmbedder } = await import("./adapters/http-embedder/embedder.ts");
  const fetch = guardedFetch(new Set([new URL(embeddings.baseUrl).origin]));
  const settings = {
    baseUrl: embeddings.baseUrl,
    model,
    apiKey: apiKey ?? undefined,
    dimension: dimension ?? undefined,
  };
  return withoutSecretsSent(httpEmbedder({ ...settings, fetch, now: Date.now }));
}

/** A model behind whatever server was chosen; null without one. Secrets in a prompt are masked, line by line, before it leaves. */
export async function chosenModel(choice: ModelChoice | null): Promise<Model | null> {
  if (choice === null) return null;
  // Loaded only when chosen: the SDK takes a second to import.
  const { ANTHROPIC_URL, anthropicModel } = await import("./adapters/anthropic/model.ts");
  const origins = new Set([new URL(choice.baseUrl ?? ANTHROPIC_URL).origin]);
  const model = anthropicModel({ ...choice, fetch: guardedFetch(origins, null), now: Date.now });
  const masked = (pieces: readonly PromptPiece[]) =>
    Promise.all(pieces.map(async (piece) => ({ ...piece, text: await redact(piece.text) })));
  return {
    ...model,
    ask: async (request, signal) => model.ask({ ...request, user: await masked(request.user) }, signal),
  };
}

/** What fences text by others in a prompt: 128 bits that nobody can guess. */
export function promptDelimiter(): string {
  return `kodiai-${randomBytes(16).toString("hex")}`;
}

/** Access to a model for the jobs of one repository: each question goes into the book. */
function accessFor(asking: Asking, repo: Repo, book: SpendingBook): ModelAccess | null {
  const { model, usdPerMonth } = asking;
  if (model === null) return null;
  const record = (purpose: Purpose, usage: ModelUsage) => book.record(repo, Date.now(), purpose, usage);
  // A question whose cost could not be written down was answered all the same; the next write tells if the disk is full.
  return { model: meteredModel(model, record, () => {}), spending: book, usdPerMonth, delimiter: promptDelimiter };
}

/** The operator's model, and what it may cost a month for all repositories. */
export interface Asking {
  readonly model: Model | null;
  /** US$; null: no ceiling. */
  readonly usdPerMonth: number | null;
}

/** The rules, loaded once a process. */
export function inspector(): Inspector {
  return rulesInspector();
}

/** What the configuration is checked against: the built-in rules, and whether custom rules can run. */
export function knownRules(): Required<KnownRules> {
  return { ruleIds: new Set(ruleIds()), customRuleProblems };
}

/** `fetch` for GitHub: the API's origin and nothing else. */
export function githubFetch(apiUrl: string): GuardedFetch {
  return guardedFetch(new Set([new URL(apiUrl).origin]));
}

export interface GitHubWiring {
  /** Authenticated as the app itself. */
  readonly app: Parameters<typeof githubClients>[0]["app"];
  readonly apiUrl: string;
  readonly fetch: GuardedFetch;
  /** Our account in comments: `kodiai[bot]`. */
  readonly botLogin: string;
  readonly pace: boolean;
  /** In a dry run: told what is not posted. Null posts. */
  readonly onUnposted: ((unposted: Unposted) => void) | null;
}

const AUTHOR_CACHE = { max: 10_000, ttl: 24 * 60 * 60_000 };

/** Access to the check runs of a repository; in a dry run they are told and not made. */
export type ChecksOf = (installationId: number, repo: Repo) => Checks;

/** Clients of the GitHub that is wired: one token per repository, kept until shortly before it ends. */
export function wiredClients(github: GitHubWiring): Clients {
  return githubClients({ ...github, now: Date.now });
}

export function checksOf(github: GitHubWiring, clients: Clients): ChecksOf {
  const { onUnposted } = github;
  return (installationId, repo) =>
    redactedChecks(
      onUnposted === null ? githubChecks(() => clients.forChecks(installationId, repo)) : dryRunChecks(onUnposted),
      redactor,
    );
}

/** Gives each job its ports: tokens reach only the job's own repository. */
export function reviewPorts(
  github: GitHubWiring,
  clients: Clients,
  store: Store,
  rules: Inspector,
  embedder: Embedder,
  asking: Asking,
): (job: ReviewJob, signal: AbortSignal) => Promise<ReviewPorts> {
  const checks = checksOf(github, clients);
  const authors = new LRUCache<string, number>(AUTHOR_CACHE);
  const gateCache = newGateCache();
  return async (job, signal) => {
    const client = await clients.forRepository(job.installationId, job.repo);
    const real = githubReviews(client, github.botLogin);
    const reviews = github.onUnposted === null ? real : dryRunReviews(real, github.onUnposted);
    return {
      pulls: githubPullRequests({
        github: client,
        clients,
        installationId: job.installationId,
        botLogin: github.botLogin,
        authors: { get: (key) => authors.get(key), set: (key, merged) => void authors.set(key, merged) },
      }),
      reviews: redactedReviews(reviews, redactor),
      inspector: rules,
      known: knownRules(),
      embedder,
      recall: store.recall,
      memory: store.memory,
      redact,
      botLogin: github.botLogin,
      gateCache,
      access: accessFor(asking, job.repo, store.book),
      checks: checks(job.installationId, job.repo),
      book: store.checks,
      waits: store.waits,
      signal,
      ledger: github.onUnposted === null ? store.ledger : unpostedLedger(store.ledger),
      now: Date.now,
    };
  };
}

/** The text with every secret masked; the line count stays. */
export async function redact(text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

/** What a dry run wrote was not posted: without the dry run the same head is reviewed. */
function unpostedLedger(ledger: Ledger): Ledger {
  return { ...ledger, settle: (job, review, now) => ledger.settle(job, review, now, "dry run") };
}

/** The value with `[redacted:KIND]` in place of every secret in its texts; line numbers inside a text stay true. */
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
 * @throws Error with the reason when the credentials or the way to GitHub are wrong
 */
export function githubAnswers(env: Env, privateKey: string): Promise<string> {
  return appSlug({ appId: env.appId, privateKey }, env.githubApiUrl, githubFetch(env.githubApiUrl));
}
