// Wires GitHub to its ports: as the App, whose writes share one paced path, and as a person.

import { setTimeout as wait } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { dryRunChecks, dryRunReviews, type Unposted } from "../adapters/dry-run/dry-run.ts";
import { appSlug } from "../adapters/github/app-registration.ts";
import { type Clients, githubClients } from "../adapters/github/clients.ts";
import type { GuardedFetch } from "../adapters/github/guarded-fetch.ts";
import { appClient, quietOctokit } from "../adapters/github/quiet-octokit.ts";
import { githubOpenPulls } from "../adapters/github/read/open-pulls.ts";
import { githubPastReviews } from "../adapters/github/read/past-reviews.ts";
import { githubRepositoryHost } from "../adapters/github/read/repository-host.ts";
import { repoOf, statusOf } from "../adapters/github/requests.ts";
import { translated } from "../adapters/github/translate-error.ts";
import { githubChecks } from "../adapters/github/write/checks.ts";
import { findPost, lastReviewedHead, signWrite } from "../adapters/github/write/find-post.ts";
import { githubReviews } from "../adapters/github/write/reviews.ts";
import {
  unpacedWrites,
  type WritePath,
  type WriteTurns,
  writePath,
  writeTurns,
} from "../adapters/github/write/write-path.ts";
import { redactedChecks, redactedReviews } from "../adapters/secrets/redacted-reviews.ts";
import type { namedRepository } from "../config/environment/github-address.ts";
import type { Repo } from "../domain/job.ts";
import type { HistoryFollowing } from "../flows/repository/follow-repository.ts";
import type { RecoverPulls } from "../flows/repository/recover-pulls.ts";
import type { ReviewPorts } from "../flows/review/review-ports.ts";
import type { Checks } from "../ports/checks.ts";
import type { AddReview, TakeComment } from "../ports/missed-events.ts";
import type { AppCredentials } from "../ports/registration.ts";
import type { InstallationPace, Post, Wanted, WriteStore } from "../ports/writes.ts";
import type { AnyJob, Reviews } from "../ports.ts";
import { githubFetch } from "./egress.ts";
import { redactor, registerSecrets } from "./secrets.ts";
import type { Store } from "./store.ts";

interface GitHubWiring extends Omit<WriteWiring, "clients" | "turns"> {
  readonly limits: InstallationPace;
  /** False disables pacing; in tests only. */
  readonly pace: boolean;
  readonly app: Parameters<typeof githubClients>[0]["app"];
  readonly apiUrl: string;
  readonly fetch: GuardedFetch;
  readonly archives: GuardedFetch;
  /** In a dry run: called with what is not posted. Null posts. */
  readonly onUnposted: ((unposted: Unposted) => void) | null;
  /** Called when a retrieval could not be logged; the review continues. */
  readonly onUnrecorded: (error: unknown) => void;
}

/** Adds the clients, with one cached token per repository, and the order of writes. */
export interface WiredGitHub extends GitHubWiring {
  readonly clients: Clients;
  readonly turns: WriteTurns;
}

/** @param credentials of the App */
export function githubAsApp(credentials: AppCredentials, wiring: Omit<GitHubWiring, "app">): WiredGitHub {
  const github = { ...wiring, app: appClient(credentials, wiring.apiUrl, wiring.fetch) };
  const turns = github.pace ? writeTurns(github.limits, wait) : unpacedWrites();
  return { ...github, turns, clients: githubClients({ ...github, now: Date.now }) };
}

/** The name of this app. @throws Transient; Error for wrong credentials or network settings */
export function githubAnswers(credentials: AppCredentials, apiUrl: string, signal?: AbortSignal): Promise<string> {
  return appSlug(appClient(credentials, apiUrl, githubFetch(apiUrl)), signal);
}

export interface WriteWiring {
  readonly clients: Pick<Clients, "forRepository" | "forChecks">;
  /** Our login in comments: `kodiai[bot]`. */
  readonly botLogin: string;
  readonly markerSecret: string;
  readonly turns: WriteTurns;
  /** In tests: another time after which a write has arrived or never will; null otherwise. */
  readonly settledMs: number | null;
  /** Called for each write whose response was lost, with whether it was found. */
  readonly onLost: (wanted: Wanted, found: boolean) => void;
}

export function pathOf(wiring: WriteWiring, store: WriteStore, installationId: number): WritePath {
  const { turns, markerSecret, settledMs, onLost } = wiring;
  return writePath({
    installationId,
    store,
    settledMs,
    onLost,
    sign: (wanted) => signWrite(markerSecret, wanted),
    find: (wanted, marker) => findWritten(wiring, wanted, marker),
    turn: (write) => turns.take(installationId, write),
  });
}

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

/** Check runs of each repository, with a token of their own: not every App may write them. */
export function wiredChecks(github: WiredGitHub, writes: WriteStore): (installationId: number, repo: Repo) => Checks {
  return (installationId, repo) => {
    if (github.onUnposted !== null) return redactedChecks(dryRunChecks(github.onUnposted), redactor);
    const client = () => github.clients.forChecks(installationId, repo);
    return redactedChecks(githubChecks(client, pathOf(github, writes, installationId)), redactor);
  };
}

/** The reviews of a client's repository: redacted, and posted unless this is a dry run. */
export function reviewsOn(
  { botLogin, onUnposted }: Pick<WiredGitHub, "botLogin" | "onUnposted">,
  client: Parameters<typeof githubReviews>[0],
  path: WritePath,
): Reviews {
  const real = githubReviews(client, botLogin, path);
  return redactedReviews(onUnposted === null ? real : dryRunReviews(real, onUnposted), redactor);
}

/** How long after a restore the store may lack posts that are newer than the backup. */
const RESTORED_MS = 30 * 24 * 60 * 60_000;

/** Whether our latest review on GitHub is of a head; null unless a backup was restored recently. */
export async function reviewsOnGitHub(
  client: Parameters<typeof lastReviewedHead>[0],
  botLogin: string,
  store: Pick<Store, "restoredAt">,
): Promise<ReviewPorts["isOnGitHub"]> {
  const restored = await store.restoredAt();
  if (restored === null || restored < Date.now() - RESTORED_MS) return null;
  return async (repo, number, headSha) => (await lastReviewedHead(client, botLogin, repo, number)) === headSha;
}

/** Where a repository is now. Asks GitHub each time, with tokens for the job's repository only. */
export function locateRepository({ clients }: { readonly clients: Clients }) {
  return ({ installationId, repo }: Pick<AnyJob, "installationId" | "repo">) => ({
    host: githubRepositoryHost({ clients, installationId, repo, paceMs: 0 }),
    installationOf: clients.installationOf,
  });
}

/** Milliseconds between requests: 600 of GitHub's 900 points a minute; a GET costs 1, a POST 5. */
export const PACE_MS = 100;

/** Past reviews of a repository, with a token that can only read its pull requests. */
export function pastOf(
  clients: Pick<Clients, "forReading" | "installationOf">,
  installationId: number,
  pace: boolean,
): HistoryFollowing["past"] {
  return async (repo) => {
    const reader = await clients.forReading(installationId, repo, "pull requests");
    return reader === null ? null : githubPastReviews(reader.github, repo, pace ? PACE_MS : 0);
  };
}

/** @param host `github.com`, or the host of a GitHub Enterprise Server */
export function missedPorts(
  github: WiredGitHub,
  store: Store,
  host: string,
  into: { readonly add: AddReview; readonly take: TakeComment },
): RecoverPulls {
  const { app, clients, pace } = github;
  return {
    pulls: githubOpenPulls(app, clients, host, pace ? PACE_MS : 0),
    store: store.missed,
    ...into,
    now: Date.now,
  };
}

export function personsClient(token: string, apiUrl: string, fetch: GuardedFetch = githubFetch(apiUrl)): Octokit {
  registerSecrets(token);
  return quietOctokit(apiUrl, fetch, { auth: token });
}

export function personsRefusal(error: unknown, missing: string): Error {
  const status = statusOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (status === 401) return new Error("GitHub does not take this GITHUB_TOKEN", { cause: error });
  return new Error(status === 404 ? `there is no ${missing}, or GITHUB_TOKEN may not read it` : text, { cause: error });
}

export type PersonsRepository = ReturnType<typeof namedRepository> & Record<"token" | "apiUrl", string>;

/** Throws when there is no such repository or the token may not read it. */
export async function personsPast(named: PersonsRepository) {
  const { owner, name } = named;
  const github = personsClient(named.token, named.apiUrl);
  const { data } = await translated(() => github.rest.repos.get({ owner, repo: name })).catch((error: unknown) => {
    throw personsRefusal(error, `repository ${owner}/${name}`);
  });
  const repo = repoOf(named.host, data);
  return { repo, past: githubPastReviews(github, repo, PACE_MS) };
}
