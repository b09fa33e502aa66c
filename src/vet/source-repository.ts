// A package's source repository on the GitHub that we use, from addresses that others wrote. No other host is read.

import type { Repo } from "../domain/job.ts";

type SourceRepository = Pick<Repo, "owner" | "name">;

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
/** Pages of github.com that look like an owner. */
const NO_OWNERS = new Set(["advisories", "apps", "orgs", "sponsors", "marketplace", "topics", "settings", "features"]);

/**
 * The first of the addresses that names a repository on `host`; failing that, the repository in the package's name (an
 * action, a Go module on GitHub).
 *
 * @param host of the GitHub in use: `github.com`, or an Enterprise Server
 */
export function sourceRepository(
  named: { readonly name: string; readonly ecosystem: string | null },
  links: readonly (string | null)[],
  host: string,
): SourceRepository | null {
  for (const link of links) {
    const found = link === null ? null : fromAddress(link, host);
    if (found !== null) return found;
  }
  if (host !== "github.com") return null;
  if (named.ecosystem === "github-actions") return fromPath(named.name);
  return named.name.startsWith("github.com/") ? fromPath(named.name.slice("github.com/".length)) : null;
}

/** Renovate writes redirect.github.com, so that no back reference is made. */
function fromAddress(link: string, host: string): SourceRepository | null {
  const match = /^(?:git\+)?https:\/\/([A-Za-z0-9.-]{1,253})\/([^\s?#]{1,400})/.exec(link);
  const at = match?.[1]?.toLowerCase() ?? "";
  const isHost = at === host || (host === "github.com" && (at === "redirect.github.com" || at === "www.github.com"));
  return isHost ? fromPath(match?.[2] ?? "") : null;
}

function fromPath(path: string): SourceRepository | null {
  const [owner = "", last = ""] = path.split("/");
  const name = last.replace(/\.git$/, "");
  return OWNER.test(owner) && NAME.test(name) && !NO_OWNERS.has(owner.toLowerCase()) ? { owner, name } : null;
}
