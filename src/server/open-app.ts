// What both processes of a server open: the store, and GitHub as the App.

import { archiveFetch, githubFetch } from "../wire/egress.ts";
import { githubAsApp } from "../wire/github.ts";
import { passwordIn, registerSecrets, withoutSecretsTaken } from "../wire/secrets.ts";
import { openStore, type Store, type StoreSettings } from "../wire/store.ts";
import type { AppOptions } from "./app-options.ts";
import type { Metrics } from "./metrics.ts";
import { answerClock, countedStore } from "./metrics.ts";

/** Registers the secrets of the settings: nothing stored, logged or sent may hold one. */
export function registerOwnSecrets({ privateKey, webhookSecret, formerSecret, databaseUrl }: AppOptions): void {
  const password = databaseUrl ? passwordIn(databaseUrl) : null;
  registerSecrets(privateKey, webhookSecret, formerSecret?.secret ?? null, password);
}

/**
 * The store as configured. Throws as openStore does.
 *
 * @param more what differs between the two processes
 */
export async function openedStore(
  options: AppOptions,
  metrics: Metrics,
  more: Pick<StoreSettings, "isChecked" | "instance" | "epoch"> = {},
): Promise<Store> {
  const { dataDir, databaseUrl = null, memory, searchMemoryBytes, waits, log } = options;
  const limits = searchMemoryBytes ? { memoryBytes: searchMemoryBytes } : {};
  const onExposed = (reason: string) =>
    log.info({ reason }, "other users can list the data folder, but read no file in it");
  const exposing = more.isChecked === true ? { onExposed } : {};
  const settings = { ...limits, silentMs: waits?.silentMs, dataDir, ...more, ...memory, ...exposing };
  return countedStore(withoutSecretsTaken(await openStore(databaseUrl ?? dataDir, settings)), metrics);
}

/**
 * GitHub as the App. For `sinceAnsweredMs` see answerClock.
 *
 * @param slug the App's own name, without `[bot]`
 */
export function appGitHub(options: AppOptions, store: Pick<Store, "pace">, slug: string) {
  const { log, apiUrl, pace, privateKey, waits, dryRun } = options;
  const { fetch, sinceAnsweredMs } = answerClock(githubFetch(apiUrl, waits?.deadlineMs));
  const github = githubAsApp(options, {
    apiUrl,
    fetch,
    archives: archiveFetch(apiUrl),
    botLogin: `${slug}[bot]`,
    pace,
    onUnposted: dryRun ? (unposted) => log.info(unposted, "dry run: not posted") : null,
    onUnrecorded: (error) => log.warn({ err: error }, "a retrieval could not be logged"),
    limits: store.pace,
    markerSecret: privateKey,
    settledMs: waits?.settledMs ?? null,
    onLost: ({ kind, repo, number }, found) =>
      log.warn({ kind, repo: repo.id, number, found }, "write response lost; reconciled with GitHub"),
  });
  return { github, sinceAnsweredMs };
}
