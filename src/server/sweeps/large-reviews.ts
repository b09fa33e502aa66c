// Limits how many reviews of large changes run at once: they need much memory. A job above the
// limit goes back to the queue, so that no worker idles.

import type { Changes } from "../../domain/changes.ts";
import { AtCapacity } from "../../domain/errors.ts";
import type { PullRequests } from "../../ports.ts";

/** From so many lines or files on: parsed, with its texts, a change takes 20 MB or more. */
const LARGE_LINES = 10_000;
const LARGE_FILES = 500;
const AT_ONCE = 2;

export type LargeReviews = ReturnType<typeof largeReviews>;

export function largeReviews(atOnce: number = AT_ONCE) {
  let free = atOnce;
  return {
    hasCapacity: () => free > 0,
    /** Reading a large change throws AtCapacity above the limit; `done` frees the slot. */
    admit(pulls: PullRequests): { readonly pulls: PullRequests; readonly done: () => void } {
      let holds = false;
      return {
        pulls: {
          ...pulls,
          async changes(repo, pull, isWanted) {
            const changes = await pulls.changes(repo, pull, isWanted);
            if (holds || !isLarge(changes)) return changes;
            if (free === 0) throw new AtCapacity();
            free -= 1;
            holds = true;
            return changes;
          },
        },
        done() {
          if (holds) free += 1;
          holds = false;
        },
      };
    },
  };
}

function isLarge(changes: Changes): boolean {
  if (changes.kind !== "listing") return true;
  const lines = changes.files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  return changes.files.length >= LARGE_FILES || lines >= LARGE_LINES;
}
