// The requests of `kodiai setup` to GitHub. `apiUrl` is always the base URL of its REST API.
import { readFile } from "node:fs/promises";
import type { Octokit } from "@octokit/rest";
import { convertManifest, registeredApp, setWebhook } from "../../adapters/github/app-registration.ts";
import { appClient, quietOctokit } from "../../adapters/github/quiet-octokit.ts";
import { type AppDescription, appDescription } from "../../config/environment/app-manifest.ts";
import type { AppCredentials, FreshApp, RegisteredApp } from "../../ports/registration.ts";
import { githubFetch } from "../egress.ts";
import { registerSecrets } from "../secrets.ts";

/** Part of the package: three folders up, in the source and in the build. */
const APP_YML = new URL("../../../app.yml", import.meta.url);

export async function readAppYml(): Promise<AppDescription> {
  return appDescription(await readFile(APP_YML, "utf8"));
}

export async function createdApp(code: string, apiUrl: string): Promise<FreshApp> {
  const app = await convertManifest(quietOctokit(apiUrl, githubFetch(apiUrl)), code);
  registerSecrets(app.privateKey, app.webhookSecret, app.clientSecret);
  return app;
}

function signedIn(credentials: AppCredentials, apiUrl: string): Octokit {
  registerSecrets(credentials.privateKey);
  return appClient(credentials, apiUrl, githubFetch(apiUrl));
}

export function signedInApp(credentials: AppCredentials, apiUrl: string): Promise<RegisteredApp> {
  return registeredApp(signedIn(credentials, apiUrl));
}

export function changeWebhook(
  credentials: AppCredentials,
  hook: { readonly url?: string; readonly secret?: string },
  apiUrl: string,
): Promise<void> {
  return setWebhook(signedIn(credentials, apiUrl), hook);
}
