// Finds the issues that title, body and commits close or refer to.
import type { IssueRef } from "../domain/signals.ts";
import type { ProseLine } from "./intent-prose.ts";

/** More references are a changelog, not an intent. */
const MAX_REFS = 100;

/** GitHub's nine closing keywords, then words for a weaker tie. */
const KEYWORD =
  /(?<![\w-])(?:(close[sd]?|fix(?:e[sd])?|resolve[sd]?)|(relate[sd]?(?:[ \t]to)?)|(see(?:[ \t]also)?)|(refs?|references?)|(part[ \t]of)|(address(?:es)?))(?![\w-])/gi;
const NAME = "([A-Za-z0-9][A-Za-z0-9-]{0,38}/[\\w.-]{1,100})";
/** `#12`, `GH-12`, `owner/repo#12`, or an issue's address on github.com or a GitHub Enterprise host. */
const TARGET = `(?:(?:${NAME}|GH-(?=\\d))?#?(?<=#|GH-)(\\d{1,10})|https?://(?:www\\.)?(?:github|ghe)\\.[a-z0-9.-]{2,60}/${NAME}/(?:issues|pull)/(\\d{1,10}))(?![\\w])`;
/** After the keyword: a colon or a space, perhaps "issue", perhaps the bracket of a link or bold marks. */
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
 * The issues referred to with a keyword, each (repository, number) once, in order of first mention; at most 100. A
 * closing mention wins over a weaker one. GitHub closes only the issue that directly follows the keyword: the others of
 * a list, and "fixes issue #1", have `closing: false`. Code, quotations and hidden comments do not count.
 */
export function issueRefs(input: {
  readonly title: readonly ProseLine[];
  readonly body: readonly ProseLine[];
  readonly commits: readonly (readonly ProseLine[])[];
}): readonly IssueRef[] {
  const found = new Map<string, IssueRef>();
  const texts = [
    { source: "title" as const, lines: input.title },
    { source: "body" as const, lines: input.body },
    ...input.commits.map((lines) => ({ source: "commit" as const, lines })),
  ];
  for (const { source, lines } of texts) for (const { masked } of lines) collect(masked, source, found);
  return [...found.values()];
}

function collect(line: string, source: IssueRef["source"], found: Map<string, IssueRef>): void {
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
