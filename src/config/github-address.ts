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
