// Which addresses the operator may configure: https, or plain http where the traffic cannot be intercepted.

/**
 * Why an address must not be used, or null when it may. Plain http is for loopback and for hosts that the operator
 * listed in KODIAI_ALLOW_HTTP_HOSTS. The reason never holds the address, which may contain a password.
 *
 * @param allowHttpHosts lower-case host names, with `:port` where only that port is meant
 */
export function endpointProblem(address: string, allowHttpHosts: readonly string[]): string | null {
  const url = URL.parse(address);
  if (url === null) return "must be a whole address such as https://github.example.com/api/v3";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  if (url.search !== "" || url.hash !== "") return "must not hold a `?` or `#`";
  if (url.protocol === "https:") return null;
  if (url.protocol !== "http:") return "must begin with https://";
  const isListed = allowHttpHosts.includes(url.hostname) || allowHttpHosts.includes(url.host);
  return isListed || isLoopback(url.hostname)
    ? null
    : "must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS";
}

/** The same for an address that must have no path, such as that of the dashboard. */
export function originProblem(address: string): string | null {
  const problem = endpointProblem(address, []);
  return problem ?? (/^https?:\/\/[^/]+\/*$/.test(address) ? null : "must be without a path: https://HOST");
}

/** @param hostname as the URL parser gives it, which turns forms such as 0x7f000001 into dotted numbers */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
