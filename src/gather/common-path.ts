// The two names of one file in a diff -> its path. Prefixes are a/ and b/, or i/ and w/, or anything, or nothing.

/**
 * The path that two printed names share.
 *
 * @param oldName as printed, with its prefix: `a/src/x.ts`
 * @param newName as printed, with its prefix: `b/src/x.ts`
 * @returns the path without prefixes (equal names have none: `--no-prefix`); null when the names share no path
 */
export function commonPath(oldName: string, newName: string): string | null {
  if (oldName === newName) return oldName;
  const oldRest = withoutLetter(oldName);
  if (oldRest !== null && oldRest === withoutLetter(newName)) return oldRest;
  let shared = 0;
  while (shared < oldName.length && shared < newName.length && oldName.at(-1 - shared) === newName.at(-1 - shared)) {
    shared++;
  }
  // A prefix of one's own ends in a slash: src://x and dst://x. Cutting inside a word would invent a path.
  const suffix = newName.slice(newName.length - shared);
  const slash = suffix.indexOf("/");
  const path = slash < 0 ? "" : suffix.slice(slash).replace(/^\/+/, "");
  return path === "" ? null : path;
}

function withoutLetter(name: string): string | null {
  return /^[a-z]\/./.test(name) ? name.slice(2) : null;
}
