// A person's access to a repository, checked each time: `author_association` of a payload is a hint and not a permission.
import { ACCESS_LEVELS, type AccessLevel } from "../../../domain/command.ts";
import type { Repo } from "../../../domain/job.ts";
import type { Permissions } from "../../../ports/conversation.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, unlessStatus } from "../requests.ts";

/** For one repository's token. */
export function githubPermissions(github: GitHub): Permissions {
  return {
    async of(repo, person) {
      try {
        return await accessOf(github, repo, person);
      } catch {
        // 403, 5xx, no answer: access that GitHub did not confirm is not granted.
        return "none";
      }
    },
  };
}

/** The same for callers that can retry: a denial is `none`, and when GitHub cannot answer this throws as Octokit does. */
export async function accessOf(
  github: GitHub,
  repo: Pick<Repo, "owner" | "name">,
  { id, login }: { readonly id: number; readonly login: string },
): Promise<AccessLevel> {
  const where = { ...placeOf(repo), username: login };
  const data = (await unlessStatus([404], () => github.rest.repos.getCollaboratorPermissionLevel(where)))?.data;
  // A login can change owners; the id of a comment's author cannot.
  return data?.user?.id === id ? levelOf(data.permission, data.role_name, data.user.permissions) : "none";
}

/** `permission` folds maintain into write and triage into read; a custom role has its own name and counts as its base. */
function levelOf(permission: string, role: string, rights: { readonly triage?: boolean } | undefined): AccessLevel {
  const base = ACCESS_LEVELS.find((level) => level === permission) ?? "none";
  if (base === "read" && (role === "triage" || rights?.triage === true)) return "triage";
  return base;
}
