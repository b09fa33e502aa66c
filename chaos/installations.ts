// Installations of the App as GitHub enforces them: removed, suspended, or with a repository
// transferred to another owner. The fake knows removed repositories; this module decides about
// whole installations, before the fake is asked.
import type { Repository } from "../test/fakes/github/conversation.ts";
import { isRead } from "./request-method.ts";
import type { Answer } from "./scripted-response.ts";

/** `reads`: contents. `writes`: pull requests. `all`: both. */
export const PERMISSIONS = ["reads", "writes", "all"] as const;
type Permission = (typeof PERMISSIONS)[number];

export interface Desk {
  /** The App is taken away from an owner, for ever. */
  uninstall(installation: number): void;
  suspend(installation: number): void;
  unsuspend(installation: number): void;
  /** A permission is taken from an installation. */
  forbid(installation: number, permission: Permission): void;
  /** And given back. */
  allow(installation: number): void;
  isForbidden(repository: Pick<Repository, "owner">): boolean;
  /** One repository is taken out of its installation, for ever. */
  remove(repository: number): void;
  /** Whether GitHub still delivers its events to the App. */
  receives(installation: number | null, repository: number | null): boolean;
  isRemoved(repository: Pick<Repository, "id" | "owner">): boolean;
  /** GitHub's refusal; null where the request may pass. */
  refusal(asked: {
    readonly method: string;
    readonly path: string;
    readonly text: string;
    /** Whose token it carries. */
    readonly installation: number | null;
    /** That the path names. */
    readonly repository: Pick<Repository, "id" | "owner"> | null;
  }): Answer | null;
  /** The current list of installations. */
  shown(path: string, answer: Answer): Answer;
}

export interface DeskOptions {
  /** Installation id by owner. */
  readonly installations: ReadonlyMap<string, number>;
  /** By id, wherever it lives by now. */
  readonly repository: (id: number) => Pick<Repository, "id" | "owner"> | null;
}

export function openDesk({ installations, repository }: DeskOptions): Desk {
  const suspended = new Set<number>();
  const uninstalled = new Set<number>();
  const removed = new Set<number>();
  const forbidden = new Map<number, Permission>();
  const ofOwner = (owner: string) => installations.get(owner) ?? 0;
  const isRemoved = ({ id, owner }: Pick<Repository, "id" | "owner">) =>
    removed.has(id) || uninstalled.has(ofOwner(owner));

  function mint(id: number, text: string): Answer | null {
    if (uninstalled.has(id)) return NOT_FOUND;
    if (suspended.has(id)) return SUSPENDED;
    const { repository_ids: ids = [] } = JSON.parse(text || "{}") as { repository_ids?: readonly number[] };
    const isElsewhere = (one: number) => {
      const found = repository(one);
      return found === null || ofOwner(found.owner) !== id || removed.has(one);
    };
    return ids.some(isElsewhere) ? NO_SUCH_REPOSITORY : null;
  }

  function isRefused(installation: number, method: string, path: string): boolean {
    const permission = forbidden.get(installation);
    if (permission === undefined || !path.startsWith("/repos/")) return false;
    const isContents = /^\/repos\/[^/]+\/[^/]+\/(?:contents|git|compare|commits)\b/.test(path);
    const isWrite = !isRead(method) && !path.includes("/check-runs");
    return permission === "all" || (permission === "reads" ? isContents : isWrite);
  }

  return {
    forbid: (installation, permission) => void forbidden.set(installation, permission),
    allow: (installation) => void forbidden.delete(installation),
    isForbidden: ({ owner }) => forbidden.has(ofOwner(owner)),
    uninstall: (installation) => void uninstalled.add(installation),
    suspend: (installation) => void suspended.add(installation),
    unsuspend: (installation) => void suspended.delete(installation),
    remove: (id) => void removed.add(id),
    receives: (installation, id) =>
      (installation === null || !(uninstalled.has(installation) || suspended.has(installation))) &&
      (id === null || !removed.has(id)),
    isRemoved,
    refusal({ method, path, text, installation, repository: named }) {
      const minted = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path)?.[1];
      if (minted !== undefined) return mint(Number(minted), text);
      const looked = /^\/app\/installations\/(\d+)$/.exec(path)?.[1];
      if (looked !== undefined) return uninstalled.has(Number(looked)) ? NOT_FOUND : null;
      if (installation !== null && uninstalled.has(installation)) return BAD_TOKEN;
      if (installation !== null && suspended.has(installation)) return SUSPENDED;
      if (named !== null && isRemoved(named)) return NOT_FOUND;
      return installation !== null && isRefused(installation, method, path) ? NOT_ACCESSIBLE : null;
    },
    shown(path, answer) {
      if (path !== "/app/installations" || answer.status !== 200) return answer;
      const listed = JSON.parse(answer.body.toString()) as readonly { readonly id: number }[];
      const standing = listed
        .filter(({ id }) => !uninstalled.has(id))
        .map((one) => (suspended.has(one.id) ? { ...one, suspended_at: "2026-01-01T00:00:00Z" } : one));
      return { ...answer, body: Buffer.from(JSON.stringify(standing)) };
    },
  };
}

const NOT_FOUND = reported(404, "Not Found");
const BAD_TOKEN = reported(401, "Bad credentials");
const NOT_ACCESSIBLE = reported(403, "Resource not accessible by integration");
const SUSPENDED = reported(403, "This installation has been suspended");
const NO_SUCH_REPOSITORY = reported(422, "There is at least one repository that does not exist or is not accessible.");

function reported(status: number, message: string): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify({ message })),
  };
}
