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
