// What a clone is called in memory: the same wherever, however deep, whatever is merged.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { Repo } from "../../domain/job.ts";
import { gitText } from "./git.ts";

/** At least one, the preferred one first. */
export type CloneIdentities = readonly [Repo, ...Repo[]];

/**
 * The names under which memory may know a clone, the preferred one first: the address of its remote
 * `origin`; its first commit along first parents, which no merge changes; other first commits;
 * without any of them its folder. A folder as `origin` comes after the commits, since it has them
 * too, and is usually a copy of the user's own. A shallow clone's first commits are not known.
 *
 * @param head a commit to start from where HEAD has none
 */
export async function cloneIdentities(cwd: string, head: string): Promise<CloneIdentities> {
  const top = await gitText(cwd, ["rev-parse", "--show-toplevel"]).catch(() => cwd);
  const url = await gitText(cwd, ["remote", "get-url", "origin"]).catch(() => "");
  const origin = normalAddress(url);
  const roots = await firstCommits(cwd, head);
  const named = ["local", basename(top)] as const;
  const byCommit = roots.map((root) => identity(root, named));
  const isRemote = isNetworkAddress(url);
  const byOrigin = origin === null ? [] : [identity(origin, isRemote ? namesOf(origin) : named)];
  const all = isRemote ? [...byOrigin, ...byCommit] : [...byCommit, ...byOrigin];
  const [first = identity(top, named), ...others] = all;
  return [first, ...others];
}

/** The one of them that memory knows, else the preferred one. */
export function knownIdentity(identities: CloneIdentities, known: readonly Repo[]): Repo {
  const isKnown = (repo: Repo) => known.some(({ host, id }) => host === repo.host && id === repo.id);
  return identities.find(isKnown) ?? identities[0];
}

async function firstCommits(cwd: string, head: string): Promise<readonly string[]> {
  const isShallow = await gitText(cwd, ["rev-parse", "--is-shallow-repository"]).catch(() => "true");
  if (isShallow === "true") return [];
  const from = async (...words: readonly string[]) => {
    const roots = (revision: string) => gitText(cwd, ["rev-list", "--max-parents=0", ...words, revision, "--"]);
    const found = await roots("HEAD").catch(() => roots(head).catch(() => ""));
    return found.split("\n").filter((line) => line !== "");
  };
  const all = await from();
  return all.length < 2 ? all : [...new Set([...(await from("--first-parent")), ...all])];
}

/** An address as `host/owner/name`, without scheme, user, port and `.git`; null for none. */
function normalAddress(url: string): string | null {
  const path = url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "");
  if (path === "") return null;
  if (!isNetworkAddress(url)) return path.replace(/^file:\/\//, "");
  const [, host = "", rest = ""] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::\d+(?=\/))?[:/]+(.*)$/is.exec(path) ?? [];
  return `${host}/${rest}`.toLowerCase();
}

/** `https://…`, `ssh://…`, `user@host:path`: anything but a folder. A drive letter is a folder. */
function isNetworkAddress(url: string): boolean {
  return !/^file:/i.test(url) && /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:[^@/:]+@)?[^/:]{2,}:)/i.test(url);
}

/** Owner and name, for display. */
function namesOf(address: string): readonly [string, string] {
  const parts = address.split(/[/\\]/).filter((part) => part !== "");
  return [parts.length > 2 ? (parts.at(-2) ?? "local") : "local", parts.at(-1) ?? "local"];
}

function identity(mark: string, [owner, name]: readonly [string, string]): Repo {
  const hash = createHash("sha256").update(mark);
  const id = Number.parseInt(hash.digest("hex").slice(0, 12), 16);
  return { host: "local", id, ownerId: 0, owner, name, visibility: "private" };
}
