// The one place that chooses adapters and joins them to ports.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { cachedStatistics } from "./adapters/cached-statistics.ts";
import { dryRunReviews, type Unposted } from "./adapters/dry-run/reviews.ts";
import { appSlug } from "./adapters/github/app-slug.ts";
import { githubClients } from "./adapters/github/clients.ts";
import { type GuardedFetch, guardedFetch } from "./adapters/github/guarded-fetch.ts";
import { githubPullRequests } from "./adapters/github/pull-requests.ts";
import { githubReviews } from "./adapters/github/reviews.ts";
import { localWords } from "./adapters/local/local-embedder.ts";
import { memoryOff } from "./adapters/no-memory/memory-off.ts";
import { customRuleProblems } from "./adapters/rules/custom.ts";
import { rulesInspector } from "./adapters/rules/inspector.ts";
import { ruleIds } from "./adapters/rules/rules.ts";
import { secretRedactor } from "./adapters/secrets/redact.ts";
import { redactStrings } from "./adapters/secrets/redact-strings.ts";
import { type RedactedLog, redactedLog } from "./adapters/secrets/redacted-log.ts";
import { redactedRetrievals } from "./adapters/secrets/redacted-retrievals.ts";
import { redactedReviews } from "./adapters/secrets/redacted-reviews.ts";
import type { ServiceLimits } from "./adapters/service-call.ts";
import { openDatabase } from "./adapters/sqlite/database.ts";
import { cachedEmbedder } from "./adapters/sqlite/embedding-cache.ts";
import { knownRepositories } from "./adapters/sqlite/known-repositories.ts";
import { sqliteLedger } from "./adapters/sqlite/ledger.ts";
import { sqliteMemory } from "./adapters/sqlite/memory.ts";
import { type MemoryFacts, memoryFacts } from "./adapters/sqlite/memory-facts.ts";
import { openMemory } from "./adapters/sqlite/memory-file.ts";
import { sqliteQueue } from "./adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "./adapters/sqlite/queue-schema.ts";
import { type RecallSettings, type SqliteRecall, sqliteRecall } from "./adapters/sqlite/recall.ts";
import { sqliteRetrievalLog } from "./adapters/sqlite/retrieval-log.ts";
import { sqliteRetrievalStatistics } from "./adapters/sqlite/retrieval-statistics.ts";
import { storedSpaces } from "./adapters/sqlite/stored-spaces.ts";
import type { KnownRules } from "./config/check-rules.ts";
import type { Env } from "./config/env.ts";
import type { Embeddings } from "./config/read-embeddings.ts";
import type { RerankerChoice } from "./config/read-reranker.ts";
import type { Repo, ReviewJob } from "./domain/job.ts";
import type { ReviewPorts } from "./flows/review-pull-request.ts";
import type { Inspector, Ledger, Queue } from "./ports.ts";
import type {
  Embedder,
  Memory,
  Recall,
  RerankCandidate,
  Reranker,
  RetrievalLog,
  RetrievalStatistics,
} from "./ports-memory.ts";
import { newGateCache } from "./retrieve/retrieve.ts";

/** Keeps no state. */
const redactor = secretRedactor();

/** The embedded store: queue and ledger in one file of the data folder, memory in another. */
export interface Store {
  readonly queue: Queue;
  readonly ledger: Ledger;
  readonly memory: Memory;
  /** Searches in threads of its own, so that webhooks and reviews go on. */
  readonly recall: Recall;
  /** As it is: what is written must be without secrets (see withoutSecretsKept). */
  readonly retrievals: RetrievalLog;
  /** Read anew each time. */
  readonly statistics: RetrievalStatistics;
  /** Repositories that something is remembered of. */
  known(): readonly Repo[];
  /** Which embedders the vectors in memory come from, with how many each. */
  spaces(): ReturnType<typeof storedSpaces>;
  /** Why there is no memory, for the operator; null when there is one. */
  readonly memoryProblem: Error | null;
  /** The embedder, with the vectors of its queries kept for a day. */
  cached(embedder: Embedder): Embedder;
  /** Reads into memory what will be searched, in the background. Rejects with why it cannot be read. */
  warm(): Promise<void>;
  /** How far that has come. */
  warmth(): MemoryWarmth;
  close(): Promise<void>;
}

/** `off`: not opened; `cold`: the search thread does not run; `warming`: being read; `warm`: as much is read as is wanted. */
export interface MemoryWarmth {
  readonly state: "off" | "cold" | "warming" | "warm";
  /** Repositories and memories that are held for searching. */
  readonly repositories: number;
  readonly rows: number;
}

/** Smaller than the documented limits, or worse than real life: for tests of what fails. */
export interface MemorySettings extends Omit<RecallSettings, "path"> {
  readonly mostPages?: number;
}

/**
 * Opens (or creates) the store in `dataDir`. A memory that cannot be opened costs the memory: see `memoryProblem`.
 *
 * @throws Error when the folder cannot be written or the queue comes from a newer Kodiai
 */
export function openStore(dataDir: string, settings: MemorySettings = {}): Store {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = openDatabase(join(dataDir, "queue.db"), QUEUE_MIGRATIONS);
  const shelf = openShelf(join(dataDir, "memory.db"), settings);
  return {
    queue: sqliteQueue(db),
    ledger: sqliteLedger(db),
    ...shelf,
    retrievals: sqliteRetrievalLog(db),
    statistics: sqliteRetrievalStatistics(db, Date.now),
    async close() {
      await shelf.close();
      db.close();
    },
  };
}

type Shelf = Omit<Store, "queue" | "ledger" | "retrievals" | "statistics">;

function openShelf(path: string, { mostPages, ...settings }: MemorySettings): Shelf {
  try {
    const db = openMemory(path, mostPages ?? null);
    const memory = sqliteMemory(db);
    const recall = sqliteRecall({ ...settings, path });
    return {
      memory,
      recall,
      memoryProblem: null,
      known: () => knownRepositories(db),
      spaces: () => storedSpaces(db),
      cached: (embedder) => cachedEmbedder(embedder, db, Date.now),
      warm: recall.warm,
      warmth: () => warmthOf(recall),
      async close() {
        await recall.close();
        db.close();
      },
    };
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    return {
      ...memoryOff("memory.db could not be opened; `kodiai doctor` tells why"),
      memoryProblem: problem,
      known: () => [],
      spaces: () => [],
      cached: (embedder) => embedder,
      warm: () => Promise.resolve(),
      warmth: () => ({ state: "off", repositories: 0, rows: 0 }),
      close: () => Promise.resolve(),
    };
  }
}

function warmthOf(recall: SqliteRecall): MemoryWarmth {
  const told = recall.warmth();
  if (told === null) return { state: "cold", repositories: 0, rows: 0 };
  const { waiting, repositories, rows } = told;
  return { state: waiting > 0 ? "warming" : "warm", repositories, rows };
}

/** What stands in the memory of a data folder; null when it has none. Looking creates no file. */
export function memoryIn(dataDir: string): MemoryFacts | null {
  const path = join(dataDir, "memory.db");
  return existsSync(path) ? memoryFacts(path) : null;
}

export type { MemoryFacts };

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

/**
 * What turns text into vectors: as the operator chose, else the keyless one.
 *
 * @param limits other than the documented ones: for tests and `doctor`, which do not wait so long
 */
export async function chosenEmbedder(embeddings: Embeddings, limits: Partial<ServiceLimits> = {}): Promise<Embedder> {
  if (embeddings.kind === "local") return localWords();
  const { model, apiKey, dimension, baseUrl } = embeddings;
  // Loaded only when chosen: the SDK takes a second to import.
  if (embeddings.kind === "voyage") {
    const { voyageEmbedder } = await import("./adapters/voyage/embedder.ts");
    const own = baseUrl ?? undefined;
    return withoutSecretsSent(voyageEmbedder({ ...embeddings, baseUrl: own, limits, now: Date.now }));
  }
  const { httpEmbedder } = await import("./adapters/http-embedder/embedder.ts");
  const fetch = guardedFetch(new Set([new URL(embeddings.baseUrl).origin]));
  const settings = {
    baseUrl: embeddings.baseUrl,
    model,
    apiKey: apiKey ?? undefined,
    dimension: dimension ?? undefined,
    limits,
  };
  return withoutSecretsSent(httpEmbedder({ ...settings, fetch, now: Date.now }));
}

/** What puts found memories into a better order: as the operator chose, else nothing. It sees no secret. */
export async function chosenReranker(choice: RerankerChoice): Promise<Reranker | null> {
  if (choice.kind === "off") return null;
  const { voyageReranker } = await import("./adapters/voyage/reranker.ts");
  const { name, rerank } = voyageReranker({ ...choice, baseUrl: choice.baseUrl ?? undefined, now: Date.now });
  // Several queries of one review share candidates, and looking for secrets takes over a millisecond a text.
  const known = new WeakMap<RerankCandidate, Promise<RerankCandidate>>();
  const safe = (candidate: RerankCandidate) => {
    const masked = known.get(candidate) ?? redact(candidate.text).then((text) => ({ ...candidate, text }));
    known.set(candidate, masked);
    return masked;
  };
  return {
    name,
    rerank: async (query, candidates, topK) =>
      rerank(await redact(query), await Promise.all(candidates.map(safe)), topK),
  };
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
  /** Told why a retrieval was not written down; the review goes on. */
  readonly onUnrecorded: (error: unknown) => void;
}

const AUTHOR_CACHE = { max: 10_000, ttl: 24 * 60 * 60_000 };

/** Gives each job its ports: tokens reach only the job's own repository. */
export function reviewPorts(
  github: GitHubWiring,
  store: Store,
  rules: Inspector,
  { embedder, reranker }: Pick<ReviewPorts, "embedder" | "reranker">,
): (job: ReviewJob) => Promise<ReviewPorts> {
  const clients = githubClients({ ...github, now: Date.now });
  const authors = new LRUCache<string, number>(AUTHOR_CACHE);
  const gateCache = newGateCache();
  const retrievals = withoutSecretsKept(store.retrievals, github.onUnrecorded);
  return async (job) => {
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
      reranker,
      recall: store.recall,
      retrievals,
      memory: store.memory,
      redact,
      botLogin: github.botLogin,
      gateCache,
      ledger: github.onUnposted === null ? store.ledger : unpostedLedger(store.ledger),
      now: Date.now,
    };
  };
}

/** The text with every secret masked; the line count stays. */
export async function redact(text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

/** The log as reviews and searches write it: without secrets, and never rejecting. */
export function withoutSecretsKept(log: RetrievalLog, onUnrecorded: (error: unknown) => void): RetrievalLog {
  return redactedRetrievals(log, redactor, onUnrecorded);
}

/** Figures of a running server, read at most every five minutes. */
export function serverStatistics(store: Store): RetrievalStatistics {
  return cachedStatistics(store.statistics, Date.now);
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
