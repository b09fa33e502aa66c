// Imports a repository's past reviews page by page, newest first: comments on lines with their replies, then
// conversations, then the texts of reviews. The progress is stored after each page; a run may end anywhere, by its own
// limit, a rate limit or a crash, and the next one continues there. Comments are stored in memory only.

import type { Repo } from "../../domain/job.ts";
import {
  countUp,
  EMPTY_TALLY,
  type HistoryLimit,
  type HistoryProgress,
  type HistoryStage,
  type HistoryTally,
  type PastComment,
  type PastPull,
} from "../../domain/memory/past-reviews.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Skipped } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import type { HistoryStore, PastPage, PastReviews } from "../../ports/history.ts";
import { commentKeeper, type KeepingPorts } from "./keep-comments.ts";

export interface HistoryPorts extends KeepingPorts {
  /** Null stores no progress: every run begins at the beginning. */
  readonly store: HistoryStore | null;
}

export interface HistoryRequest {
  readonly repo: Repo;
  /** Epoch milliseconds; null continues after the last import, or starts at the beginning. */
  readonly since: number | null;
  readonly limit: HistoryLimit;
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

/** Pull requests that are read between two checks of the budget. */
const PULLS_AT_A_TIME = 10;

/**
 * @param onProgress called after each page
 * @throws Transient when GitHub or memory cannot answer now; what was read until then is remembered, and the same call
 * again continues there
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
  const keep = commentKeeper({ ...request, open: await past.openPulls() }, ports);
  const run: Run = {
    past,
    keep: async (comments, now) => ({ ...now, tally: await keep(comments, now.tally) }),
    waiting: new Map(),
    torn: new Set(progress.torn),
    listed: null,
  };
  while (progress.stage !== "done") {
    const { asked, isEnough, until } = past.budget();
    if (!isEnough) return { kind: "history", progress, stopped: { by: "rate limit", until } };
    if (request.most !== null && asked >= request.most)
      return { kind: "history", progress, stopped: { by: "bound", until: null } };
    progress = await STAGES[progress.stage](progress, run);
    if (progress.stage === "done") progress = { ...progress, finishedAt: request.at() };
    await store?.save(key, progress);
    onProgress(progress);
  }
  return { kind: "history", progress, stopped: null };
}

/** Where to begin: at the place of an unfinished import, else at what changed since the last one began. */
function beginning(before: HistoryProgress | null, { since, limit, at }: HistoryRequest): HistoryProgress {
  const fresh: HistoryProgress = {
    stage: "lines",
    page: 1,
    done: 0,
    read: 0,
    torn: [],
    since,
    renews: false,
    limit,
    startedAt: at(),
    finishedAt: null,
    tally: EMPTY_TALLY,
  };
  const asksForMore =
    before !== null && (isMore(limit.comments, before.limit.comments) || isMore(limit.pulls, before.limit.pulls));
  if (before === null || asksForMore || (since !== null && since !== before.since)) return fresh;
  if (before.finishedAt === null) return { ...before, limit };
  return since === null ? { ...fresh, since: before.startedAt, renews: true } : fresh;
}

function isMore(now: number | null, before: number | null): boolean {
  return before !== null && (now === null || now > before);
}

/** The state of one run. */
interface Run {
  readonly past: PastReviews;
  /** Remembers comments that belong together, and adds to the tally. */
  readonly keep: (comments: readonly PastComment[], progress: HistoryProgress) => Promise<HistoryProgress>;
  /** Replies whose first comments are further back, by the id of those. */
  readonly waiting: Map<number, PastComment[]>;
  /** Pull requests that an earlier run split: their threads come later, whole. */
  readonly torn: ReadonlySet<number>;
  /** The current page of closed pull requests. */
  listed: { readonly page: number; readonly found: PastPage<PastPull> } | null;
}

/** Each reads a page, or a few pull requests. */
const STAGES = { lines, torn: tornPulls, conversation, reviews };

function next(progress: HistoryProgress, stage: HistoryStage): HistoryProgress {
  return { ...progress, stage, page: 1, done: 0, read: 0 };
}

/** One page of a list of comments, cut at the limit. */
function cutPage(page: PastPage<PastComment>, { read, limit }: HistoryProgress) {
  const room = limit.comments === null ? page.items.length : Math.max(0, limit.comments - read);
  const items = page.items.slice(0, room);
  const isLimited = limit.comments !== null && read + items.length >= limit.comments;
  return { items, isLimited, isLast: isLimited || !page.hasNext };
}

function withCut(progress: HistoryProgress, cut: string | null): HistoryProgress {
  if (cut === null) return progress;
  return { ...progress, tally: { ...progress.tally, degraded: countUp(progress.tally.degraded, [cut]) } };
}

/** With the newest first, every reply comes before its comment: a thread is complete when that one comes. */
async function lines(progress: HistoryProgress, run: Run): Promise<HistoryProgress> {
  const page = await run.past.onLines(progress.page, progress.since);
  const { items, isLimited, isLast } = cutPage(page, progress);
  const whole = items.filter(({ pull }) => !run.torn.has(pull));
  for (const comment of whole) {
    if (comment.replyTo === null) continue;
    const known = run.waiting.get(comment.replyTo) ?? [];
    if (!known.some(({ id }) => id === comment.id)) run.waiting.set(comment.replyTo, [...known, comment]);
  }
  const roots = whole.filter(({ replyTo }) => replyTo === null);
  const threads = roots.flatMap((root) => [root, ...(run.waiting.get(root.id) ?? [])]);
  const kept = withCut(await run.keep(threads, progress), page.cut);
  for (const { id } of roots) run.waiting.delete(id);
  const orphans = [...run.waiting.values()].flatMap((replies) => replies.map(({ pull }) => pull));
  // Threads beyond the limit stay cut off.
  const torn = [...new Set([...run.torn, ...(isLimited ? [] : orphans)])];
  if (isLast) return next({ ...kept, torn }, "torn");
  return { ...kept, torn, page: progress.page + 1, read: progress.read + items.length };
}

/** Threads that were split between two runs, or whose first comment is older than what is read. */
async function tornPulls(progress: HistoryProgress, run: Run): Promise<HistoryProgress> {
  const now = progress.torn.slice(0, PULLS_AT_A_TIME);
  const comments: PastComment[] = [];
  for (const pull of now) comments.push(...(await run.past.linesOf(pull)));
  const kept = await run.keep(comments, progress);
  const torn = progress.torn.slice(now.length);
  return torn.length === 0 ? next({ ...kept, torn }, "conversation") : { ...kept, torn };
}

async function conversation(progress: HistoryProgress, run: Run): Promise<HistoryProgress> {
  const page = await run.past.inConversations(progress.page, progress.since);
  const { items, isLast } = cutPage(page, progress);
  const kept = withCut(await run.keep(items, progress), page.cut);
  if (isLast) return next(kept, "reviews");
  return { ...kept, page: progress.page + 1, read: progress.read + items.length };
}

/** No list of the repository has the texts of reviews: one request per pull request. */
async function reviews(progress: HistoryProgress, run: Run): Promise<HistoryProgress> {
  const { page, done, since, limit, read } = progress;
  const found = run.listed?.page === page ? run.listed.found : await run.past.closedPulls(page);
  run.listed = { page, found };
  const room = limit.pulls === null ? PULLS_AT_A_TIME : Math.min(PULLS_AT_A_TIME, limit.pulls - read);
  const due = found.items.slice(done, done + room).filter(({ updatedAt }) => since === null || updatedAt >= since);
  const comments: PastComment[] = [];
  for (const pull of due) comments.push(...(await commentsOn(pull, progress, run.past)));
  const kept = withCut(await run.keep(comments, progress), done === 0 ? found.cut : null);
  const isOlder = due.length < Math.min(room, found.items.length - done);
  const through = done + due.length;
  if (isOlder || (limit.pulls !== null && read + due.length >= limit.pulls)) return next(kept, "done");
  if (through < found.items.length) return { ...kept, done: through, read: read + due.length };
  return found.hasNext ? { ...kept, page: page + 1, done: 0, read: read + due.length } : next(kept, "done");
}

async function commentsOn(
  { number, closedAt }: PastPull,
  { renews, since }: HistoryProgress,
  past: PastReviews,
): Promise<readonly PastComment[]> {
  const texts = await past.reviewsOf(number);
  if (!renews || since === null || closedAt < since) return texts;
  return [...(await past.linesOf(number)), ...(await past.conversationOf(number)), ...texts];
}

/** How a run ended, in one line. */
export function historyLine({ progress: { stage, tally }, stopped }: HistoryRun): string {
  if (stopped === null) return `imported: ${tallyText(tally)}`;
  const why = stopped.by === "bound" ? "goes on" : "continues when the rate limit resets";
  return `importing ${stage}: ${tallyText(tally)}; ${why}`;
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
  const open = await past.openPulls();
  if (open.has(pull)) return { kind: "skipped", reason: "the pull request is open again" };
  const keep = commentKeeper({ ...of, open }, ports);
  const said = [await past.linesOf(pull), await past.conversationOf(pull), await past.reviewsOf(pull)];
  return { kind: "imported", pull, tally: await keep(said.flat(), EMPTY_TALLY) };
}

/** How it ended, in one line. */
export function importedLine({ pull, tally }: ImportedPull): string {
  return `imported #${pull}: ${tallyText(tally)}`;
}
