// Globs for paths, matched without a regular expression: both the glob and the path may be made to be slow.

interface PathGlob {
  /** Takes time in proportion to glob × path at the very worst, and to the path as people write globs. Never throws. */
  readonly matches: (path: string) => boolean;
}

/** `@(a|b)`, `!(a)`: other tools read them as a language of their own. */
const EXTENDED = /[@!+*?]\([^()]*\)/;

/**
 * Reads a glob: `*` any text without a slash, `**` any folders, `?` one character, `[a-z]` and `[!a-z]` one of or none of,
 * `{a,b}` either, `\` takes the meaning from what follows. Everything else, parentheses included, stands for itself, and
 * case matters.
 *
 * @param glob without a leading `!`; of the configuration, at most 500 characters
 * @param anyFolder a glob without a slash matches the name of a file in whatever folder
 * @returns the glob, or what is wrong with it in one sentence fragment; never throws
 */
export function pathGlob(
  glob: string,
  { anyFolder = false }: { readonly anyFolder?: boolean } = {},
): PathGlob | { readonly problem: string } {
  if (EXTENDED.test(glob)) return { problem: "uses an extended glob such as `@(a|b)`; write `{a,b}` instead" };
  const alternatives = braceAlternatives(glob);
  if (alternatives === null) return { problem: "has too many alternatives in braces" };
  const isName = anyFolder && !glob.includes("/");
  const each = alternatives.map(alternativeMatcher);
  return {
    matches: (path) => {
      const segments = isName ? [path.slice(path.lastIndexOf("/") + 1)] : path.split("/");
      return each.some((matches) => matches(segments));
    },
  };
}

type Segments = (segments: readonly string[]) => boolean;

/** The steps of a glob: null for any folders, else what one segment must be. */
type Step = ((segment: string) => boolean) | null;

function alternativeMatcher(glob: string): Segments {
  const steps = glob.replace(/^\.\//, "").split("/").flatMap(stepsOf);
  return (segments) => walks(steps, segments);
}

/** `**.ts` at the front means a name in any folder, as everybody who writes it expects. */
function stepsOf(segment: string, index: number): Step[] {
  if (/^\*{2,}$/.test(segment)) return [null];
  return index === 0 && segment.startsWith("**") ? [null, segmentMatcher(segment.slice(1))] : [segmentMatcher(segment)];
}

/** As with one star and letters: it is enough to come back to the last `**`, since earlier ones could give no more. */
function walks(steps: readonly Step[], segments: readonly string[]): boolean {
  let [step, at] = [0, 0];
  let [back, from] = [-1, 0];
  while (at < segments.length) {
    const wanted = steps[step];
    if (wanted === null) {
      [back, from] = [step, at];
      step += 1;
    } else if (wanted?.(segments[at] ?? "") === true) {
      step += 1;
      at += 1;
    } else if (back >= 0) {
      from += 1;
      [step, at] = [back + 1, from];
    } else return false;
  }
  return steps.slice(step).every((rest) => rest === null);
}

// `{a,b}` written out: every text that a glob's braces stand for.

/** More alternatives than people write by a wide margin; `{a,b}{a,b}…` doubles with each pair. */
const MOST = 100;
/** Braces in one glob, open ones that stand for themselves included. */
const MOST_BRACES = 20;

/**
 * Writes the braces of a glob out: `src/*.{js,ts}` → `src/*.js`, `src/*.ts`; `{1..3}` → 1, 2, 3. Braces within braces count;
 * braces without a comma or a range, or that never close, stand for themselves; `\` takes the meaning away.
 *
 * @returns at least one text, or null when there are more than a hundred, or more than twenty braces
 */
function braceAlternatives(glob: string): readonly string[] | null {
  if (glob.split("{").length - 1 > MOST_BRACES) return null;
  let texts: readonly string[] = [glob];
  // Each round writes out the first brace of every text, from the outside in.
  for (let round = 0; round <= MOST_BRACES; round += 1) {
    texts = texts.flatMap((text) => writtenOut(text) ?? [text]);
    if (texts.length > MOST) return null;
  }
  return texts;
}

/** The text once for each alternative of its first brace; null when it has none. */
function writtenOut(text: string): readonly string[] | null {
  for (let open = nextOpen(text, 0); open !== -1; open = nextOpen(text, open + 1)) {
    const brace = braceAt(text, open);
    // What never closes never closes further on either, unless it opens again within; those are looked at next.
    if (brace === null) continue;
    const before = text.slice(0, open);
    const after = text.slice(brace.end + 1);
    return brace.parts.map((part) => before + part + after);
  }
  return null;
}

function nextOpen(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") return at;
  }
  return -1;
}

function braceAt(text: string, open: number): { readonly parts: readonly string[]; readonly end: number } | null {
  const { commas, end } = marksFrom(text, open);
  if (end === null) return null;
  const parts = commas.length > 0 ? between(text, [open, ...commas, end]) : range(text.slice(open + 1, end));
  return parts === null ? null : { parts, end };
}

/** Where the commas of the brace that opens here stand, and where it closes. */
function marksFrom(text: string, open: number): { readonly commas: readonly number[]; readonly end: number | null } {
  const commas: number[] = [];
  let depth = 0;
  for (const { 0: mark, index } of text.slice(open).matchAll(/\\.|[{},]/gs)) {
    if (mark === "{") depth += 1;
    else if (mark === "}") depth -= 1;
    else if (mark === "," && depth === 1) commas.push(open + index);
    if (depth === 0) return { commas, end: open + index };
  }
  return { commas, end: null };
}

function between(text: string, marks: readonly number[]): string[] {
  return marks.slice(1).map((mark, index) => text.slice((marks[index] ?? 0) + 1, mark));
}

/** `1..5` or `a..e`; what is longer than that is no range. */
function range(text: string): string[] | null {
  const [, low, high] = /^(\d{1,4}|[a-z])\.\.(\d{1,4}|[a-z])$/i.exec(text) ?? [];
  if (low === undefined || high === undefined) return null;
  const isNumber = /^\d/.test(low);
  if (isNumber !== /^\d/.test(high)) return null;
  const [from, to] = isNumber ? [Number(low), Number(high)] : [low.charCodeAt(0), high.charCodeAt(0)];
  const count = Math.min(to - from, MOST) + 1;
  return count < 1
    ? null
    : Array.from({ length: count }, (_, at) => (isNumber ? String(from + at) : String.fromCharCode(from + at)));
}

// One segment of a glob against one segment of a path: a name or a folder, without slashes.

/** One character that may stand at a place. */
type One = (char: string) => boolean;
/** What stands between two stars: text, or characters of which some are chosen. */
type Chunk = string | readonly One[];

/**
 * Compiles a segment such as `*.test.[jt]s`. A lone `*` takes any name but none at all.
 *
 * @returns in at most segment × name steps, whatever both are
 */
function segmentMatcher(segment: string): (name: string) => boolean {
  const chunks = chunksOf(segment);
  const [first = "", ...rest] = chunks;
  const last = rest.pop();
  if (last === undefined) return (name) => standsAt(first, name, 0) && lengthOf(first) === name.length;
  const least = chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0);
  return (name) => {
    const end = name.length - lengthOf(last);
    if (name === "" || name.length < least || !standsAt(first, name, 0) || !standsAt(last, name, end)) return false;
    // The first place of each chunk leaves the most room for the next: nothing need ever be tried again.
    let at = lengthOf(first);
    for (const chunk of rest) {
      const found = placeOf(chunk, name, at, end);
      if (found === -1) return false;
      at = found + lengthOf(chunk);
    }
    return at <= end;
  };
}

function lengthOf(chunk: Chunk): number {
  return chunk.length;
}

function standsAt(chunk: Chunk, name: string, at: number): boolean {
  if (at < 0) return false;
  if (typeof chunk === "string") return name.startsWith(chunk, at);
  return at + chunk.length <= name.length && chunk.every((one, index) => one(name.charAt(at + index)));
}

function placeOf(chunk: Chunk, name: string, from: number, end: number): number {
  if (typeof chunk === "string") {
    const found = name.indexOf(chunk, from);
    return found + chunk.length <= end ? found : -1;
  }
  for (let at = from; at + chunk.length <= end; at += 1) if (standsAt(chunk, name, at)) return at;
  return -1;
}

function chunksOf(segment: string): Chunk[] {
  const chunks: Chunk[] = [];
  let places: Place[] = [];
  for (let at = 0; at <= segment.length; ) {
    const place = placeAt(segment, at);
    if (place.one !== null) places.push(place);
    else {
      const isText = places.every(({ text }) => text !== null);
      chunks.push(isText ? places.map(({ text }) => text).join("") : places.flatMap(({ one }) => one ?? []));
      places = [];
    }
    at = place.end;
  }
  return chunks;
}

/** What may stand at one place, which text that is where there is no choice, and where the next begins. */
interface Place {
  /** Null: a star, or the end. */
  readonly one: One | null;
  readonly text: string | null;
  readonly end: number;
}

function placeAt(segment: string, at: number): Place {
  const [mark = ""] = /^(?:\*+|\?|\[)/.exec(segment.slice(at, at + 500)) ?? [];
  if (at >= segment.length) return { one: null, text: null, end: at + 1 };
  if (mark.startsWith("*")) return { one: null, text: null, end: at + mark.length };
  if (mark === "?") return { one: () => true, text: null, end: at + 1 };
  const set = mark === "[" ? setAt(segment, at) : null;
  if (set !== null) return { one: set.one, text: null, end: set.end + 1 };
  const literal = segment[at] === "\\" && at + 1 < segment.length ? at + 1 : at;
  const text = segment.charAt(literal);
  return { one: (char) => char === text, text, end: literal + 1 };
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`, beginning at `open`; null when it is never closed, and then `[` is a bracket. */
function setAt(segment: string, open: number): { readonly one: One; readonly end: number } | null {
  const isNegated = /[!^]/.test(segment.charAt(open + 1));
  const start = open + (isNegated ? 2 : 1);
  // A bracket that stands first is one of the characters.
  const end = segment.indexOf("]", start + 1);
  if (end === -1) return null;
  const ranges = [...segment.slice(start, end).matchAll(/\\?(.)-\\?(.)|\\?(.)/gs)].map(
    ([, low, high, single]) => [low ?? single ?? "", high ?? single ?? ""] as const,
  );
  const one: One = (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated;
  return { one, end };
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
  // What globs read as their own stands for itself.
  const literal = (text: string) => text.replace(/[*?[\]{}()!\\]/g, "\\$&");
  return dot <= 0 || dot === name.length - 1 ? literal(path) : `${literal(folder)}*${literal(name.slice(dot))}`;
}
