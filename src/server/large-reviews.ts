// Reviews of large changes hold much in memory, from the moment in which their texts are read to their end: so many of them are at
// work at once, and whoever comes later waits with nothing but the list of what changed.
import type { Changes, PullRequests } from "../ports.ts";

/** From so many changed lines, or files, on a change is large: parsed, and with its texts, it takes some 20 MB and more. */
const LARGE_LINES = 10_000;
const LARGE_FILES = 500;
const AT_ONCE = 2;

export interface LargeReviews {
  /**
   * One review's way of reading its pull request.
   *
   * @param signal aborted when nobody wants the review any more: it waits no longer then, and finds out by itself
   */
  admit(pulls: PullRequests, signal: AbortSignal): { readonly pulls: PullRequests; readonly done: () => void };
}

export function largeReviews(atOnce: number = AT_ONCE): LargeReviews {
  let free = atOnce;
  const waiting = new Set<() => void>();

  /** True when there is room, which then is taken; false when nobody waits for it any more. */
  async function room(signal: AbortSignal): Promise<boolean> {
    while (free === 0) {
      if (signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        waiting.add(go);
        signal.addEventListener("abort", go);
      });
    }
    if (signal.aborted) return false;
    free -= 1;
    return true;
  }

  return {
    admit(pulls, signal) {
      let holds = false;
      return {
        pulls: {
          ...pulls,
          async changes(repo, pull) {
            const changes = await pulls.changes(repo, pull);
            if (!holds && isLarge(changes)) holds = await room(signal);
            return changes;
          },
        },
        done() {
          if (!holds) return;
          holds = false;
          free += 1;
          // The one that has waited longest.
          for (const go of waiting) return go();
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
