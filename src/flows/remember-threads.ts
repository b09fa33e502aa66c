// Conversations of the past -> memory, and the count of what became of them.
import { languageOf } from "../analyze/analyze.ts";
import type { Repo } from "../domain/job.ts";
import {
  countUp,
  type HistoryTally,
  type PastAuthor,
  type PastComment,
  type PastFates,
  type PastThread,
} from "../domain/memory/past-reviews.ts";
import type { Remembered } from "../domain/memory/write-report.ts";
import type { MemoryRecord, Outcome } from "../domain/memory.ts";
import { lowInformation } from "../domain/text/low-information.ts";
import { fixPairOfComment, remember, threadRecord } from "../learn/learn.ts";
import type { Embedder, Memory } from "../ports/memory.ts";
import type { MayWrite } from "./who-may-write.ts";

export interface RememberingThreads {
  readonly repo: Repo;
  /** Pull requests on which people still talk: nothing of them is remembered yet. */
  readonly open: ReadonlySet<number>;
  readonly mayWrite: MayWrite;
  /** What a pull request changed up to its last head, by path; null where it is not asked. */
  readonly patchesOf: (pull: number) => Promise<ReadonlyMap<string, string> | null>;
  readonly ownLogin: string | null;
  readonly redact: (text: string) => Promise<string>;
  readonly embedder: Embedder;
  /** Null only counts. */
  readonly memory: Memory | null;
}

/**
 * Comments as threads, in the order of their first comments. Replies whose first comment is not among them are left. What
 * happened to a line or a thread counts as it does for our own findings: an outsider's branch only once it is merged, and a
 * resolution only by somebody who may write.
 */
export function threadsOf(
  comments: readonly PastComment[],
  { pulls, resolvedBy }: PastFates,
  mayWrite: MayWrite,
): readonly PastThread[] {
  const may = (author: PastAuthor | null | undefined) => author != null && !author.isBot && mayWrite(author.id);
  const replies = Map.groupBy(comments, ({ replyTo }) => replyTo ?? 0);
  return comments
    .filter(({ replyTo }) => replyTo === null)
    .map((root) => ({
      root,
      // Only comments on lines are answered; ids of other places may be the same numbers.
      replies: root.place === "line" ? (replies.get(root.id) ?? []).toSorted((a, b) => a.at - b.at || a.id - b.id) : [],
      isChanged:
        root.isOutdated === true && (pulls.get(root.pull)?.isMerged === true || may(pulls.get(root.pull)?.author)),
      isResolved: root.place === "line" && may(resolvedBy.get(root.id)),
    }));
}

/**
 * Remembers what is worth it, and adds to the tally.
 *
 * @throws Transient when memory cannot be written now; the same call again completes it
 */
export async function rememberThreads(
  threads: readonly PastThread[],
  tally: HistoryTally,
  given: RememberingThreads,
): Promise<HistoryTally> {
  const { repo, open, mayWrite, ownLogin, redact, embedder, memory } = given;
  const records: MemoryRecord[] = [];
  const leftOut: string[] = [];
  for (const thread of threads) {
    if (open.has(thread.root.pull)) {
      leftOut.push("its pull request is still open");
      continue;
    }
    const record = threadRecord(thread, repo, { languageOf, lowInformation, mayDecide: mayWrite, ownLogin });
    if ("kind" in record) leftOut.push(record.reason);
    else records.push(memory === null ? record : await withFix(record, thread, given));
  }
  const counted: HistoryTally = {
    ...tally,
    comments: threads.reduce((sum, { replies }) => sum + 1 + replies.length, tally.comments),
    byLanguage: countUp(
      tally.byLanguage,
      records.map(({ language }) => language),
    ),
    byOutcome: countUp(
      tally.byOutcome,
      records.map(({ outcome }) => outcome ?? "none"),
    ),
    leftOut: countUp(tally.leftOut, leftOut),
  };
  if (memory === null || records.length === 0) return counted;
  return withRemembered(counted, await remember(records, embedder, memory, { redact }));
}

/** Outcomes that do not speak against the comment. */
const TELLING: ReadonlySet<Outcome | null> = new Set(["fixed", "accepted", "outdated"]);

/** With what was spoken about and what it became, where its line changed and both are found. */
async function withFix(
  record: MemoryRecord,
  { root, isChanged }: PastThread,
  { patchesOf, redact }: Pick<RememberingThreads, "patchesOf" | "redact">,
): Promise<MemoryRecord> {
  const { path, hunk } = root;
  if (!isChanged || !TELLING.has(record.outcome) || path === null || hunk === null) return record;
  const patch = (await patchesOf(root.pull))?.get(path);
  const pair = patch === undefined ? null : await fixPairOfComment(hunk, patch, redact);
  return pair === null ? record : { ...record, ...pair };
}

function withRemembered(tally: HistoryTally, done: Remembered): HistoryTally {
  return {
    ...tally,
    added: tally.added + done.added,
    updated: tally.updated + done.updated,
    unchanged: tally.unchanged + done.unchanged,
    refused: tally.refused + done.refused.length,
    usd: tally.usd + done.usd,
    degraded: countUp(
      tally.degraded,
      Array.from({ length: done.wordsOnly }, () => "without a vector: the embedder gave none"),
    ),
  };
}
