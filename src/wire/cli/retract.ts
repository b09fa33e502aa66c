// Wires `kodiai retract`, the only verb that writes to GitHub: as the App if its credentials are set, otherwise with a person's
// token.

import type { Octokit } from "@octokit/rest";
import { appClient, appSlug } from "../../adapters/github/app-slug.ts";
import { githubRetractions } from "../../adapters/github/retractions.ts";
import { gatedFetch } from "../../adapters/github/write-gate.ts";
import { unheldWrites } from "../../adapters/github/write-path.ts";
import { apiUrlFor } from "../../cli/api-url.ts";
import { storePlace } from "../../cli/data-dir.ts";
import { usualHost } from "../../cli/find-repository.ts";
import { readServersEnv } from "../../cli/server-folder.ts";
import { UsageError } from "../../cli/usage.ts";
import { readEnv } from "../../config/env.ts";
import type { Repo } from "../../domain/job.ts";
import type { RetractPorts } from "../../flows/review/retract-review.ts";
import type { Retractions } from "../../ports/checks.ts";
import { privateKeyOf } from "../../server/private-key.ts";
import { githubFetch } from "../egress.ts";
import { personsClient, repoFrom } from "../github.ts";
import { withEmbedder } from "./memory.ts";
import { openForReading } from "./store.ts";

/** The pull request whose review is taken back. */
export interface RetractWords {
  /** Null: the host from the environment. */
  readonly host: string | null;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly dataDir: string | undefined;
}

interface SignedIn {
  readonly repo: Repo;
  readonly retractions: Retractions;
}

/**
 * Ports of the verb.
 *
 * @throws UsageError without credentials; Error when GitHub does not know the repository
 */
export async function retractVerbPorts(
  words: RetractWords,
): Promise<RetractPorts & SignedIn & { readonly close: () => void }> {
  const unread = readServersEnv(words.dataDir);
  if (unread !== null) process.stderr.write(`kodiai retract: ${unread}\n`);
  const { APP_ID, GITHUB_TOKEN } = process.env;
  if (!APP_ID && !GITHUB_TOKEN) {
    throw new UsageError("set the App's credentials as for the server (APP_ID …), or GITHUB_TOKEN");
  }
  const signedIn = await (APP_ID ? asApp(words) : asPerson(words, GITHUB_TOKEN ?? ""));
  return { ...signedIn, ...(await memoryAt(storePlace(words.dataDir))) };
}

async function asApp(words: RetractWords): Promise<SignedIn> {
  const read = readEnv(process.env);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const { appId, githubApiUrl, githubHost } = read.env;
  if (words.host !== null && words.host !== githubHost) {
    throw new UsageError(`this App lives on ${githubHost}, not on ${words.host}`);
  }
  const credentials = { appId, privateKey: privateKeyOf(read.env) };
  const fetch = githubFetch(githubApiUrl);
  const app = appClient(credentials, githubApiUrl, fetch);
  const botLogin = `${await appSlug(app)}[bot]`;
  const where = { owner: words.owner, repo: words.name };
  const { data: installation } = await app.rest.apps.getRepoInstallation(where);
  const minted = await app.rest.apps.createInstallationAccessToken({
    installation_id: installation.id,
    repositories: [words.name],
    permissions: { metadata: "read", pull_requests: "write" },
  });
  const github = clientOf(minted.data.token, githubApiUrl);
  return {
    repo: await repoOf(github, words, githubHost),
    retractions: githubRetractions(github, botLogin, unheldWrites()),
  };
}

async function asPerson(words: RetractWords, token: string): Promise<SignedIn> {
  const host = words.host ?? usualHost();
  const github = clientOf(token, apiUrlFor(host));
  return {
    repo: await repoOf(github, words, host),
    retractions: githubRetractions(github, "kodiai[bot]", unheldWrites()),
  };
}

function clientOf(token: string, apiUrl: string): Octokit {
  return personsClient(token, apiUrl, gatedFetch(githubFetch(apiUrl)));
}

async function repoOf(github: Octokit, { owner, name }: RetractWords, host: string): Promise<Repo> {
  const { data } = await github.rest.repos.get({ owner, repo: name });
  return repoFrom(host, data);
}

/** Creates no file. */
async function memoryAt(place: string): Promise<Pick<RetractPorts, "remembered"> & { readonly close: () => void }> {
  const store = await openForReading(place);
  return { remembered: store && (await withEmbedder(store, place)), close: () => void store?.close() };
}
