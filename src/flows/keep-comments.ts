// Comments of the past, whichever way they were read -> memory: who may write is asked, threads are put together, and what
// became of their lines is looked up.

import type { Repo } from "../domain/job.ts";
import {
  countUp,
  type HistoryTally,
  type PastAuthor,
  type PastComment,
  type PastFates,
} from "../domain/memory/past-reviews.ts";
import type { PastReviews } from "../ports/history.ts";
import type { Embedder, Memory } from "../ports/memory.ts";
import { rememberThreads, threadsOf } from "./remember-threads.ts";
import { whoMayWrite } from "./who-may-write.ts";

export interface KeepingPorts {
  readonly past: PastReviews;
  readonly embedder: Embedder;
  /** Null remembers nothing and only counts. */
  readonly memory: Memory | null;
  readonly redact: (text: string) => Promise<string>;
}

/** Remembers comments that stand together, and adds to the tally. Throws Transient. */
export type KeepComments = (comments: readonly PastComment[], tally: HistoryTally) => Promise<HistoryTally>;

/** Pull requests of one run that are asked what became of a line: one request each. */
const MOST_ASKED_FIXES = 200;
const FIXES_CUT = "fixed code: not looked for on more than 200 pull requests of one run";

/** For one run: what was asked once is not asked again. */
export function commentKeeper(
  of: {
    readonly repo: Repo;
    /** Pull requests on which people still talk: nothing of them is remembered yet. */
    readonly open: ReadonlySet<number>;
    /** Our own account: `kodiai[bot]`; null when there is none. */
    readonly ownLogin: string | null;
  },
  { past, embedder, memory, redact }: KeepingPorts,
): KeepComments {
  const writers = whoMayWrite(past);
  const fixes = fixesOf(past);
  return async (comments, before) => {
    const { failed, ...fates } = await past.fates(pullsOfLines(comments, of.open));
    const mayWrite = await writers([...comments.map(({ author }) => author), ...decidersOf(comments, fates)]);
    const given = { ...of, mayWrite, patchesOf: fixes.patchesOf, redact, embedder, memory };
    const tally = await rememberThreads(threadsOf(comments, fates, mayWrite), before, given);
    const lacking = [...(failed === null ? [] : [failed]), ...fixes.cut()];
    return { ...tally, degraded: countUp(tally.degraded, lacking) };
  };
}

function pullsOfLines(comments: readonly PastComment[], open: ReadonlySet<number>): readonly number[] {
  const numbers = comments.filter(({ place, pull }) => place === "line" && !open.has(pull)).map(({ pull }) => pull);
  return [...new Set(numbers)];
}

/** Whose rights decide besides those who wrote: authors of changes that were not merged, and who resolved threads. */
function decidersOf(comments: readonly PastComment[], { pulls, resolvedBy }: PastFates): readonly PastAuthor[] {
  return comments.flatMap(({ id, pull, isOutdated }) => {
    const change = pulls.get(pull);
    const author = isOutdated === true && change?.isMerged === false ? change.author : null;
    return [author, resolvedBy.get(id)].filter((one) => one != null);
  });
}

/** What each pull request changed, asked once a run; `cut` says once that not all were. */
function fixesOf(past: Pick<PastReviews, "patchesOf">) {
  const known = new Map<number, Promise<ReadonlyMap<string, string>>>();
  let [isCut, isSaid] = [false, false];
  return {
    async patchesOf(pull: number) {
      const isOver = !known.has(pull) && known.size >= MOST_ASKED_FIXES;
      isCut ||= isOver;
      if (isOver) return null;
      const asking = known.get(pull) ?? past.patchesOf(pull);
      known.set(pull, asking);
      return asking;
    },
    cut(): readonly string[] {
      if (!isCut || isSaid) return [];
      isSaid = true;
      return [FIXES_CUT];
    },
  };
}
