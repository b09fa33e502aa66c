// Turns past comments into memory: as threads, with whose word counts, and the outcome of the code.

import { languageOf } from "../../analyze/analyze.ts";
import { NEAR } from "../../domain/command.ts";
import type { Repo } from "../../domain/job.ts";
import {
  countUp,
  type HistoryTally,
  type PastAuthor,
  type PastComment,
  type PastFates,
  type PastThread,
} from "../../domain/memory/past-reviews.ts";
import type { Remembered } from "../../domain/memory/write-report.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import { lowInformation } from "../../domain/text/low-information.ts";
import { fixOfComment, fromThread, remember } from "../../learn/learn.ts";
import type { PastReviews } from "../../ports/history.ts";
import type { Embedder, Memory } from "../../ports/memory.ts";
import { AGREEING } from "../people/learn-from-people.ts";

export interface KeepingPorts {
  readonly past: PastReviews;
  readonly embedder: Embedder;
  /** Null stores nothing and only counts. */
  readonly memory: Memory | null;
  readonly redact: (text: string) => Promise<string>;
}

interface KeptRepository {
  readonly repo: Repo;
  /** Our own account: `kodiai[bot]`; null without one. */
  readonly ownLogin: string | null;
}

/**
 * Remembers the comments of some pull requests, and adds to a tally. For one run: each person's
 * access is asked for once.
 *
 * @returns a function that throws Transient
 */
export function commentKeeper(of: KeptRepository, ports: KeepingPorts) {
  const { past } = ports;
  const writers = whoMayWrite(past);
  return async (comments: readonly PastComment[], before: HistoryTally): Promise<HistoryTally> => {
    const onLines = comments.filter(({ place }) => place === "line");
    const { failed, ...fates } = await past.fates([...new Set(onLines.map(({ pull }) => pull))]);
    const mayWrite = await writers([...comments.map(({ author }) => author), ...decidersOf(comments, fates)]);
    const tally = await rememberThreads(threadsOf(comments, fates, mayWrite), before, { ...of, ...ports, mayWrite });
    return { ...tally, degraded: countUp(tally.degraded, failed === null ? [] : [failed]) };
  };
}

/** Others whose access matters: authors of unmerged changes, and people who resolved threads. */
function decidersOf(comments: readonly PastComment[], { pulls, resolvedBy }: PastFates): readonly PastAuthor[] {
  return comments.flatMap(({ id, pull, isOutdated }) => {
    const change = pulls.get(pull);
    const author = isOutdated === true && change?.isMerged === false ? change.author : null;
    return [author, resolvedBy.get(id)].filter((one) => one != null);
  });
}

type RememberingThreads = KeptRepository & KeepingPorts & { readonly mayWrite: MayWrite };

/**
 * Comments as threads, in the order of their first comments; replies without one are dropped. A
 * changed line or a resolved thread counts like that of our own findings: an outsider's branch only
 * after the merge, a resolution only by a writer.
 */
function threadsOf(
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
      // Only comments on lines have replies; ids of other places may be equal.
      replies: root.place === "line" ? (replies.get(root.id) ?? []).toSorted((a, b) => a.at - b.at || a.id - b.id) : [],
      isChanged:
        root.isOutdated === true && (pulls.get(root.pull)?.isMerged === true || may(pulls.get(root.pull)?.author)),
      isResolved: root.place === "line" && may(resolvedBy.get(root.id)),
    }));
}

/**
 * Remembers the valuable threads, and adds to the tally.
 *
 * @throws Transient when memory cannot be written now; the same call again completes it
 */
async function rememberThreads(
  threads: readonly PastThread[],
  tally: HistoryTally,
  given: RememberingThreads,
): Promise<HistoryTally> {
  const { repo, mayWrite, ownLogin, redact, embedder, memory } = given;
  const records: MemoryRecord[] = [];
  const patches = new Map<number, ReadonlyMap<string, string>>();
  const leftOut: string[] = [];
  const pulls = Map.groupBy(threads, ({ root }) => root.pull);
  const paths = new Map([...pulls].map(([pull, its]) => [pull, its.flatMap(({ root }) => root.path ?? [])]));
  for (const thread of threads) {
    const record = fromThread(thread, repo, {
      languageOf: (path) => languageOf(path, paths.get(thread.root.pull)),
      lowInformation,
      mayDecide: mayWrite,
      ownLogin,
    });
    if ("kind" in record) leftOut.push(record.reason);
    else records.push(memory === null ? record : await withFix(record, thread, patches, given));
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

/**
 * Adds the commented code and its replacement, when the line changed and both are found.
 *
 * @param known patches by pull request, which it adds to
 */
async function withFix(
  record: MemoryRecord,
  { root, isChanged }: PastThread,
  known: Map<number, ReadonlyMap<string, string>>,
  { past, redact }: KeepingPorts,
): Promise<MemoryRecord> {
  const { path, hunk } = root;
  if (!isChanged || !AGREEING.has(record.outcome) || path === null || hunk === null) return record;
  const patches = known.get(root.pull) ?? (await past.patchesOf(root.pull));
  known.set(root.pull, patches);
  const patch = patches.get(path);
  const pair = patch === undefined ? null : await fixOfComment(hunk, patch, redact);
  return pair === null ? record : { ...record, ...pair };
}

function withRemembered(tally: HistoryTally, done: Remembered): HistoryTally {
  const wordsOnly = Array<string>(done.wordsOnly).fill(
    `without a vector: ${done.wordsReason ?? "the embedder gave none"}`,
  );
  return {
    ...tally,
    added: tally.added + done.added,
    updated: tally.updated + done.updated,
    unchanged: tally.unchanged + done.unchanged,
    refused: tally.refused + done.refused.length,
    usd: tally.usd + done.usd,
    degraded: countUp(tally.degraded, wordsOnly),
  };
}

type MayWrite = (accountId: number) => boolean;

/** Never have write access. */
const STRANGERS = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"]);
/** People looked up in one run, such as members who hide their membership. */
const MOST_ASKED = 100;

/** Answers for the given authors, and caches the answers for one run. */
function whoMayWrite(past: Pick<PastReviews, "mayWrite">): (authors: readonly PastAuthor[]) => Promise<MayWrite> {
  const answers = new Map<number, boolean | null>();
  const writers = new Set<number>();
  let lookups = 0;

  async function mayWrite(author: PastAuthor): Promise<boolean> {
    const { id, isBot, association } = author;
    if (id === 0 || isBot || STRANGERS.has(association)) return false;
    // The same person has an association where they wrote, and none where they resolved a thread.
    // It stands in for an answer when GitHub gives none, for example to a read-only person's token.
    const isTrusted = NEAR.has(association);
    if (!answers.has(id)) {
      if (!isTrusted && lookups >= MOST_ASKED) return false;
      if (!isTrusted) lookups += 1;
      answers.set(id, await past.mayWrite(author));
    }
    return answers.get(id) ?? isTrusted;
  }

  return async (authors) => {
    for (const author of authors) if (await mayWrite(author)) writers.add(author.id);
    return (id) => writers.has(id);
  };
}
