// Globs for paths, run by RE2 in time linear in the path: both the glob and the path may be made to be slow.
import { expand } from "brace-expansion";
import { RE2JS } from "re2js";

interface PathGlob {
  /** Never throws. */
  readonly matches: (path: string) => boolean;
}

/** `@(a|b)`, `!(a)`: other tools read them as a language of their own. */
const EXTENDED = /[@!+*?]\([^()]*\)/;
/** More alternatives than people write by a wide margin; `{a,b}{a,b}…` doubles with each pair. */
const MOST = 100;
/** Braces in one glob, open ones that stand for themselves included. */
const MOST_BRACES = 20;

/**
 * Reads a glob: `*` any text without a slash, `**` any folders, `?` one character, `[a-z]` and `[!a-z]` one of or none of,
 * `{a,b}` either, `\` takes the meaning from what follows. Everything else, parentheses included, stands for itself, and
 * case matters.
 *
 * @param glob without a leading `!`; of the configuration, at most 500 characters
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

/** Stands before each name of a path in place of the slash: no path holds it, so `[+-9]` cannot match the end of a name. */
const PART = "\0";
const ONE = `[^${PART}]`;

/** An alternative as a regular expression over names with PART before each. */
function sourceOf(glob: string): string {
  const names = glob.replace(/^\.\//, "").split("/");
  const steps = names.map((name, at) => {
    if (/^\*{2,}$/.test(name)) return ANY_FOLDERS;
    // `**.ts` at the front means a name in any folder, as everyone who writes it expects.
    return at === 0 && name.startsWith("**") ? ANY_FOLDERS + nameSource(name.slice(1)) : nameSource(name);
  });
  return `^${steps.join("")}$`;
}

const ANY_FOLDERS = `(?:${PART}${ONE}*)*`;

/** Stars, one character, a class, or a character that stands for itself; a bracket that never closes does. */
const PIECES = /(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|\\?(.)/gsu;

function nameSource(name: string): string {
  // A lone star is a name, whatever it is, but not the lack of one.
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
  // A class of nothing matches nothing, or everything.
  return isNegated ? `[^${PART}${ranges.join("")}]` : `[${ranges.join("") || "^\\x{0}-\\x{10ffff}"}]`;
}

// The files that stand beside one and are of its kind, as a glob.

/**
 * `src/db/pool.ts` gives `src/db/*.ts`, `Makefile` itself, `conf/.env` itself: a name without an ending is a kind of its own.
 *
 * @returns null for no path
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

/** A glob in which what globs read as their own stands for itself. */
export function literalGlob(text: string): string {
  return text.replace(/[*?[\]{}()!\\]/g, "\\$&");
}
