// What opens and closes code in Markdown, for every reader of it.

/** Start of each code span of a line → its end. A run of backticks is closed by the next run of the same length. Linear. */
export function codeSpans(line: string): ReadonlyMap<number, number> {
  const nextOfLength = new Map<number, number>();
  const ends = new Map<number, number>();
  // From the right, so that each run meets the next one of its length.
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].reverse()) {
    const next = nextOfLength.get(run.length);
    if (next !== undefined) ends.set(index, next + run.length);
    nextOfLength.set(run.length, index);
  }
  return ends;
}

/** Whether a line closes the fence that these marks opened: at least as many of them, and nothing else. */
export function closesFence(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === marks.charAt(0).repeat(text.length);
}
