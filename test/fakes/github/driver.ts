// A client of the fake GitHub that behaves as the app does, for tests of the fake and of whatever
// talks to GitHub.
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { GitHubWorld } from "./github.ts";

/** Logs in as an installation (the default), as the App itself (`{}`), or with a token. */
export function octokit(
  world: GitHubWorld,
  auth: Record<string, unknown> | string = { installationId: 1001 },
): Octokit {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const { appId, privateKey } = world.appCredentials;
  const app = { appId, privateKey };
  const how = typeof auth === "string" ? { auth } : { authStrategy: createAppAuth, auth: { ...app, ...auth } };
  return new Octokit({ ...how, baseUrl: world.apiUrl, log: quiet });
}

export async function status(request: Promise<{ status: number }>): Promise<number> {
  try {
    return (await request).status;
  } catch (error) {
    return (error as { status?: number }).status ?? 0;
  }
}

/** The message and errors of a refused request. */
export async function refused(request: Promise<unknown>): Promise<{ status: number; errors: unknown }> {
  try {
    await request;
  } catch (error) {
    const { status: code, response } = error as { status: number; response?: { data?: { errors?: unknown } } };
    return { status: code, errors: response?.data?.errors };
  }
  throw new Error("the request was taken");
}
