// Wires `kodiai retract`: as the App if its credentials are set, otherwise with a person's
// token.

import type { Octokit } from "@octokit/rest";
import { appSlug } from "../../adapters/github/app-registration.ts";
import { appClient } from "../../adapters/github/quiet-octokit.ts";
import { repoOf } from "../../adapters/github/requests.ts";
import { githubRetractions } from "../../adapters/github/write/retractions.ts";
import { gatedFetch } from "../../adapters/github/write/write-gate.ts";
import { unheldWrites } from "../../adapters/github/write/write-path.ts";
import { readEnv } from "../../config/environment/env.ts";
import { apiUrlFor, usualHost } from "../../config/environment/github-address.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import { storePlace } from "../../environment/data-dir.ts";
import { privateKeyOf } from "../../environment/private-key.ts";
import { readServersEnv } from "../../environment/server-folder.ts";
import type { RetractPorts } from "../../flows/review/retract-review.ts";
import { githubFetch } from "../egress.ts";
import { personsClient } from "../github.ts";
import { withEmbedder } from "./memory-ports.ts";
import { openForReading } from "./store.ts";

export interface RetractWords {
  /** Null: the host from the environment. */
  readonly host: string | null;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly dataDir: string | undefined;
}

/** Throws a UsageError without credentials, and an Error when GitHub does not know the repository. */
export async function retractVerbPorts(
  words: RetractWords,
): Promise<RetractPorts & { readonly repo: Repo; readonly close: () => void }> {
  const unread = readServersEnv(words.dataDir);
  if (unread !== null) process.stderr.write(`kodiai retract: ${unread}\n`);
  const { APP_ID, GITHUB_TOKEN } = process.env;
  if (!APP_ID && !GITHUB_TOKEN) {
    throw new UsageError("set the App's credentials as for the server (APP_ID …), or GITHUB_TOKEN");
  }
  const { github, botLogin, host } = APP_ID ? await asApp(words) : asPerson(words, GITHUB_TOKEN ?? "");
  const { data } = await github.rest.repos.get({ owner: words.owner, repo: words.name });
  const retractions = githubRetractions(github, botLogin, unheldWrites());
  const place = storePlace(words.dataDir);
  // Creates no file.
  const store = await openForReading(place);
  const remembered = store && (await withEmbedder(store, place));
  return { repo: repoOf(host, data), retractions, remembered, close: () => void store?.close() };
}

async function asApp(words: RetractWords) {
  const read = readEnv(process.env);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const { appId, githubApiUrl, githubHost } = read.env;
  if (words.host !== null && words.host !== githubHost) {
    throw new UsageError(`this App lives on ${githubHost}, not on ${words.host}`);
  }
  const app = appClient({ appId, privateKey: privateKeyOf(read.env) }, githubApiUrl, githubFetch(githubApiUrl));
  const botLogin = `${await appSlug(app)}[bot]`;
  const where = { owner: words.owner, repo: words.name };
  const { data: installation } = await app.rest.apps.getRepoInstallation(where);
  const minted = await app.rest.apps.createInstallationAccessToken({
    installation_id: installation.id,
    repositories: [words.name],
    permissions: { metadata: "read", pull_requests: "write" },
  });
  return { github: clientOf(minted.data.token, githubApiUrl), botLogin, host: githubHost };
}

function asPerson(words: RetractWords, token: string) {
  const host = words.host ?? usualHost();
  return { github: clientOf(token, apiUrlFor(host)), botLogin: "kodiai[bot]", host };
}

function clientOf(token: string, apiUrl: string): Octokit {
  return personsClient(token, apiUrl, gatedFetch(githubFetch(apiUrl)));
}
