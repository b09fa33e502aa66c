// The one place that chooses adapters and joins them to ports.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Octokit } from "@octokit/rest";
import { LRUCache } from "lru-cache";
import { dryRunReviews, type Unposted } from "./adapters/dry-run/reviews.ts";
import { type LocalRange, localChanges } from "./adapters/git/local-changes.ts";
import { appSlug } from "./adapters/github/app-slug.ts";
import { githubClients } from "./adapters/github/clients.ts";
import { type GuardedFetch, guardedFetch } from "./adapters/github/guarded-fetch.ts";
import { githubPullRequests } from "./adapters/github/pull-requests.ts";
import { githubReviews } from "./adapters/github/reviews.ts";
import { noMemory } from "./adapters/no-memory/recall.ts";
import { customRuleProblems } from "./adapters/rules/custom.ts";
import { rulesInspector } from "./adapters/rules/inspector.ts";
import { ruleIds } from "./adapters/rules/rules.ts";
import { secretRedactor } from "./adapters/secrets/redact.ts";
import { redactStrings } from "./adapters/secrets/redact-strings.ts";
import { type RedactedLog, redactedLog } from "./adapters/secrets/redacted-log.ts";
import { redactedReviews } from "./adapters/secrets/redacted-reviews.ts";
import { openDatabase } from "./adapters/sqlite/database.ts";
import { sqliteLedger } from "./adapters/sqlite/ledger.ts";
import { sqliteMemory } from "./adapters/sqlite/memory.ts";
import { openMemory } from "./adapters/sqlite/memory-file.ts";
import { sqliteQueue } from "./adapters/sqlite/queue.ts";
import { QUEUE_MIGRATIONS } from "./adapters/sqlite/queue-schema.ts";
import { sqliteRecall } from "./adapters/sqlite/recall.ts";
import type { KnownRules } from "./config/check-rules.ts";
import type { Env } from "./config/env.ts";
import type { Repo, ReviewJob } from "./domain/job.ts";
import type { ReviewPorts, WritingPorts } from "./flows/review-pull-request.ts";
import type { Embedder, Inspector, Ledger, Memory, Queue, Recall } from "./ports.ts";
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
    memory: sqliteMemory(memoryDb),
    recall,
    async close() {
      await recall.close();
      memoryDb.close();
      db.close();
    },
  };
}

/** What turns text into vectors; null searches by words only. */
function embedder(): Embedder | null {
  return null;
}

/** A command line remembers nothing. */
const NO_MEMORY = { embedder: null, recall: noMemory(), gateCache: null };

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

/** Gives each job its ports: tokens reach only the job's own repository. */
export function reviewPorts(
  github: GitHubWiring,
  store: Store,
  rules: Inspector,
): (job: ReviewJob) => Promise<ReviewPorts> {
  const clients = githubClients({ ...github, now: Date.now });
  const authors = new LRUCache<string, number>(AUTHOR_CACHE);
  const gateCache = newGateCache();
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
      embedder: embedder(),
      recall: store.recall,
      gateCache,
      ledger: github.onUnposted === null ? store.ledger : unpostedLedger(store.ledger),
      now: Date.now,
    };
  };
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

export type { LocalRange, Unposted };

/** A change that the command line was asked to review. */
export interface NamedChange {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly ports: WritingPorts;
}

/**
 * Reads a range of the local repository at `cwd`; nothing leaves the machine.
 *
 * @throws Error with git's message when the range cannot be read
 */
export async function localPorts(cwd: string, range: LocalRange): Promise<NamedChange> {
  const { repo, pull, pulls } = await localChanges(cwd, range);
  return {
    repo,
    number: pull.number,
    headSha: pull.head.sha,
    ports: { pulls, inspector: inspector(), known: knownRules(), ...NO_MEMORY, now: Date.now },
  };
}

/** The API of a GitHub host: github.com has its own, a GitHub Enterprise Server serves it under /api/v3. */
export function apiUrlOf(host: string): string {
  if (host === "github.com") return "https://api.github.com";
  // GitHub Enterprise Cloud with data residency: docs.github.com, "About data residency".
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
}

/**
 * Reads a pull request with a person's token. There is no port that could post.
 *
 * @throws Error when the pull request does not exist or the token may not read it
 */
export async function pullRequestPorts(named: {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly token: string;
  /** Instead of the host's own API. */
  readonly apiUrl?: string | undefined;
}): Promise<NamedChange> {
  const apiUrl = named.apiUrl ?? apiUrlOf(named.host);
  const github = new Octokit({
    auth: named.token,
    baseUrl: apiUrl,
    userAgent: "kodiai",
    request: { fetch: githubFetch(apiUrl) },
  });
  const at = { owner: named.owner, repo: named.name, pull_number: named.number };
  const { data } = await github.rest.pulls.get(at).catch((error: unknown) => {
    throw new Error(refusalText(error), { cause: error });
  });
  const { id, private: isPrivate, owner, name } = data.base.repo;
  const repo: Repo = {
    host: named.host,
    id,
    ownerId: owner.id,
    owner: owner.login,
    name,
    visibility: isPrivate ? "private" : "public",
  };
  const pulls = githubPullRequests({
    github,
    // A person's token reaches what the person reaches: the same client serves every repository.
    clients: { forRepository: () => Promise.resolve(github), forOwnersRepository: () => Promise.resolve(github) },
    installationId: 0,
    botLogin: "kodiai[bot]",
    authors: new Map(),
  });
  return {
    repo,
    number: named.number,
    headSha: data.head.sha,
    ports: { pulls, inspector: inspector(), known: knownRules(), ...NO_MEMORY, now: Date.now },
  };
}

function refusalText(error: unknown): string {
  const status = error instanceof Error && "status" in error ? error.status : null;
  if (status === 401) return "GitHub does not take this GITHUB_TOKEN";
  if (status === 404) return "there is no such pull request, or GITHUB_TOKEN may not read it";
  return error instanceof Error ? error.message : String(error);
}

/**
 * Asks GitHub for the name of this app.
 *
 * @throws Error with the reason when the credentials or the way to GitHub are wrong
 */
export function githubAnswers(env: Env, privateKey: string): Promise<string> {
  return appSlug({ appId: env.appId, privateKey }, env.githubApiUrl, githubFetch(env.githubApiUrl));
}
