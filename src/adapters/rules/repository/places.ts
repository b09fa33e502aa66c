/** Places that one finding names. */
const MOST = 5;

/** `a.ts:3`, `b.ts:9` and 2 more, as Markdown. */
export function places(all: readonly { readonly path: string; readonly line: number }[]): string {
  const each = [...new Set(all.map(({ path, line }) => `\`${path.replace(/[`\s]/g, " ")}:${line}\``))];
  const more = each.length > MOST ? ` and ${each.length - MOST} more` : "";
  return `${each.slice(0, MOST).join(", ")}${more}`;
}
