// Maven's order of versions, after its "POM Reference, Version Order Specification".

/** Words that stand between a version and nothing, in their order; "" is the release itself. */
const QUALIFIERS: readonly string[] = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];

const SAME: ReadonlyMap<string, string> = new Map([
  ["cr", "rc"],
  ["final", ""],
  ["ga", ""],
  ["release", ""],
]);

/** Before a digit these single letters are words. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["a", "alpha"],
  ["b", "beta"],
  ["m", "milestone"],
]);

interface Token {
  readonly dash: boolean;
  readonly value: number | string;
}

/** Negative, 0 or positive; null when one is no version that begins with a number. */
export function compareMaven(a: string, b: string): number | null {
  const [first, second] = [tokens(a), tokens(b)];
  if (first === null || second === null) return null;
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const order = compareTokens(first[at] ?? padFor(second[at]), second[at] ?? padFor(first[at]));
    if (order !== 0) return order;
  }
  return 0;
}

function tokens(text: string): readonly Token[] | null {
  if (!/^v?\d[\w.+-]{0,99}$/i.test(text)) return null;
  const found: Token[] = [];
  const lower = text.replace(/^v/i, "").toLowerCase();
  let dash = true;
  for (const match of lower.matchAll(/(\d{1,15})|([a-z_+]+)|([.-])/g)) {
    const [, digits, word, separator] = match;
    if (separator !== undefined) dash = separator === "-";
    else {
      const next = lower.charAt(match.index + match[0].length);
      found.push({ dash, value: digits === undefined ? wordOf(word ?? "", /\d/.test(next)) : Number(digits) });
      // A change from digits to letters, or back, counts as a dash.
      dash = true;
    }
  }
  return trimmed(found);
}

function wordOf(word: string, beforeDigit: boolean): string {
  return SAME.get(word) ?? (beforeDigit ? SHORT.get(word) : undefined) ?? word;
}

/** Zeros and empty words go before each dash and at the end: 1.0.0-rc1 is 1-rc-1. */
function trimmed(found: readonly Token[]): readonly Token[] {
  const kept: Token[] = [];
  for (const token of found) {
    if (token.dash) dropNulls(kept);
    kept.push(token);
  }
  dropNulls(kept);
  return kept;
}

function dropNulls(kept: Token[]): void {
  while (kept.length > 0 && (kept.at(-1)?.value === 0 || kept.at(-1)?.value === "")) kept.pop();
}

function padFor(other: Token | undefined): Token {
  const dash = other?.dash ?? false;
  return { dash, value: typeof other?.value === "number" && !dash ? 0 : "" };
}

function compareTokens(a: Token, b: Token): number {
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0) return kinds;
  if (typeof a.value === "number" && typeof b.value === "number") return a.value - b.value;
  return compareWords(String(a.value), String(b.value));
}

/** Words, then -number, then .number. */
function kindOf({ dash, value }: Token): number {
  if (typeof value === "string") return 0;
  return dash ? 1 : 2;
}

function compareWords(a: string, b: string): number {
  const [first, second] = [a, b].map((word) => {
    const known = QUALIFIERS.indexOf(word);
    return known === -1 ? QUALIFIERS.length : known;
  });
  if (first !== second) return (first ?? 0) - (second ?? 0);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
