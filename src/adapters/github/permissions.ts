// What a person may do in a repository, asked each time: `author_association` of a payload is a hint and no permission.
import { ACCESS_LEVELS, type AccessLevel } from "../../domain/command.ts";
import type { Permissions } from "../../ports-talk.ts";
import type { GitHub } from "./clients.ts";

/** Over one repository's token. */
export function githubPermissions(github: GitHub): Permissions {
  return {
    async of(repo, { id, login }) {
      try {
        const { data } = await github.rest.repos.getCollaboratorPermissionLevel({
          owner: repo.owner,
          repo: repo.name,
          username: login,
        });
        // A login can change hands; the id of whoever wrote the comment cannot.
        return data.user?.id === id ? levelOf(data.permission, data.role_name, data.user.permissions) : "none";
      } catch {
        // 404, 403, 5xx, no answer: nobody may do anything that GitHub did not confirm.
        return "none";
      }
    },
  };
}

/** `permission` folds maintain into write and triage into read; a custom role has a name of its own and counts as its base. */
function levelOf(permission: string, role: string, rights: { readonly triage?: boolean } | undefined): AccessLevel {
  const base = ACCESS_LEVELS.find((level) => level === permission) ?? "none";
  if (base === "read" && (role === "triage" || rights?.triage === true)) return "triage";
  return base;
}
