// A check run as every store keeps it: its row, and what the book of writes tells of one that never came into the book of checks.
import type { CheckEnd } from "../domain/check.ts";
import type { BegunCheck, KeptCheck } from "../ports/checks.ts";
import type { Post, Wanted } from "../ports/writes.ts";

/** `repo` and `ending` are JSON. */
export interface CheckRow extends Omit<BegunCheck, "repo"> {
  readonly repo: string;
  readonly ending: string | null;
  readonly endedAt: number | null;
}

export function keptCheck({ repo, ending, endedAt, id, key, headSha, installationId, failOn }: CheckRow): KeptCheck {
  return {
    ...{ id, key, headSha, installationId, failOn },
    repo: JSON.parse(repo) as KeptCheck["repo"],
    isOpen: endedAt === null,
    end: ending === null ? null : (JSON.parse(ending) as CheckEnd),
  };
}

/** Rows of check runs live longer than this: a check that has ended long ago is not begun again. */
export const UNWRITTEN_MS = 7 * 24 * 60 * 60_000;

/** What was written of the creation of a check run; `wanted` and `post` are JSON. */
export interface UnwrittenRow {
  readonly key: string;
  readonly wanted: string;
  readonly post: string;
  readonly endedAt: number;
}

/**
 * A check run of which GitHub alone knows: the answer to its creation was lost, or the process died between it and the book, and the
 * job then went another way.
 */
export function unwrittenCheck({ key, wanted, post }: UnwrittenRow): BegunCheck {
  const { repo, installationId, headSha } = JSON.parse(wanted) as Wanted;
  const { id } = JSON.parse(post) as Post;
  // How strict it was to be was lost with the answer: it fails rather than lets a required check pass unjudged.
  return { id, key, repo, installationId, headSha, failOn: "minor" };
}
