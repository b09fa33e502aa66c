/** `1 file`, `3 files`, `2 memories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** The first `most` items: `a, b and 3 more`. @param more items beyond the given ones */
export function listed<T>(items: readonly T[], most: number, write: (item: T) => string, more = 0): string {
  const shown = items.slice(0, most);
  const rest = items.length - shown.length + more;
  return `${shown.map((item) => write(item)).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
