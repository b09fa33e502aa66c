// Where GitHub's API is, for the server, set-up, doctor and every verb.

/** GitHub Enterprise Cloud with data residency: docs.github.com, "About GitHub Enterprise Cloud with data residency". */
const DATA_RESIDENCY = ".ghe.com";

/**
 * The base address of a host's REST API; GraphQL's is found from it.
 *
 * @param host lower case: `github.com`, `SUBDOMAIN.ghe.com`, or a GitHub Enterprise Server's
 * @param protocol of an Enterprise Server, which may stand in one's own network
 */
export function apiUrlOf(host: string, protocol: "http" | "https" = "https"): string {
  if (host === "github.com" || host.endsWith(DATA_RESIDENCY)) return `https://api.${host}`;
  return `${protocol}://${host}/api/v3`;
}

// Where GitHub sends a browser back to after a login, below the dashboard's address: known to the App, the dashboard and set-up.

/** Path, without query. */
export const LOGIN_CALLBACK = "/login/github/callback";

/** Where the dashboard is without KODIAI_DASHBOARD_URL, for whoever sits at the machine or comes through `ssh -L`. */
export function localDashboard(adminPort: number): string {
  return `http://127.0.0.1:${adminPort}`;
}
