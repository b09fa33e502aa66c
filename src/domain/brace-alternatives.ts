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
export function braceAlternatives(glob: string): readonly string[] | null {
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
