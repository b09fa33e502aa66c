// Imports a repository's past reviews: its closed pull requests, the last changed first, each with
// all of its comments. Progress is stored after each page: a run may end anywhere, by a limit or a
// crash, and the next one continues. Comments are stored in memory only.

import type { Repo } from "../../domain/job.ts";
import {
  countUp,
  EMPTY_TALLY,
  type HistoryProgress,
  type HistoryTally,
  type PastComment,
} from "../../domain/memory/past-reviews.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Skipped } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import type { HistoryStore } from "../../ports/history.ts";
import { commentKeeper, type KeepingPorts } from "./keep-comments.ts";

export interface HistoryPorts extends KeepingPorts {
  /** Null stores no progress: every run begins at the beginning. */
  readonly store: HistoryStore | null;
}

export interface HistoryRequest {
  readonly repo: Repo;
  /** Epoch milliseconds; null continues after the last import, or starts at the beginning. */
  readonly since: number | null;
  /** Pull requests that are read at most; null reads all. */
  readonly limit: number | null;
  /** Requests of one run; null has no limit. */
  readonly most: number | null;
  /** Our own account: `kodiai[bot]`; null without one. */
  readonly ownLogin: string | null;
  /** Epoch milliseconds. */
  readonly at: () => number;
}

/** A run of an import. `stopped` says why it is incomplete; null when it is complete. */
export interface HistoryRun {
  readonly kind: "history";
  readonly progress: HistoryProgress;
  readonly stopped: {
    readonly by: "bound" | "rate limit";
    /** Epoch milliseconds before which continuing is pointless; null for at once. */
    readonly until: number | null;
  } | null;
}

/**
 * @param onProgress called after each page
 * @throws Transient when GitHub or memory cannot answer now; the same call again continues
 */
export async function importHistory(
  request: HistoryRequest,
  ports: HistoryPorts,
  onProgress: (progress: HistoryProgress) => void = () => {},
): Promise<HistoryRun> {
  const { past, store } = ports;
  const key = repoKey(request.repo);
  let progress = beginning((await store?.of(key)) ?? null, request);
  await store?.save(key, progress);
  const keep = commentKeeper(request, ports);
  while (progress.finishedAt === null) {
    const { sent: asked, isEnough, until } = past.budget();
    if (!isEnough) return { kind: "history", progress, stopped: { by: "rate limit", until } };
    if (request.most !== null && asked >= request.most)
      return { kind: "history", progress, stopped: { by: "bound", until: null } };
    progress = await nextPage(progress);
    await store?.save(key, progress);
    onProgress(progress);
  }
  return { kind: "history", progress, stopped: null };

  async function nextPage({ page, read, since, limit, tally, ...rest }: HistoryProgress): Promise<HistoryProgress> {
    const found = await past.closedPulls(page);
    const due = found.items
      .slice(0, limit === null ? undefined : limit - read)
      .filter(({ updatedAt }) => since === null || updatedAt >= since);
    const comments: PastComment[] = [];
    for (const { number } of due) comments.push(...(await past.commentsOn(number)));
    const kept = await keep(comments, tally);
    const degraded = countUp(kept.degraded, found.cut === null ? [] : [found.cut]);
    const through = read + due.length;
    const isLast = !found.hasNext || due.length < found.items.length || through === limit;
    const finishedAt = isLast ? request.at() : null;
    return { ...rest, since, limit, page: page + 1, read: through, finishedAt, tally: { ...kept, degraded } };
  }
}

/** At the place of an unfinished import, else at what changed since the last one began. */
function beginning(before: HistoryProgress | null, { since, limit, at }: HistoryRequest): HistoryProgress {
  const fresh: HistoryProgress = {
    page: 1,
    read: 0,
    since,
    limit,
    startedAt: at(),
    finishedAt: null,
    tally: EMPTY_TALLY,
  };
  const asksForMore = before !== null && before.limit !== null && (limit === null || limit > before.limit);
  if (before === null || asksForMore || (since !== null && since !== before.since)) return fresh;
  if (before.finishedAt === null) return { ...before, limit };
  return since === null ? { ...fresh, since: before.startedAt } : fresh;
}

/** How a run ended, in one line. */
export function historyLine({ progress: { read, tally }, stopped }: HistoryRun): string {
  if (stopped === null) return `imported: ${tallyText(tally)}`;
  const why = stopped.by === "bound" ? "goes on" : "continues when the rate limit resets";
  return `importing, ${counted(read, "pull request")} so far: ${tallyText(tally)}; ${why}`;
}

function tallyText({ comments, added, updated, unchanged, leftOut }: HistoryTally): string {
  const left = leftOut.reduce((sum, [, count]) => sum + count, 0);
  return `${counted(comments, "comment")} read: ${added} added, ${updated} updated, ${unchanged} unchanged, ${left} left out`;
}

export interface ImportedPull {
  readonly kind: "imported";
  readonly pull: number;
  readonly tally: HistoryTally;
}

/** @throws Transient when GitHub or memory cannot answer now; the same call again completes it */
export async function importPull(
  pull: number,
  of: Pick<HistoryRequest, "repo" | "ownLogin">,
  ports: KeepingPorts,
): Promise<ImportedPull | Skipped> {
  const { past } = ports;
  if (await past.isOpen(pull)) return { kind: "skipped", reason: "the pull request is open again" };
  return { kind: "imported", pull, tally: await commentKeeper(of, ports)(await past.commentsOn(pull), EMPTY_TALLY) };
}

/** How it ended, in one line. */
export function importedLine({ pull, tally }: ImportedPull): string {
  return `imported #${pull}: ${tallyText(tally)}`;
}
