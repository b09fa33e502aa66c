// The address of GitHub's API, for the server and every command.

/** GitHub Enterprise Cloud with data residency: docs.github.com, "About GitHub Enterprise Cloud with data residency". */
const DATA_RESIDENCY = ".ghe.com";

/**
 * The base address of a host's REST API, from which GraphQL's follows.
 *
 * @param host lower case: `github.com`, `SUBDOMAIN.ghe.com`, or a GitHub Enterprise Server's
 * @param protocol of an Enterprise Server, which may be in a private network
 */
export function apiUrlOf(host: string, protocol: "http" | "https" = "https"): string {
  if (host === "github.com" || host.endsWith(DATA_RESIDENCY)) return `https://api.${host}`;
  return `${protocol}://${host}/api/v3`;
}

// Where GitHub redirects a browser after a login, below the dashboard's address: shared by the App, the dashboard and set-up.

/** Path, without query. */
export const LOGIN_CALLBACK = "/login/github/callback";

/** The dashboard's address without KODIAI_DASHBOARD_URL, for people at the machine or behind `ssh -L`. */
export function localDashboard(adminPort: number): string {
  return `http://127.0.0.1:${adminPort}`;
}
