// Octokit clients: one token per repository, with only the permissions that are needed.

import { RequestError } from "@octokit/request-error";
import type { Octokit } from "@octokit/rest";
import { OutOfReach, Transient } from "../../domain/errors.ts";
import type { Repo } from "../../domain/job.ts";
import type { InstallationPace } from "../../ports/writes.ts";
import type { GraphqlDocument } from "./graphql-documents.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { quietOctokit } from "./quiet-octokit.ts";
import { placeOf, statusOf, unlessStatus } from "./requests.ts";
import { limitWait, translated } from "./translate-error.ts";
import { gatedFetch } from "./write/write-gate.ts";

/** The part of Octokit that the adapters use; Probot's client also fits. */
export interface GitHub extends Pick<Octokit, "rest" | "paginate" | "request"> {
  /** Rejects as REST does if GitHub refuses; GraphqlResponseError for GraphQL's own errors. */
  graphql<Answer>(document: GraphqlDocument, variables: Readonly<Record<string, unknown>>): Promise<Answer>;
}

export interface ClientOptions {
  /** Authenticated as the App: creates the tokens. */
  readonly app: Pick<Octokit, "request">;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  /** Rate limits by installation. */
  readonly limits: Pick<InstallationPace, "closedFor" | "close">;
}

export interface Clients {
  /** Reads contents of, and writes to pull requests of, this one repository. */
  forRepository(installationId: number, repo: Repo): Promise<GitHub>;
  /**
   * Reads contents or pull requests of this repository under its current name. The fresh token
   * notices access that was just withdrawn. Null when the App does not reach it.
   */
  forReading(
    installationId: number,
    repo: Repo,
    what?: "contents" | "pull requests",
  ): Promise<{ readonly github: GitHub; readonly name: string } | null>;
  /** Lists an installation's repositories and reads nothing in them; null without one. */
  forNames(installationId: number): Promise<GitHub | null>;
  /** The installation that reaches the repository by its known name; null without either. */
  installationOf(repo: Repo): Promise<number | null>;
  /** Writes check runs of this repository, with its own token: many Apps lack the permission. */
  forChecks(installationId: number, repo: Repo): Promise<GitHub>;
  /** Reads code scanning of this repository, with its own token: many Apps lack the permission. */
  forCodeScanning(installationId: number, repo: Repo): Promise<GitHub>;
  /** Reads issues of this repository, with its own token; null without the permission. */
  forIssues(installationId: number, repo: Repo): Promise<GitHub | null>;
  /** Reads contents of the owner's other repository; null if the App does not reach it. */
  forOwnersRepository(installationId: number, repo: Repo, name: string): Promise<GitHub | null>;
}

/** A token is renewed when it expires sooner than this: a job may take minutes. */
const RENEW_BEFORE_MS = 15 * 60_000;

const REVIEW_PERMISSIONS = { contents: "read", metadata: "read", pull_requests: "write" } as const;
const CHECK_PERMISSIONS = { checks: "write", metadata: "read" } as const;
const SCAN_PERMISSIONS = { contents: "read", metadata: "read", security_events: "read" } as const;
const ISSUE_PERMISSIONS = { issues: "read", metadata: "read" } as const;
const READ_PERMISSIONS = { contents: "read", metadata: "read" } as const;
const NAME_PERMISSIONS = { metadata: "read" } as const;
const PAST_PERMISSIONS = { metadata: "read", pull_requests: "read" } as const;

/** Clients over the app's authentication. Throw `Transient` when GitHub cannot answer now. */
export function githubClients({ app, apiUrl, fetch, now, ...stored }: ClientOptions): Clients {
  const limits = installationLimits(stored.limits);
  // GraphQL has its own limit: without it REST goes on. Other processes need one refusal.
  const graphqlLimits = installationLimits({ closedFor: async () => 0, close: async () => {} });
  const cache = new Map<string, { readonly client: GitHub; readonly expiresAt: number }>();

  /** While the window is closed no request is sent. */
  async function checkOpen({ closedFor }: InstallationLimits, installationId: number): Promise<void> {
    const closed = await closedFor(installationId);
    if (closed > 0) throw new Transient("GitHub asked us to wait", now() + closed);
  }

  async function mint(installationId: number, body: Readonly<Record<string, unknown>>) {
    await checkOpen(limits, installationId);
    try {
      return await app.request("POST /app/installations/{installation_id}/access_tokens", {
        installation_id: installationId,
        ...body,
      });
    } catch (error) {
      if (statusOf(error) !== 422) throw error;
      // The repository was removed, or the permission never granted.
      const why = /repositor/i.test((error as Error).message) ? "missing" : "refused";
      const message = "GitHub issues no token: the App is not installed there, or lacks a permission";
      throw new OutOfReach(why, 422, message, error);
    }
  }

  /** @param renew creates a token for one that GitHub no longer accepts; null: it is new */
  function newClient(token: string, installationId: number, renew: (() => Promise<string>) | null): Octokit {
    let current = token;
    const octokit = quietOctokit(
      apiUrl,
      gatedFetch(fetch, () => checkOpen(limits, installationId)),
    );
    octokit.hook.wrap("request", async (request, given) => {
      if (given.url.endsWith("/graphql")) await checkOpen(graphqlLimits, installationId);
      const send = () => {
        // Hooks share this object; a copy would be lost.
        given.headers.authorization = `bearer ${current}`;
        return request(given);
      };
      try {
        return await send();
      } catch (error) {
        if (renew === null || !(error instanceof RequestError) || error.status !== 401) throw error;
        current = await renew();
        return send();
      }
    });
    octokit.hook.error("request", async (error) => {
      const wait = error instanceof RequestError ? limitWait(error, now()) : null;
      if (wait?.of === "all") await limits.close(installationId, wait.ms);
      if (wait?.of === "graphql") await graphqlLimits.close(installationId, wait.ms);
      throw error;
    });
    return octokit;
  }

  async function client(key: string, installationId: number, body: Readonly<Record<string, unknown>>): Promise<GitHub> {
    const cached = cache.get(key);
    if (cached !== undefined && cached.expiresAt - RENEW_BEFORE_MS > now()) return cached.client;
    const { data } = await mint(installationId, body);
    // For a token that was revoked early, as after a change of permissions: once.
    const renew = async () => {
      cache.delete(key);
      return (await mint(installationId, body)).data.token;
    };
    const fresh = newClient(data.token, installationId, renew);
    if (cache.size > 1_000) cache.clear();
    cache.set(key, { client: fresh, expiresAt: Date.parse(data.expires_at) });
    return fresh;
  }

  /** For one repository, named apart from its other clients. */
  const ofRepository =
    (name: string, permissions: Readonly<Record<string, "read" | "write">>) =>
    (installationId: number, { id }: Repo): Promise<GitHub> =>
      translated(() => client(`${installationId}/${id}${name}`, installationId, { repository_ids: [id], permissions }));
  const issues = ofRepository("/issues", ISSUE_PERMISSIONS);

  return {
    forRepository: ofRepository("", REVIEW_PERMISSIONS),
    forChecks: ofRepository("/checks", CHECK_PERMISSIONS),
    forCodeScanning: ofRepository("/scans", SCAN_PERMISSIONS),
    forIssues: (installationId, repo) => unlessOutOfReach(() => issues(installationId, repo)),
    forReading: (installationId, repo, what = "contents") =>
      unlessOutOfReach(async () => {
        const { data } = await mint(installationId, {
          repository_ids: [repo.id],
          permissions: what === "contents" ? READ_PERMISSIONS : PAST_PERMISSIONS,
        });
        const name = data.repositories?.find(({ id }) => id === repo.id)?.full_name;
        return {
          github: newClient(data.token, installationId, null),
          name: name ?? `${repo.owner}/${repo.name}`,
        };
      }),
    forNames: (installationId) =>
      unlessOutOfReach(async () => {
        const { data } = await mint(installationId, { permissions: NAME_PERMISSIONS });
        return newClient(data.token, installationId, null);
      }),
    installationOf: async (repo) => {
      // Names of forgotten repositories are already deleted.
      if (repo.owner === "" || repo.name === "") return null;
      return unlessOutOfReach(async () => {
        const at = placeOf(repo);
        return (await app.request("GET /repos/{owner}/{repo}/installation", at)).data.id;
      });
    },
    forOwnersRepository: (installationId, repo, name) =>
      unlessOutOfReach(() =>
        client(`${installationId}/${repo.ownerId}/${name}`, installationId, {
          repositories: [name],
          permissions: READ_PERMISSIONS,
        }),
      ),
  };
}

/** 404 and 422: no such repository or installation, or the app is not installed on it. */
function unlessOutOfReach<T>(work: () => Promise<T>): Promise<T | null> {
  return translated(() => unlessStatus([404, 422], work));
}

// How long each installation must wait: here as soon as GitHub says so, elsewhere by the store.

/** Between two attempts to write to a store that does not answer. */
const AGAIN_MS = 250;

type InstallationLimits = Pick<InstallationPace, "closedFor" | "close">;

/**
 * The same limits, which hold in this process even without the store. A store that is down learns
 * them once it is back; `close` never fails because of it.
 */
export function installationLimits(store: InstallationLimits): InstallationLimits {
  /** On the monotonic clock. */
  const until = new Map<number, number>();
  const left = (id: number) => Math.max(0, (until.get(id) ?? 0) - performance.now());

  /** Retries later while the store does not answer. */
  async function save(id: number): Promise<void> {
    const forMs = left(id);
    try {
      if (forMs > 0) await store.close(id, forMs);
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      // Errors of a store that was closed meanwhile do not matter.
      setTimeout(() => save(id).catch(() => {}), AGAIN_MS).unref();
    }
  }

  return {
    async closedFor(id) {
      return left(id) || store.closedFor(id);
    },
    async close(id, forMs) {
      until.set(id, performance.now() + Math.max(left(id), forMs));
      await save(id);
    },
  };
}
