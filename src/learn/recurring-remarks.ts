// Memories of one repository -> what people of it keep asking for, and why other memories do not count.
import type { RecurringRemark } from "../domain/convention.ts";
import { cutText, oneLine } from "../domain/cut-text.ts";
import { lowInformation, proseOf } from "../domain/low-information.ts";
import type { MemoryRecord, Outcome } from "../domain/memory.ts";
import { revealLine } from "../domain/reveal.ts";
import { shownText } from "../domain/shown-text.ts";
import { smallTalk } from "../domain/small-talk.ts";
import { tokenise } from "../domain/tokenise.ts";
import { BACKGROUND, rarity, type WordWeight } from "../domain/word-rarity.ts";
import { alikeRemarks } from "./alike-remarks.ts";
import { commonGlob, sharedBy } from "./common-glob.ts";

/** What counts as recurring. */
export interface Recurrence {
  /** Distinct pull requests, at least 1. */
  readonly least: number;
  /** Only what was said from this epoch millisecond on; null for all. */
  readonly since: number | null;
  /** How two remarks are put together; an evaluation switches it. Mean cosine of their words, 0–1. */
  readonly alike?: number;
}

/**
 * The lowest of .16–.4 at which at least half of the groups of three pull requests were of one labelled meaning, on one
 * half of 115 repositories (eval/README.md, Conventions).
 */
export const ALIKE = 0.32;

/** Newer remarks than these are enough, and grouping takes seconds. */
const MOST_REMARKS = 10_000;
const EXAMPLES = 3;
/** UTF-16 units; with the words around it an instruction stays below 500. */
const LONGEST_NAME = 400;

const TAKEN_UP: ReadonlySet<Outcome | null> = new Set<Outcome>(["accepted", "fixed"]);

export interface Recurring {
  /** On most pull requests first. */
  readonly remarks: readonly RecurringRemark[];
  /** Reason → memories that do not count. */
  readonly leftOut: ReadonlyMap<string, number>;
}

const WEIGH: WordWeight = rarity(BACKGROUND);

/** The order of the records does not matter; of an id that comes twice the last counts. */
export function recurringRemarks(records: readonly MemoryRecord[], recurrence: Recurrence): Recurring {
  const { least, since, alike = ALIKE } = recurrence;
  const leftOut = new Map<string, number>();
  const byId = new Map(records.map((record) => [record.id, record]));
  const counting = [...byId.values()].filter((record) => {
    const reason = notCounting(record, since);
    if (reason !== null) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return reason === null;
  });
  const newest = counting.sort(newestFirst).slice(0, MOST_REMARKS);
  if (newest.length < counting.length)
    leftOut.set(`older than the newest ${MOST_REMARKS}`, counting.length - newest.length);
  const words = newest.map((record) => ({ id: record.id, words: tokenise(wordsOf(record)) }));
  const remarks = alikeRemarks(words, WEIGH, alike)
    .map((ids) => told(ids.flatMap((id) => byId.get(id) ?? [])))
    .filter(({ pulls }) => pulls >= least)
    .sort(mostAskedFirst);
  return { remarks, leftOut };
}

function notCounting({ corpus, provenance, text }: MemoryRecord, since: number | null): string | null {
  if (corpus !== "review_comment" && corpus !== "finding") return "not said in a review";
  if (provenance.authorIsBot) return "written by a bot";
  if (provenance.pull === null) return "not said on a pull request that is known";
  if (since !== null && provenance.at < since) return "said before the time that was asked for";
  return lowInformation(text) ?? smallTalk(text);
}

function wordsOf({ text, lesson }: MemoryRecord): string {
  return `${proseOf(text)} ${lesson ?? ""}`;
}

function newestFirst(a: MemoryRecord, b: MemoryRecord): number {
  return b.provenance.at - a.provenance.at || (a.id < b.id ? -1 : 1);
}

/** @param members the most central first, at least one */
function told(members: readonly MemoryRecord[]): RecurringRemark {
  const lesson = members.map((record) => plain(record.lesson ?? "")).find((text) => text !== "");
  const first = members.map(({ text }) => plain(proseOf(shownText(text).text))).find((text) => text !== "");
  const outcomes = members.map(({ outcome }) => outcome);
  return {
    name: lesson ?? first ?? "",
    namedBy: lesson === undefined ? "remark" : "lesson",
    ids: members.map(({ id }) => id),
    pulls: new Set(members.map(({ provenance }) => provenance.pull)).size,
    since: members.reduce((least, { provenance }) => Math.min(least, provenance.at), Number.POSITIVE_INFINITY),
    accepted: outcomes.filter((outcome) => TAKEN_UP.has(outcome)).length,
    declined: outcomes.filter((outcome) => outcome === "declined").length,
    path: commonGlob(members.map(({ path }) => path)),
    language: sharedBy(members.map(({ language }) => (language === "unknown" ? "" : language))),
    examples: examplesOf(members),
  };
}

/** One line in which nothing is hidden. */
function plain(text: string): string {
  const line = oneLine(revealLine(oneLine(text)));
  return line.length <= LONGEST_NAME ? line : `${cutText(line, LONGEST_NAME - 1).trimEnd()}…`;
}

function examplesOf(members: readonly MemoryRecord[]): RecurringRemark["examples"] {
  const newest = new Map<number, RecurringRemark["examples"][number]>();
  for (const { provenance } of members.toSorted(newestFirst)) {
    const { pull, at, url } = provenance;
    if (pull !== null && !newest.has(pull)) newest.set(pull, { pull, at, url });
  }
  return [...newest.values()].slice(0, EXAMPLES);
}

function mostAskedFirst(a: RecurringRemark, b: RecurringRemark): number {
  const byId = (a.ids[0] ?? "") < (b.ids[0] ?? "") ? -1 : 1;
  return b.pulls - a.pulls || b.ids.length - a.ids.length || a.since - b.since || byId;
}
