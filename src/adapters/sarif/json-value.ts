// Reads JSON by others: members may be missing, of another type, or called `__proto__`.

export function member(value: unknown, ...names: readonly (string | number)[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[name];
  }
  return found;
}

export function textOf(value: unknown, ...names: readonly (string | number)[]): string {
  const found = member(value, ...names);
  return typeof found === "string" ? found : "";
}

export function listOf(value: unknown, ...names: readonly (string | number)[]): readonly unknown[] {
  const found = member(value, ...names);
  return Array.isArray(found) ? found : [];
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A whole number of at least `least` that counts exactly; else null. */
export function countOf(least: number, value: unknown, ...names: readonly (string | number)[]): number | null {
  const found = member(value, ...names);
  return Number.isSafeInteger(found) && (found as number) >= least ? (found as number) : null;
}

/** Where text ends to be JSON: `line 3, column 5`. Quotes none of it: it may be any file. */
export function placeOfError(text: string): string {
  // Of the shortest beginning that cannot be continued, the last character is the wrong one.
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (mayContinue(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const before = text.slice(0, good);
  const line = before.split("\n").length;
  return `line ${line}, column ${good - before.lastIndexOf("\n")}`;
}

function mayContinue(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/^Unexpected end|^Unterminated/.test(message)) return true;
    const at = /at position (\d+)/.exec(message)?.[1];
    return at !== undefined && Number(at) >= start.length;
  }
}
