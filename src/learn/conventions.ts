// Turns recurring comments into entries of `pathInstructions` for .kodiai.yml. The printed YAML always parses to the
// intended values; its text is still by strangers, and a person must read it first.
import { stringify } from "yaml";
import { parseConfig } from "../config/parse-config.ts";
import { literalGlob } from "../config/patterns.ts";
import type { Convention, Conventions, RecurringComment } from "../domain/memory/convention.ts";
import type { MemoryRecord, Outcome } from "../domain/memory.ts";
import { compareTexts } from "../domain/text/compare-texts.ts";
import { counted } from "../domain/text/counted.ts";
import { cutText, oneLine } from "../domain/text/cut-text.ts";
import { canonicalJson } from "../domain/text/hash.ts";
import { isoDate } from "../domain/text/iso-date.ts";
import { lowInformation, proseOf, smallTalk } from "../domain/text/low-information.ts";
import { visibleText } from "../domain/text/rendered-markdown.ts";
import { tokenise } from "../domain/text/tokenise.ts";
import { revealLine } from "../domain/text/untrusted-text.ts";
import { BACKGROUND, rarity, type WordWeight } from "../domain/text/word-rarity.ts";

/** More than a person reads at once; the configuration takes 50. */
const MOST_PROPOSED = 20;

/**
 * Recurring requests of a repository's people, as rules that could be made of them.
 *
 * @param records of one repository; their order does not matter
 */
export function conventionsOf(records: readonly MemoryRecord[], recurrence: Recurrence): Conventions {
  const { remarks, leftOut } = recurringComments(records, recurrence);
  const fit: Convention[] = [];
  const notFit: { reason: string; count: number; name: string }[] = [];
  for (const remark of remarks) {
    const { accepted, declined, ids, name } = remark;
    const leaveOut = (reason: string) => notFit.push({ reason, count: ids.length, name });
    const convention = proposalOf(remark);
    if (declined > accepted) leaveOut(`declined ${declined} times, accepted ${accepted}`);
    else if (convention === null) leaveOut("cannot be written for .kodiai.yml");
    else if (fit.length < MOST_PROPOSED) fit.push(convention);
    else leaveOut(`beyond the first ${MOST_PROPOSED}`);
  }
  return {
    proposed: fit,
    yaml: fit.length === 0 ? null : yamlOf(fit),
    remarks: new Set(records.map(({ id }) => id)).size,
    leftOut: [...[...leftOut].sort().map(([reason, count]) => ({ reason, count, name: null })), ...notFit],
  };
}

/** Null when our own configuration would read it differently. */
function proposalOf(remark: RecurringComment): Convention | null {
  const summary = factsOf(remark);
  const instructions = instructionOf(remark);
  for (const path of new Set([remark.path, "**"])) {
    const convention = { ...remark, path, summary, instruction: { path, instructions } };
    if (isReadAsMeant(convention)) return convention;
  }
  return null;
}

function factsOf({ ids, pulls, since, accepted, declined }: RecurringComment): string {
  const asked = `asked ${ids.length} times on ${counted(pulls, "pull request")} since ${isoDate(since)}`;
  const facts = [asked, accepted > 0 && `accepted ${accepted}`, declined > 0 && `declined ${declined}`];
  return facts.filter(Boolean).join(", ");
}

/** One sentence. A lesson is already an imperative; a comment is quoted, because it is about one place. */
function instructionOf({ name, namedBy, ids }: RecurringComment): string {
  if (namedBy === "lesson") return name;
  return `Reviewers asked for this ${ids.length} times: “${name.replace(/[“”]/g, '"')}”`;
}

function yamlOf(conventions: readonly Pick<Convention, "summary" | "instruction">[]): string {
  const entries = conventions.map(({ summary, instruction }) => {
    const item = stringify([instruction], { lineWidth: 0 }).trimEnd();
    return `# ${summary}\n${item}`.replace(/^/gm, "  ");
  });
  return `pathInstructions:\n${entries.join("\n")}\n`;
}

function isReadAsMeant(convention: Pick<Convention, "summary" | "instruction">): boolean {
  const { config, problems } = parseConfig([{ file: ".kodiai.yml", text: yamlOf([convention]) }]);
  return problems.length === 0 && canonicalJson(config.pathInstructions) === canonicalJson([convention.instruction]);
}

/** What counts as recurring. */
interface Recurrence {
  /** Distinct pull requests, at least 1. */
  readonly least: number;
  /** Only comments from this epoch millisecond on; null for all. */
  readonly since: number | null;
  /** The threshold for grouping two comments, which an evaluation may change. Mean cosine of their words, 0–1. */
  readonly alike?: number;
}

/**
 * The lowest of .16–.4 at which at least half of the groups of three pull requests were of one labelled meaning, on one
 * half of 115 repositories (eval/README.md, Conventions).
 */
export const ALIKE = 0.32;

/** Newer comments than these suffice, and grouping takes seconds. */
const MOST_REMARKS = 10_000;
const EXAMPLES = 3;
/** UTF-16 units; with the words around it an instruction stays below 500. */
const LONGEST_NAME = 400;

const TAKEN_UP: ReadonlySet<Outcome | null> = new Set<Outcome>(["accepted", "fixed"]);

const WEIGH: WordWeight = rarity(BACKGROUND);

/**
 * Recurring comments of one repository. The order of the records does not matter; of a repeated id the last counts.
 *
 * @returns `remarks`: most pull requests first; `leftOut`: reason → memories that do not count
 */
export function recurringComments(
  records: readonly MemoryRecord[],
  { least, since, alike = ALIKE }: Recurrence,
): { readonly remarks: readonly RecurringComment[]; readonly leftOut: ReadonlyMap<string, number> } {
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
  const words = newest.map(({ id, text, lesson }) => ({ id, words: tokenise(`${proseOf(text)} ${lesson ?? ""}`) }));
  const remarks = groupAlike(words, alike)
    .map((ids) => recurringComment(ids.flatMap((id) => byId.get(id) ?? [])))
    .filter(({ pulls }) => pulls >= least)
    .sort(mostAskedFirst);
  return { remarks, leftOut };
}

function notCounting({ corpus, provenance, text }: MemoryRecord, since: number | null): string | null {
  if (corpus !== "review_comment" && corpus !== "finding") return "not a review comment";
  if (provenance.authorIsBot) return "written by a bot";
  if (provenance.pull === null) return "its pull request is unknown";
  if (since !== null && provenance.at < since) return "older than the requested time";
  return lowInformation(text) ?? smallTalk(text);
}

function newestFirst(a: MemoryRecord, b: MemoryRecord): number {
  return b.provenance.at - a.provenance.at || (a.id < b.id ? -1 : 1);
}

/** @param members the most central first, at least one */
function recurringComment(members: readonly MemoryRecord[]): RecurringComment {
  const lesson = members.map((record) => plain(record.lesson ?? "")).find((text) => text !== "");
  const first = members.map(({ text }) => plain(proseOf(visibleText(text).text))).find((text) => text !== "");
  const outcomes = members.map(({ outcome }) => outcome);
  const languages = members.map(({ language }) => (language === "unknown" ? [] : [language]));
  return {
    name: lesson ?? first ?? "",
    namedBy: lesson === undefined ? "remark" : "lesson",
    ids: members.map(({ id }) => id),
    pulls: new Set(members.map(({ provenance }) => provenance.pull)).size,
    since: Math.min(...members.map(({ provenance }) => provenance.at)),
    accepted: outcomes.filter((outcome) => TAKEN_UP.has(outcome)).length,
    declined: outcomes.filter((outcome) => outcome === "declined").length,
    path: commonGlob(members.map(({ path }) => path)),
    language: sharedBy(languages, Math.ceil((members.length * MOST) / 100)),
    examples: examplesOf(members),
  };
}

/** One line without hidden characters. */
function plain(text: string): string {
  const line = oneLine(revealLine(oneLine(text)));
  return line.length <= LONGEST_NAME ? line : `${cutText(line, LONGEST_NAME - 1).trimEnd()}…`;
}

function examplesOf(members: readonly MemoryRecord[]): RecurringComment["examples"] {
  const newest = new Map<number, RecurringComment["examples"][number]>();
  for (const { provenance } of members.toSorted(newestFirst)) {
    const { pull, at, url } = provenance;
    if (pull !== null && !newest.has(pull)) newest.set(pull, { pull, at, url });
  }
  return [...newest.values()].slice(0, EXAMPLES);
}

function mostAskedFirst(a: RecurringComment, b: RecurringComment): number {
  const byId = compareTexts(a.ids[0] ?? "", b.ids[0] ?? "");
  return b.pulls - a.pulls || b.ids.length - a.ids.length || a.since - b.since || byId;
}

// Groups comments with similar words: by id, each joins the group with which the mean cosine of their weighted words is
// highest, or begins one. Comments are compared only through shared words.

/** Words of one comment that are compared, the heaviest: they identify a long comment, and bound the cost. */
const MOST_WORDS = 48;
/** A word of more groups has little weight: it counts for this many, the first by id. */
const MOST_MET = 1_000;

/** word → share; unit length */
type Vector = ReadonlyMap<string, number>;

interface Group {
  readonly members: { readonly id: string; readonly vector: Vector }[];
  /** Of the vectors of its members. */
  readonly sum: Map<string, number>;
}

/**
 * The order of the comments does not matter.
 *
 * @param remarks ids are distinct; one without words is in no group
 * @param least mean cosine between a comment and the group that it joins, 0–1
 * @returns every group of at least two, each id in at most one; the most central first, groups by that id
 */
function groupAlike(
  remarks: readonly { readonly id: string; readonly words: readonly string[] }[],
  least: number,
): readonly string[][] {
  const weigh = mixed(remarks.map(({ words }) => words));
  const groups: Group[] = [];
  /** By word the groups that hold it. */
  const holding = new Map<string, Set<Group>>();
  for (const { id, words } of remarks.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const vector = vectorOf(words, weigh);
    if (vector.size === 0) continue;
    const known = nearest(vector, holding, least);
    const group: Group = known ?? { members: [], sum: new Map() };
    if (known === null) groups.push(group);
    group.members.push({ id, vector });
    for (const [word, share] of vector) {
      group.sum.set(word, (group.sum.get(word) ?? 0) + share);
      const holders = holding.get(word) ?? new Set();
      if (holders.size < MOST_MET) holding.set(word, holders.add(group));
    }
  }
  return groups
    .filter(({ members }) => members.length > 1)
    .map(centralFirst)
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

function centralFirst({ members, sum }: Group): string[] {
  return members
    .map(({ id, vector }) => ({ id, near: dot(vector, sum) }))
    .sort((a, b) => b.near - a.near || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

/** Half rarity over many repositories, half rarity here: words common in this repository weigh little. */
function mixed(remarks: readonly (readonly string[])[]): WordWeight {
  const counts = countsOf(remarks.flatMap((words) => [...new Set(words)]));
  return (word) => (WEIGH(word) + Math.log((remarks.length + 1) / ((counts.get(word) ?? 0) + 0.5))) / 2;
}

/** The heaviest words, heaviest first. */
function vectorOf(words: readonly string[], weigh: WordWeight): Vector {
  const weights = [...countsOf(words)]
    .map(([word, count]) => [word, (1 + Math.log(count)) * weigh(word)] as const)
    .filter(([, weight]) => weight > 0)
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
  const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0));
  return new Map(weights.map(([word, weight]) => [word, weight / length]));
}

function countsOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function nearest(vector: Vector, holding: ReadonlyMap<string, ReadonlySet<Group>>, least: number): Group | null {
  const near = new Map<Group, number>();
  for (const [word, share] of vector)
    for (const group of holding.get(word) ?? [])
      near.set(group, (near.get(group) ?? 0) + (share * (group.sum.get(word) ?? 0)) / group.members.length);
  const [best] = [...near].filter(([, mean]) => mean >= least).sort(([, a], [, b]) => b - a);
  return best?.[0] ?? null;
}

function dot(small: Vector, large: Vector): number {
  return [...small].reduce((sum, [word, share]) => sum + share * (large.get(word) ?? 0), 0);
}

// Turns the paths of comments into a glob for `pathInstructions`: the longest folder and the ending that most of them
// share.

/** Per cent of the comments that must share a folder or an ending. */
const MOST = 80;
/** Deeper folders are not distinguished. */
const DEEPEST = 30;
/** A longer glob is unreadable; the configuration takes 500. */
const LONGEST = 200;

/**
 * @param paths one per comment, null when it is on no file
 * @returns `src/api/**` + `/*.ts`, `src/api/**`, `**` + `/*.ts`, or `**`; characters with a meaning in globs are
 * escaped
 */
export function commonGlob(paths: readonly (string | null)[]): string {
  // Hidden characters would make an unreadable glob.
  const isPlain = (path: string) => path.isWellFormed() && revealLine(path) === path;
  const known = paths.filter((path) => path !== null).filter(isPlain);
  const least = Math.ceil((paths.length * MOST) / 100);
  const ending = sharedBy(known.map(endingOf), least);
  const folder = sharedBy(known.filter((path) => path.endsWith(ending ?? "")).map(foldersOf), least);
  const glob = `${folder === null ? "" : literalGlob(folder)}**${ending === null ? "" : `/*${literalGlob(ending)}`}`;
  return glob.length > LONGEST ? "**" : glob;
}

/** `.ts`; empty for a name without one. */
function endingOf(path: string): readonly string[] {
  const ending = /[^/](\.[^./]+)$/.exec(path)?.[1];
  return ending === undefined ? [] : [ending];
}

/** `src/`, `src/api/` */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1).slice(0, DEEPEST);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

/** The longest value that so many of the lists have; null without one. */
function sharedBy(lists: readonly (readonly string[])[], least: number): string | null {
  const shared = [...countsOf(lists.flat())].filter(([, count]) => count >= least).map(([value]) => value);
  return shared.sort((a, b) => b.length - a.length)[0] ?? null;
}
