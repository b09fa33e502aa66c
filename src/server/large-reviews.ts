// Reviews of large changes hold much in memory, from the moment in which their texts are read to their end: a process has room for
// two at a time. Whoever finds none gives the job back, so that no worker waits idle.
import { NoRoom } from "../domain/errors.ts";
import type { Changes, PullRequests } from "../ports.ts";

/** From so many changed lines, or files, on a change is large: parsed, and with its texts, it takes some 20 MB and more. */
const LARGE_LINES = 10_000;
const LARGE_FILES = 500;
const AT_ONCE = 2;

export interface LargeReviews {
  hasRoom(): boolean;
  /** One review's way of reading its pull request, which throws NoRoom for a large change while there is none; `done` ends it. */
  admit(pulls: PullRequests): { readonly pulls: PullRequests; readonly done: () => void };
}

export function largeReviews(atOnce: number = AT_ONCE): LargeReviews {
  let free = atOnce;
  return {
    hasRoom: () => free > 0,
    admit(pulls) {
      let holds = false;
      return {
        pulls: {
          ...pulls,
          async changes(repo, pull) {
            const changes = await pulls.changes(repo, pull);
            if (holds || !isLarge(changes)) return changes;
            if (free === 0) throw new NoRoom();
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
