// Derives the intent of a pull request from its text. Total over all strings, deterministic, and
// linear in the length of the text; all input is untrusted.

import type { Intent, IssueRef, Profile } from "../domain/signals.ts";
import type { TitleCommand } from "../domain/title-tags.ts";
import { breakingSources } from "./breaking.ts";
import { type BumpInput, dependencyBump } from "./dependency-bump.ts";
import { intentProse, type ProseLine, type ProseTexts } from "./intent-prose.ts";
import { type ParsedTitle, parseTitle } from "./title.ts";

export interface IntentInput extends Omit<BumpInput, "title"> {
  readonly title: string;
}

/** The most thorough requested review wins. */
const PROFILES: readonly (readonly [TitleCommand, Profile])[] = [
  ["strict-review", "thorough"],
  ["balanced-review", "balanced"],
  ["minimal-review", "quiet"],
];

/** Focus areas go into queries and prompts, so a title of a hundred tags must not fill them. */
const MAX_FOCUS_AREAS = 20;
/** Tags for machines and numbers: "[ci skip]", "[skip actions]", "[1/3]", "[#1331]". */
const NO_TOPIC = /^(?:(?:skip|no)[ -](?:ci|actions)|(?:ci|actions)[ -]skip|[^\p{L}]*|v?\d[\w.]*)$/u;

/**
 * A bump's description is another project's changelog: its breaks, reverts and issues are not read.
 */
export function parseIntent(input: IntentInput): Intent {
  const title = parseTitle(input.title);
  const bump = dependencyBump({ ...input, title });
  const text = {
    title,
    body: intentProse(bump === null ? (input.body ?? "") : ""),
    commits: input.commits.map((commit) => intentProse(commit.message)),
  };
  const reverts = isRevert(text);
  const revertsByTitle = reverts && /^revert/i.test(title.untagged) && title.otherType === null;
  return {
    type: title.type ?? (revertsByTitle ? "revert" : null),
    otherType: title.otherType,
    scope: title.scope,
    subject: title.subject,
    breaking: breakingSources(text),
    // Draft and work in progress are one state: not ready for review.
    wip: title.commands.includes("wip") || title.commands.includes("draft"),
    noReview: title.commands.includes("no-review"),
    styleOk: title.commands.includes("style-ok"),
    profile: PROFILES.find(([command]) => title.commands.includes(command))?.[1] ?? null,
    focusAreas: focusAreas(title),
    reverts,
    issues: issueRefs({ ...text, title: intentProse(input.title) }),
    bump,
  };
}

function focusAreas({ commands, otherTags }: ParsedTitle): readonly string[] {
  const asked = commands.includes("security-review") ? ["security"] : [];
  const topics = otherTags.filter((tag) => !NO_TOPIC.test(tag));
  return [...new Set([...asked, ...topics])].slice(0, MAX_FOCUS_AREAS);
}

/** A title that quotes the reverted one, as `git revert` does, or names its number or commit. */
const REVERT_TITLE =
  /^revert(?:ed|s)?:? ["“].|^reverts? (?:pr |pull request )?(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,10}(?!\w)/is;
/** A word of hexadecimal letters without a digit ("defaced") is a word. */
const HASH = String.raw`(?=[a-f]{0,39}\d)[0-9a-f]{7,40}(?!\w)`;
const REVERT_COMMIT = new RegExp(`^reverts? (?:commit )?${HASH}`, "i");
/** Git's sentence and GitHub's `Reverts owner/repo#12`, at the start of a line only. */
const REVERT_SENTENCE = new RegExp(
  String.raw`^\s{0,3}(?:[-*] )?(?:this )?(?:partially )?reverts? (?:(?:the )?(?:commits?|pr|pull request)[ :]{1,2})?(?:(?:https?:\/\/[\w.-]{1,80}\/)?[\w.-]{1,100}\/[\w.-]{1,100})?(?:(?:#|\/pull\/)\d{1,10}(?!\w)|(?:\/commit\/|@)?${HASH})`,
  "i",
);

/**
 * Whether the change takes an earlier one back. Unless the title says so, a description counts by
 * its first line only, and commits only when there is just one: further down, and among many
 * commits, one change of the same pull request reverts another.
 */
export function isRevert({ title: { untagged, type, subject }, body, commits }: ProseTexts<ParsedTitle>): boolean {
  if (REVERT_TITLE.test(untagged) || REVERT_COMMIT.test(untagged) || (type === "revert" && subject !== "")) return true;
  const first = body.find(({ masked }) => masked.trim() !== "");
  const lines = [...(first === undefined ? [] : [first]), ...(commits.length === 1 ? commits.flat() : [])];
  return lines.some(({ masked }) => REVERT_SENTENCE.test(masked));
}

// Finds the issues that title, body and commits close or refer to.

/** More references are a changelog, not an intent. */
const MAX_REFS = 100;

/** GitHub's nine closing keywords, then words for a weaker tie. */
const KEYWORD =
  /(?<![\w-])(?:(close[sd]?|fix(?:e[sd])?|resolve[sd]?)|(relate[sd]?(?:[ \t]to)?)|(see(?:[ \t]also)?)|(refs?|references?)|(part[ \t]of)|(address(?:es)?))(?![\w-])/gi;
const NAME = "([A-Za-z0-9][A-Za-z0-9-]{0,38}/[\\w.-]{1,100})";
/** `#12`, `GH-12`, `owner/repo#12`, or an issue's address on github.com or GitHub Enterprise. */
const TARGET = `(?:(?:${NAME}|GH-(?=\\d))?#?(?<=#|GH-)(\\d{1,10})|https?://(?:www\\.)?(?:github|ghe)\\.[a-z0-9.-]{2,60}/${NAME}/(?:issues|pull)/(\\d{1,10}))(?![\\w])`;
/** After the keyword: a colon or a space, perhaps "issue", a link's bracket or bold marks. */
const FIRST = new RegExp(
  `(?::[ \\t]{0,3}|[ \\t]{1,3})((?:the[ \\t])?(?:issues?|bugs?|tickets?|prs?|pull[ \\t]requests?)[ \\t]{1,3})?[[(*_]{0,3}${TARGET}`,
  "iy",
);
/** `, #2`, `and #3`: the rest of a list. */
const NEXT = new RegExp(
  `[\\])*_]{0,3}(?:[ \\t]{0,2},[ \\t]{0,3}(?:and[ \\t]{1,2})?|[ \\t]{1,2}(?:and|&)[ \\t]{1,2})[[(*_]{0,3}${TARGET}`,
  "iy",
);

/**
 * The issues referred to with a keyword, each (repository, number) once, in order of first mention;
 * at most 100. A closing mention wins over a weaker one. GitHub closes only the issue that directly
 * follows the keyword: the others of a list, and "fixes issue #1", have `closing: false`. Code,
 * quotations and hidden comments do not count.
 */
export function issueRefs({ title, body, commits }: ProseTexts<readonly ProseLine[]>): readonly IssueRef[] {
  const found = new Map<string, IssueRef>();
  for (const { masked } of title) collectRefs(masked, "title", found);
  for (const { masked } of body) collectRefs(masked, "body", found);
  for (const { masked } of commits.flat()) collectRefs(masked, "commit", found);
  return [...found.values()];
}

function collectRefs(line: string, source: IssueRef["source"], found: Map<string, IssueRef>): void {
  for (const keyword of line.matchAll(KEYWORD)) {
    let at = keyword.index + keyword[0].length;
    FIRST.lastIndex = at;
    const first = FIRST.exec(line);
    if (first === null) continue;
    const word = keywordName(keyword);
    const closing = keyword[1] !== undefined && first[1] === undefined;
    keep({ keyword: word, closing, source, ...target(first, 2) }, found);
    at = FIRST.lastIndex;
    for (;;) {
      NEXT.lastIndex = at;
      const next = NEXT.exec(line);
      if (next === null) break;
      keep({ keyword: word, closing: false, source, ...target(next, 1) }, found);
      at = NEXT.lastIndex;
    }
  }
}

function keywordName(match: RegExpExecArray): string {
  if (match[1] !== undefined) return match[1].toLowerCase();
  const names = ["relates-to", "see", "refs", "part-of", "addresses"];
  return names[match.slice(2).findIndex((group) => group !== undefined)] ?? "refs";
}

function target(match: RegExpExecArray, from: number): { number: number; repo: string | null } {
  const [shortRepo, shortNumber, urlRepo, urlNumber] = match.slice(from);
  return { number: Number(shortNumber ?? urlNumber), repo: shortRepo ?? urlRepo ?? null };
}

function keep(ref: IssueRef, found: Map<string, IssueRef>): void {
  if (ref.number === 0) return;
  const key = `${ref.repo?.toLowerCase() ?? ""}#${ref.number}`;
  const known = found.get(key);
  if (known === undefined ? found.size < MAX_REFS : ref.closing && !known.closing) found.set(key, ref);
}
