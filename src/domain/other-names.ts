// Whether two pieces of code are the same but for names: one may be the other after somebody renamed something, or another
// piece altogether, written like the first.
import { textTokens } from "./code-shape.ts";

/** What is no name, number or word. */
const PUNCTUATION: ReadonlySet<number> = new Set(textTokens("! # % & * + - . / : < = > ? @ [ ] ^ { | } ~"));

/**
 * The tokens of `a` in whose place `b` has others, where nothing else differs: token by token, no punctuation, and each name
 * has one other name. Null where more differs, or nothing does.
 */
export function otherNames(a: readonly number[], b: readonly number[]): ReadonlySet<number> | null {
  if (a.length !== b.length) return null;
  const [forth, back] = [new Map<number, number>(), new Map<number, number>()];
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? 0;
    if ((forth.get(left) ?? right) !== right || (back.get(right) ?? left) !== left) return null;
    if (left !== right && !areNames(left, right)) return null;
    forth.set(left, right);
    back.set(right, left);
  }
  const others = [...forth].flatMap(([left, right]) => (left === right ? [] : [left]));
  return others.length === 0 ? null : new Set(others);
}

function areNames(left: number, right: number): boolean {
  return !PUNCTUATION.has(left) && !PUNCTUATION.has(right);
}
