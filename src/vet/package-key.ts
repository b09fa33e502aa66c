/**
 * By this a package is the same in two sources. Case never tells packages apart in practice; PyPI reads `-`, `_` and `.`
 * alike.
 */
export function packageKey(ecosystem: string | null, name: string): string {
  const lower = name.toLowerCase();
  return `${ecosystem ?? ""}:${ecosystem === "python" ? lower.replace(/[-_.]{1,200}/g, "-") : lower}`;
}
