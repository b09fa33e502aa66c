// Patterns from the configuration: regular expressions and globs. RE2 runs each in time linear in
// the text, because both the pattern and the text may be crafted to be slow.
import { expand } from "brace-expansion";
import { RE2JS } from "re2js";
import { cutText } from "../domain/text/cut-text.ts";

/** Longer patterns are refused: they are unreadable, and each costs memory. */
export const PATTERN_LENGTH = 500;
const TOO_LONG = `is longer than ${PATTERN_LENGTH} characters`;
/** More patterns than this in one list are refused. */
export const PATTERN_COUNT = 200;
/** RE2 instructions. `a{1000}` has a thousand; nested repetition multiplies, and is refused. */
const PROGRAM_SIZE = 2_000;

/** A pattern, or what is wrong with it as a sentence fragment. Nothing here ever throws. */
type Pattern = { readonly matches: (text: string) => boolean } | Problem;
type Problem = { readonly problem: string };

/** A regular expression in RE2 syntax that matches anywhere in a text, without regard to case. */
export function userPattern(source: string): (Exclude<Pattern, Problem> & { readonly source: string }) | Problem {
  if (source.length > PATTERN_LENGTH) return { problem: TOO_LONG };
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.CASE_INSENSITIVE);
    if (compiled.programSize() > PROGRAM_SIZE) return { problem: "repeats too much; write it with smaller counts" };
    return { source, matches: (text) => compiled.test(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "it cannot be read";
    return { problem: `is not a regular expression of RE2: ${cutText(why, 200)}` };
  }
}

/** `@(a|b)`, `!(a)`: extended globs of other tools. */
const EXTENDED = /[@!+*?]\([^()]*\)/;
/** An empty name, `.` or `..` between slashes. */
const NO_PATH = /^\/|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/;
/** Far more alternatives than people write; `{a,b}{a,b}…` doubles with each pair. */
const MOST = 100;
/** Braces in one glob, including literal ones. */
const MOST_BRACES = 20;
/** UTF-16 units of all alternatives together: each is compiled, at some 10 µs a unit. */
const MOST_WRITTEN_OUT = 5_000;

/**
 * Reads a glob: `*` any text without a slash, `**` any text (as a whole name, any folders), `?` one
 * character but a slash, `[a-z]` and `[!a-z]` one of or none of, `{a,b}` either, `\` makes the next
 * character literal. A slash at the end means everything in the folder, one at the beginning the
 * root. Everything else, parentheses included, is literal, and case matters.
 *
 * @param glob without a leading `!`, which belongs to the list around it
 * @param anyFolder a glob without a slash matches the name of a file in any folder
 * @param folders a glob without a wildcard matches everything in the folder of that name as well
 */
export function globPattern(glob: string, { anyFolder = false, folders = false } = {}): Pattern {
  if (glob.length > PATTERN_LENGTH) return { problem: TOO_LONG };
  if (EXTENDED.test(glob)) return { problem: "uses an extended glob such as `@(a|b)`; write `{a,b}` instead" };
  if (NO_PATH.test(glob.replace(/^\.?\//, "")))
    return { problem: "matches nothing: no path has an empty name, `.` or `..` in it" };
  const braces = glob.split("{").length - 1;
  const alternatives = braces === 0 ? [glob] : expand(glob, { max: MOST + 1 });
  const isLong = alternatives.length > MOST || alternatives.join("").length > MOST_WRITTEN_OUT;
  if (braces > MOST_BRACES || isLong) return { problem: "has too many alternatives in braces" };
  const inAnyFolder = anyFolder && !glob.includes("/") ? "**/" : "";
  const each = alternatives.map((alternative) => {
    const path = inAnyFolder + alternative.toWellFormed();
    const isFolder = folders && !/[*?[]|\/$/.test(alternative);
    const source = isFolder ? `${sourceOf(path)}|${sourceOf(`${path}/`)}` : sourceOf(path);
    // A comparison is a hundred times cheaper than a pattern, and most paths begin otherwise.
    const begins = /^[^*?[\\]*/.exec(path.replace(/^\.?\//, ""))?.[0].replace(/\/$/, "") ?? "";
    return { begins, pattern: RE2JS.compile(source, RE2JS.DOTALL) };
  });
  return {
    matches(path) {
      const text = PART + path.replaceAll("/", PART);
      return each.some(({ begins, pattern }) => path.startsWith(begins) && pattern.test(text));
    },
  };
}

/** A glob for files: in any folder where it has no slash, and everything in a folder it names. */
export function fileGlob(glob: string): Pattern {
  return globPattern(glob, { anyFolder: true, folders: true });
}

/**
 * A list of globs for files: a path is in it when one glob matches and none that begins with `!`.
 * An invalid glob matches nothing; the configuration has reported it.
 */
export function fileList(globs: readonly string[]): (path: string) => boolean {
  const [out = [], taken = []] = [true, false].map((isOut) =>
    globs
      .filter((glob) => glob.startsWith("!") === isOut)
      .map((glob) => fileGlob(glob.slice(isOut ? 1 : 0)))
      .flatMap((glob) => ("problem" in glob ? [] : [glob])),
  );
  return (path) => taken.some((glob) => glob.matches(path)) && !out.some((glob) => glob.matches(path));
}

/** Stands before each name of a path: no path contains it, so `[+-9]` cannot match a name's end. */
const PART = "\0";
const ONE = `[^${PART}]`;
const ANY_FOLDERS = `(?:${PART}${ONE}*)*`;

/** An alternative as a regular expression over names with PART before each. */
function sourceOf(glob: string): string {
  const names = glob
    .replace(/^\.?\//, "")
    .replace(/\/$/, "/**")
    .split("/");
  const steps = names.map((name) => (/^\*{2,}$/.test(name) ? ANY_FOLDERS : nameSource(name)));
  return `^${steps.join("")}$`;
}

/** Stars, one character, a class, or a literal; a bracket that never closes is literal. */
const PIECES = /(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|\\?(.)/gsu;

function nameSource(name: string): string {
  // A lone star matches any name, but not an empty one.
  if (name === "*") return `${PART}${ONE}+`;
  const source = name.replace(PIECES, (_, stars, mark, negated, inside, literal) => {
    if (stars !== undefined) return stars === "*" ? `${ONE}*` : ".*";
    if (mark !== undefined) return ONE;
    return literal === undefined ? classSource(inside, negated !== "") : RE2JS.quote(literal);
  });
  return PART + source;
}

function classSource(inside: string, isNegated: boolean): string {
  const ranges = [...inside.matchAll(/\\?(.)-\\?(.)|\\?(.)/gsu)].flatMap(([, low, high, single = ""]) => {
    const from = (low ?? single).codePointAt(0) ?? 0;
    const to = (high ?? single).codePointAt(0) ?? 0;
    return from > to ? [] : [`\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`];
  });
  // An empty class matches nothing; negated, everything.
  return isNegated ? `[^${PART}${ranges.join("")}]` : `[${ranges.join("") || "^\\x{0}-\\x{10ffff}"}]`;
}

/**
 * A glob for the files of the same kind in the same folder: `src/db/*.ts` of `src/db/pool.ts`.
 * `Makefile` and `conf/.env` are their own kind. Null for an empty path or a folder.
 */
export function filePattern(path: string | null): string | null {
  if (path === null || path === "" || path.endsWith("/")) return null;
  const cut = path.lastIndexOf("/") + 1;
  const [folder, name] = [path.slice(0, cut), path.slice(cut)];
  const dot = name.lastIndexOf(".");
  return dot <= 0 || dot === name.length - 1
    ? literalGlob(path)
    : `${literalGlob(folder)}*${literalGlob(name.slice(dot))}`;
}

function literalGlob(text: string): string {
  return text.replace(/[*?[\]{}()!\\]/g, "\\$&");
}

/** For titles of findings: a part in any case; `glob:…` the whole; `regex:…` anywhere in it. */
export function titlePattern(source: string): Pattern {
  if (source.startsWith("regex:")) return byItsBeginning(userPattern(source.slice("regex:".length)));
  if (source.startsWith("glob:")) return titleGlob(source.slice("glob:".length));
  const words = source.trim().toLowerCase();
  if (words === "") return { problem: "is empty" };
  return byItsBeginning({ matches: (title) => title.toLowerCase().includes(words) });
}

/** A glob for a whole title, in any case. A title has no folders, so `*` passes its slashes. */
function titleGlob(glob: string): Pattern {
  if (glob.trim() === "") return { problem: "is empty" };
  const plain = (text: string) => text.toLowerCase().replaceAll("/", FLAT_SLASH);
  const read = globPattern(plain(glob));
  return "problem" in read ? read : byItsBeginning({ matches: (title) => read.matches(plain(title)) });
}

/** Takes the place of the slash in titles: no folder begins after it. */
const FLAT_SLASH = "\u2215";

/** Longer titles are matched by their first 1,000 UTF-16 units. */
function byItsBeginning(pattern: Pattern): Pattern {
  return "problem" in pattern ? pattern : { matches: (text) => pattern.matches(text.slice(0, 1_000)) };
}
