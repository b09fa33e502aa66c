// The words of a text as sorted hashes: small enough to keep for a whole repository.
import { firstNotBefore } from "../../domain/first-not-before.ts";
import { FNV_START, fnv1a, fnvStep } from "../../domain/text/hash.ts";

/** Both sorted. Two words may share a hash: whoever finds one looks at the text. */
export interface WordIndex {
  readonly words: Uint32Array;
  /** Those that stand where a definition may stand: after `class`, before `(`, `=` or `:`. */
  readonly defined: Uint32Array;
}

const DEFINERS = hashesOf(
  "class const def define enum export fn func fun function impl interface let macro macro_rules mod module namespace " +
    "package record static struct trait type typedef union val var",
);
/** What stands before a call and not before a definition. */
const CALLERS = hashesOf(
  "and assert await case defer delete do elif else go if in is new not of or print return sizeof throw typeof until " +
    "when while yield",
);

function hashesOf(words: string): ReadonlySet<number> {
  return new Set(words.split(" ").map(fnv1a));
}

/** One pass over the text: 30 MB take about a second. */
export function wordIndex(text: string): WordIndex {
  const words = new Set<number>();
  const defined = new Set<number>();
  /** The word before on the same line; 0: there is none. */
  let before = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (!isWordUnit(unit)) {
      if (unit === 10) before = 0;
      at++;
      continue;
    }
    let hash = FNV_START;
    const start = at;
    for (; at < text.length && isWordUnit(text.charCodeAt(at)); at++) hash = fnvStep(hash, text.charCodeAt(at));
    words.add(hash);
    if (mayDefine(text, start, at, before)) defined.add(hash);
    before = hash;
  }
  return { words: Uint32Array.from(words).sort(), defined: Uint32Array.from(defined).sort() };
}

function mayDefine(text: string, start: number, end: number, before: number): boolean {
  if (DEFINERS.has(before)) return true;
  // `.name(` is a call.
  if (text.charCodeAt(start - 1) === 46) return false;
  let next = end;
  while (text.charCodeAt(next) === 32) next++;
  return /[(<:=;,]/.test(text.charAt(next)) && !CALLERS.has(before);
}

/** Letters, digits, `_`, `$`, and everything beyond ASCII. */
function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 36 ||
    unit > 127
  );
}

/** Whether a sorted list has it. */
export function hasHash(sorted: Uint32Array, hash: number): boolean {
  return sorted[firstNotBefore(sorted, (value) => value, hash)] === hash;
}
