// Globs for paths, run by RE2 in time linear in the path: both the glob and the path may be crafted to be slow.
import { expand } from "brace-expansion";
import { RE2JS } from "re2js";

interface PathGlob {
  /** Never throws. */
  readonly matches: (path: string) => boolean;
}

/** `@(a|b)`, `!(a)`: extended globs of other tools. */
const EXTENDED = /[@!+*?]\([^()]*\)/;
/** Far more alternatives than people write; `{a,b}{a,b}…` doubles with each pair. */
const MOST = 100;
/** Braces in one glob, including literal ones. */
const MOST_BRACES = 20;

/**
 * Reads a glob: `*` any text without a slash, `**` any folders, `?` one character, `[a-z]` and `[!a-z]` one of or none of,
 * `{a,b}` either, `\` makes the next character literal. Everything else, parentheses included, is literal, and case matters.
 *
 * @param glob without a leading `!`; in the configuration, at most 500 characters
 * @param anyFolder a glob without a slash matches the name of a file in any folder
 * @returns the glob, or what is wrong with it in one sentence fragment; never throws
 */
export function pathGlob(
  glob: string,
  { anyFolder = false }: { readonly anyFolder?: boolean } = {},
): PathGlob | { readonly problem: string } {
  if (EXTENDED.test(glob)) return { problem: "uses an extended glob such as `@(a|b)`; write `{a,b}` instead" };
  const braces = glob.split("{").length - 1;
  const alternatives = braces === 0 ? [glob] : expand(glob, { max: MOST + 1 });
  if (braces > MOST_BRACES || alternatives.length > MOST) return { problem: "has too many alternatives in braces" };
  const isName = anyFolder && !glob.includes("/");
  const each = alternatives.map((one) => RE2JS.compile(sourceOf(one.toWellFormed()), RE2JS.DOTALL));
  return {
    matches(path) {
      const text = PART + (isName ? path.slice(path.lastIndexOf("/") + 1) : path.replaceAll("/", PART));
      return each.some((pattern) => pattern.test(text));
    },
  };
}

/** Replaces the slash before each name of a path: no path contains it, so `[+-9]` cannot match the end of a name. */
const PART = "\0";
const ONE = `[^${PART}]`;

/** An alternative as a regular expression over names with PART before each. */
function sourceOf(glob: string): string {
  const names = glob.replace(/^\.\//, "").split("/");
  const steps = names.map((name, at) => {
    if (/^\*{2,}$/.test(name)) return ANY_FOLDERS;
    // `**.ts` at the front means a name in any folder, as its authors expect.
    return at === 0 && name.startsWith("**") ? ANY_FOLDERS + nameSource(name.slice(1)) : nameSource(name);
  });
  return `^${steps.join("")}$`;
}

const ANY_FOLDERS = `(?:${PART}${ONE}*)*`;

/** Stars, one character, a class, or a literal character; a bracket that never closes is literal. */
const PIECES = /(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|\\?(.)/gsu;

function nameSource(name: string): string {
  // A lone star matches any name, but not an empty one.
  if (/^\*$/.test(name)) return `${PART}${ONE}+`;
  const source = name.replace(PIECES, (_, stars, one, negated, inside, literal) => {
    if (stars !== undefined) return `${ONE}*`;
    if (one !== undefined) return ONE;
    return literal === undefined ? classSource(inside, negated !== "") : RE2JS.quote(literal);
  });
  return PART + source;
}

function classSource(inside: string, isNegated: boolean): string {
  const ranges = [...inside.matchAll(/\\?(.)-\\?(.)|\\?(.)/gsu)].flatMap(([, low, high, single]) => {
    const [from, to] = [low ?? single ?? "", high ?? single ?? ""].map((char) => char.codePointAt(0) ?? 0);
    return from === undefined || to === undefined || from > to
      ? []
      : [`\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`];
  });
  // An empty class matches nothing; negated, everything.
  return isNegated ? `[^${PART}${ranges.join("")}]` : `[${ranges.join("") || "^\\x{0}-\\x{10ffff}"}]`;
}

// A glob for the files of the same kind in the same folder.

/**
 * `src/db/pool.ts` gives `src/db/*.ts`, `Makefile` itself, `conf/.env` itself: a name without an extension is its own kind.
 *
 * @returns null for an empty path or a folder
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

/** A glob that matches exactly this text. */
export function literalGlob(text: string): string {
  return text.replace(/[*?[\]{}()!\\]/g, "\\$&");
}
