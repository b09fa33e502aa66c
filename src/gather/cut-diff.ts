// Splits a diff of many files into one piece per file. A line of a hunk starts with a space, +, - or \, so the lines
// that separate two files (`diff …`, `Index: …`) cannot occur inside one: no counting is needed, and one malformed file
// spoils only itself.

/**
 * `git`: starts with `diff --git`. `combined`: a merge against several parents. `binary`: the one line
 * "Binary files … differ" of another tool. `plain`: everything else: prose, or one file under bare `---` and `+++`.
 */
export interface DiffPiece {
  readonly kind: "git" | "combined" | "binary" | "plain";
  readonly text: string;
}

const BARE = "--- ";

const STARTS: readonly (readonly [DiffPiece["kind"], string])[] = [
  ["git", "diff --git "],
  ["combined", "diff --cc "],
  ["combined", "diff --combined "],
  ["plain", "diff -"],
  ["plain", "Index: "],
  ["plain", "=== added "],
  ["plain", "=== modified "],
  ["plain", "=== removed "],
  ["plain", "=== renamed "],
  ["plain", BARE],
  ["binary", "Binary files "],
];

/** First letters of the separators: one character rules out most lines. */
const FIRST_LETTERS = new Set(STARTS.map(([, start]) => start.charCodeAt(0)));

/**
 * Splits a diff where one file's part ends and the next begins.
 *
 * @param text a whole unified diff; only LF ends a line
 * @returns the pieces in order; joined they are `text` again
 */
export function cutDiff(text: string): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  let kind: DiffPiece["kind"] = "plain";
  let from = 0;
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    // Lines after the one line of a binary file belong to no file yet.
    const next: DiffPiece["kind"] | null = startAt(text, at, kind) ?? (kind === "binary" ? "plain" : null);
    if (next === null) continue;
    if (at > from) pieces.push({ kind, text: text.slice(from, at) });
    kind = next;
    from = at;
  }
  if (from < text.length) pieces.push({ kind, text: text.slice(from) });
  return pieces;
}

function startAt(text: string, at: number, current: DiffPiece["kind"]): DiffPiece["kind"] | null {
  if (!FIRST_LETTERS.has(text.charCodeAt(at))) return null;
  const kind = STARTS.find(([, start]) => text.startsWith(start, at))?.[0] ?? null;
  // Git repeats "Binary files … differ", and the names, below its own header.
  if (current === "git" && (kind === "binary" || text.startsWith(BARE, at))) return null;
  return text.startsWith(BARE, at) && !isBareHeader(text, at) ? null : kind;
}

/**
 * `--- `, `+++ ` and `@@ ` in a row: a removed and an added line may look like the first two, nothing like the third.
 */
function isBareHeader(text: string, at: number): boolean {
  const second = nextLine(text, at);
  return text.startsWith("+++ ", second) && text.startsWith("@@ ", nextLine(text, second));
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
