import { endpointProblem } from "../config/endpoint-problem.ts";
import { UsageError } from "./usage.ts";

/**
 * GITHUB_API_URL, as GitHub Actions sets it, where it belongs to this host: the token of one GitHub is never sent to
 * another. Undefined for the host's usual address.
 */
export function apiUrlFor(host: string): string | undefined {
  const { GITHUB_API_URL: apiUrl = "", GITHUB_SERVER_URL: serverUrl = "https://github.com" } = process.env;
  if (apiUrl === "" || URL.parse(serverUrl)?.host !== host.toLowerCase()) return undefined;
  const problem = endpointProblem(apiUrl, []);
  if (problem !== null) throw new UsageError(`GITHUB_API_URL ${problem}`);
  return apiUrl.replace(/\/+$/, "");
}
