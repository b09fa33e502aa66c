// Joins the import of past reviews to its ports: for the server over the App's tokens, for the command line over a person's.
import { Octokit } from "@octokit/rest";
import type { Clients } from "../adapters/github/clients.ts";
import { githubPastReviews } from "../adapters/github/past-reviews.ts";
import { translated } from "../adapters/github/translate-error.ts";
import type { Repo } from "../domain/job.ts";
import type { HistoryFollowing } from "../flows/repository/follow-history.ts";
import type { PastReviews } from "../ports/history.ts";
import { githubFetch } from "./egress.ts";

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
