// A person's access to a repository, checked each time: `author_association` is a hint only.
import { LRUCache } from "lru-cache";
import { ACCESS_LEVELS, type AccessLevel, hasAccess } from "../../../domain/command.ts";
import type { Repo } from "../../../domain/job.ts";
import type { Permissions } from "../../../ports/conversation.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, unlessStatus } from "../requests.ts";

/** A minute: whoever has no access costs few requests, and does not wait long to gain it. */
const DENIED = { max: 10_000, ttl: 60_000 };

/** People whom GitHub denied access a moment ago. */
export function newDenials(): LRUCache<string, AccessLevel> {
  return new LRUCache(DENIED);
}

/**
 * For one repository's token.
 *
 * @param denials shared by the jobs of a process; access is never taken from it
 */
export function githubPermissions(github: GitHub, denials = newDenials()): Permissions {
  return {
    async of(repo, person) {
      try {
        return await accessOf(github, repo, person, denials);
      } catch {
        // 403, 5xx, no answer: access that GitHub did not confirm is not granted.
        return "none";
      }
    },
  };
}

/** For callers that can retry: a denial is `none`; throws as Octokit when GitHub cannot answer. */
export async function accessOf(
  github: GitHub,
  repo: Pick<Repo, "owner" | "name">,
  { id, login }: { readonly id: number; readonly login: string },
  denials = newDenials(),
): Promise<AccessLevel> {
  const key = `${repo.owner}/${repo.name} ${id} ${login}`;
  const denied = denials.get(key);
  if (denied !== undefined) return denied;
  const where = { ...placeOf(repo), username: login };
  const data = (await unlessStatus([404], () => github.rest.repos.getCollaboratorPermissionLevel(where)))?.data;
  // A login can change owners; the id of a comment's author cannot.
  const level = data?.user?.id === id ? levelOf(data.permission, data.role_name, data.user.permissions) : "none";
  if (!hasAccess(level, "triage")) denials.set(key, level);
  return level;
}

/** Undoes GitHub's folding of triage into read; a custom role counts as its base. */
function levelOf(permission: string, role: string, rights: { readonly triage?: boolean } | undefined): AccessLevel {
  const base = ACCESS_LEVELS.find((level) => level === permission) ?? "none";
  if (base === "read" && (role === "triage" || rights?.triage === true)) return "triage";
  return base;
}
