// Joins GitHub to its ports: as the App, whose writes go one way and are spaced out, and with a person's token.

import { setTimeout as wait } from "node:timers/promises";
import { Octokit } from "@octokit/rest";
import { dryRunChecks, type Unposted } from "../adapters/dry-run/reviews.ts";
import { type AppCredentials, appClient, appSlug } from "../adapters/github/app-slug.ts";
import { githubChecks } from "../adapters/github/checks.ts";
import { type Clients, githubClients } from "../adapters/github/clients.ts";
import { findPost } from "../adapters/github/find-post.ts";
import type { GuardedFetch } from "../adapters/github/guarded-fetch.ts";
import { githubPastReviews } from "../adapters/github/past-reviews.ts";
import { githubRepositoryHost } from "../adapters/github/repository-host.ts";
import { githubRetractions } from "../adapters/github/retractions.ts";
import { signWrite } from "../adapters/github/sign-write.ts";
import { translated } from "../adapters/github/translate-error.ts";
import { unheldWrites, type WritePath, writePath } from "../adapters/github/write-path.ts";
import { unpacedWrites, type WriteTurns, writeTurns } from "../adapters/github/write-turns.ts";
import type { secretRedactor } from "../adapters/secrets/redact.ts";
import { redactedChecks } from "../adapters/secrets/redacted-checks.ts";
import type { Repo } from "../domain/job.ts";
import type { HistoryFollowing } from "../flows/repository/follow-history.ts";
import type { ReviewPorts } from "../flows/review/review-ports.ts";
import type { Checks } from "../ports/checks.ts";
import type { PastReviews } from "../ports/history.ts";
import type { InstallationPace, Post, Wanted, WriteBook } from "../ports/writes.ts";
import type { Whereabouts } from "../server/after-gone.ts";
import { githubFetch } from "./egress.ts";
import { redactor } from "./secrets.ts";
import type { Store } from "./store.ts";

export type { Unposted };

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

/**
 * Asks GitHub for the name of this app.
 *
 * @throws Transient when GitHub does not answer; Error with the reason when the credentials or the way to GitHub are wrong
 */
export function githubAnswers(credentials: AppCredentials, apiUrl: string, signal?: AbortSignal): Promise<string> {
  return appSlug(appClient(credentials, apiUrl, githubFetch(apiUrl)), signal);
}

export interface WriteWiring {
  readonly clients: Clients;
  /** Our account in comments: `kodiai[bot]`. */
  readonly botLogin: string;
  /** Of the App: by it our markers are ours. */
  readonly markerSecret: string;
  /** Of the process. */
  readonly turns: WriteTurns;
  /** Other than the documented time after which a write has arrived or never will; in tests only. */
  readonly settledMs?: number | undefined;
  /** Told of each write whose answer was lost, and whether it stands there. */
  readonly onLost?: (wanted: Wanted, found: boolean) => void;
}

/** The path of one job, or of a sweep. */
export function pathOf(wiring: WriteWiring, book: WriteBook, installationId: number): WritePath {
  const { turns, markerSecret, settledMs, onLost = () => {} } = wiring;
  return writePath({
    installationId,
    book,
    settledMs,
    onLost,
    sign: (wanted) => signWrite(markerSecret, wanted),
    find: (wanted, marker) => findWritten(wiring, wanted, marker),
    turn: (write) => turns.take(installationId, write),
  });
}

/** What stands on GitHub with the marker, or null. */
export async function findWritten(
  { clients, botLogin }: Pick<WriteWiring, "clients" | "botLogin">,
  wanted: Wanted,
  marker: string,
): Promise<Post | null> {
  const { kind, installationId, repo } = wanted;
  const client = await (kind === "check"
    ? clients.forChecks(installationId, repo)
    : clients.forRepository(installationId, repo));
  return findPost(client, botLogin, wanted, marker);
}

export interface CheckWiring extends WriteWiring {
  /** Told what a dry run does not make; null makes it. */
  readonly onUnposted: Parameters<typeof dryRunChecks>[0] | null;
  readonly redactor: ReturnType<typeof secretRedactor>;
}

/** Access to the check runs of a repository. */
export type ChecksOf = (installationId: number, repo: Repo) => Checks;

/** A token of its own for each repository: many an App was not granted check runs. */
export function checksOf({ onUnposted, redactor, ...wiring }: CheckWiring, book: WriteBook): ChecksOf {
  return (installationId, repo) => {
    const client = () => wiring.clients.forChecks(installationId, repo);
    const made =
      onUnposted === null ? githubChecks(client, pathOf(wiring, book, installationId)) : dryRunChecks(onUnposted);
    return redactedChecks(made, redactor);
  };
}

/** After a restore so long: by then what was said before stands in the books again, or is no longer open. */
const RESTORED_MS = 30 * 24 * 60 * 60_000;

/** After a restore the books may lack what was posted since the backup: then GitHub is asked. Null when there was none. */
export async function standingReviews(
  client: Parameters<typeof githubRetractions>[0],
  botLogin: string,
  store: Pick<Store, "restoredAt">,
): Promise<ReviewPorts["isOnGitHub"]> {
  const restored = await store.restoredAt();
  if (restored === null || restored < Date.now() - RESTORED_MS) return null;
  const { posts } = githubRetractions(client, botLogin, unheldWrites());
  return async (repo, number, headSha) =>
    (await posts(repo, number)).some((post) => post.kind === "review" && post.headSha === headSha);
}

/** Asks GitHub each time, with tokens of the job's repository alone. */
export function whereabouts({ clients }: { readonly clients: Clients }): Whereabouts {
  return ({ installationId, repo }) => ({
    host: githubRepositoryHost({ clients, installationId, repo, paceMs: 0 }),
    installationOf: clients.installationOf,
  });
}

/** Milliseconds between requests: at most 600 of GitHub's 900 points a minute. */
const PACE_MS = 100;

/** Past reviews of a repository, with a token that reads its pull requests and nothing else. */
export function pastOf(
  clients: Pick<Clients, "forReading" | "installationOf">,
  installationId: number,
  pace: boolean,
): HistoryFollowing["past"] {
  return async (repo) => {
    const reader = await clients.forReading(installationId, repo, "pull requests");
    return reader === null ? null : githubPastReviews({ github: reader.github, repo, paceMs: pace ? PACE_MS : 0 });
  };
}

/**
 * A repository and its past reviews, read with a person's token.
 *
 * @throws Error when there is none of that name or the token may not read it
 */
export async function personsPast(named: {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly token: string;
  readonly apiUrl: string;
}): Promise<{ readonly repo: Repo; readonly past: PastReviews }> {
  const { host, owner, name, token, apiUrl } = named;
  const fetch = githubFetch(apiUrl);
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const github = new Octokit({ auth: token, baseUrl: apiUrl, userAgent: "kodiai", request: { fetch }, log: silent });
  const { data } = await translated(() => github.rest.repos.get({ owner, repo: name })).catch((error: unknown) => {
    throw new Error(refusalText(error, `${owner}/${name}`), { cause: error });
  });
  const repo: Repo = {
    host,
    id: data.id,
    ownerId: data.owner.id,
    owner: data.owner.login,
    name: data.name,
    visibility: data.private ? (data.visibility === "internal" ? "internal" : "private") : "public",
  };
  return { repo, past: githubPastReviews({ github, repo, paceMs: PACE_MS }) };
}

function refusalText(error: unknown, name: string): string {
  const status = error instanceof Error && "status" in error ? error.status : null;
  if (status === 401) return "GitHub does not take this GITHUB_TOKEN";
  if (status === 404) return `there is no repository ${name}, or GITHUB_TOKEN may not read it`;
  return error instanceof Error ? error.message : String(error);
}
