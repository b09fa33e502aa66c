import { endpointProblem } from "../config/environment/env-forms.ts";
import { apiUrlOf } from "../config/environment/github-address.ts";
import { UsageError } from "./usage.ts";

/**
 * The API of a host. GITHUB_API_URL, which GitHub Actions sets, applies only to its own host: one GitHub's token is never sent to
 * another.
 *
 * @throws UsageError
 */
export function apiUrlFor(host: string): string {
  const { GITHUB_API_URL: apiUrl = "", GITHUB_SERVER_URL: serverUrl = "https://github.com" } = process.env;
  if (apiUrl === "" || URL.parse(serverUrl)?.host !== host.toLowerCase()) return apiUrlOf(host);
  const problem = endpointProblem(apiUrl, []);
  if (problem !== null) throw new UsageError(`GITHUB_API_URL ${problem}`);
  return apiUrl.replace(/\/+$/, "");
}
