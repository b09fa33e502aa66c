// The address of GitHub's API, for the server and every command.
import { UsageError } from "../usage-error.ts";
import { endpointProblem } from "./env-forms.ts";

/** docs.github.com, "About GitHub Enterprise Cloud with data residency". */
const DATA_RESIDENCY = ".ghe.com";

/**
 * The base of a host's REST API.
 *
 * @param host `github.com`, `SUBDOMAIN.ghe.com`, or a server's
 * @param protocol of an Enterprise Server, which may be in a private network
 */
export function apiUrlOf(host: string, protocol: "http" | "https" = "https"): string {
  if (host === "github.com" || host.endsWith(DATA_RESIDENCY)) return `https://api.${host}`;
  return `${protocol}://${host}/api/v3`;
}

/**
 * The API of a host. GITHUB_API_URL, which GitHub Actions sets, applies only to its own host: one
 * GitHub's token is never sent to another. @throws UsageError
 */
export function apiUrlFor(host: string): string {
  const { GITHUB_API_URL: apiUrl = "", GITHUB_SERVER_URL: serverUrl = "https://github.com" } = process.env;
  if (apiUrl === "" || URL.parse(serverUrl)?.host !== host.toLowerCase()) return apiUrlOf(host);
  const problem = endpointProblem(apiUrl, []);
  if (problem !== null) throw new UsageError(`GITHUB_API_URL ${problem}`);
  return apiUrl.replace(/\/+$/, "");
}

const ON_GITHUB = /^(?:https?:\/\/([^/\s]{1,250})\/)?([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/;

/** OWNER/NAME or its address; without a host, on GITHUB_SERVER_URL. @throws UsageError */
export function namedRepository(word: string) {
  const match = ON_GITHUB.exec(word);
  if (match === null) throw new UsageError(`${JSON.stringify(word)} is not OWNER/NAME`);
  const [, host, owner = "", name = ""] = match;
  const usual = URL.parse(process.env.GITHUB_SERVER_URL ?? "")?.host ?? "github.com";
  return { host: host?.toLowerCase() ?? usual, owner, name };
}

// Where GitHub redirects a browser after a login, below the dashboard's address.

/** Path, without query. */
export const LOGIN_CALLBACK = "/login/github/callback";

/** The dashboard's address without KODIAI_DASHBOARD_URL: at the machine, or through `ssh -L`. */
export function localDashboard(adminPort: number): string {
  return `http://127.0.0.1:${adminPort}`;
}
