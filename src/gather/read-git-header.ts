// Reads the lines from `diff --git` to the first hunk: names, modes, whether hunks must follow.

import type { FileStatus } from "../domain/pull-request.ts";

/**
 * Git's extended headers, and its old and new names; anything else ends the header. Source: git's
 * diff-generate-patch.
 */
const FIELDS = [
  "old mode ",
  "new mode ",
  "deleted file mode ",
  "new file mode ",
  "copy from ",
  "copy to ",
  "rename from ",
  "rename to ",
  "similarity index ",
  "dissimilarity index ",
  "index ",
  "--- ",
  "+++ ",
  "Binary files ",
  "GIT binary patch",
] as const;
type Field = (typeof FIELDS)[number];
type Fields = ReadonlyMap<Field, string>;

/** The object id of an empty file, in repositories with SHA-1 and with SHA-256. */
const EMPTY_BLOBS = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/**
 * Git's facts about a file before its hunks.
 *
 * @param text starts with `diff --git `
 */
export function readGitHeader(text: string) {
  // Git quotes a name that ends in CR: a CR here is of a diff that was converted as a whole.
  const lines = text.matchAll(/([^\n]*?)\r?(?:\n|$)/g).map(([, line = ""]) => line);
  const names = (lines.next().value ?? "").slice("diff --git ".length);
  const fields = readFields(lines);
  const moved = fields.has("rename to ") ? "renamed" : fields.has("copy to ") ? "copied" : null;
  const index = fields.get("index ") ?? "";
  const unchanged = /^[0-9a-f]+\.\.[0-9a-f]+ (\d{6})$/.exec(index)?.[1] ?? null;
  return {
    /** The head path, the base path of a removed file; null when the two names are ambiguous. */
    path: movedName(fields, "to ") ?? samePath(names, fields),
    previousPath: moved === null ? null : movedName(fields, "from "),
    status: moved ?? statusOf(fields),
    oldMode: fields.get("old mode ") ?? fields.get("deleted file mode ") ?? unchanged,
    newMode: fields.get("new mode ") ?? fields.get("new file mode ") ?? unchanged,
    binary: fields.has("Binary files ") || fields.has("GIT binary patch"),
    /** True when the two blobs differ, so that hunks must follow. */
    contentDiffers: differs(index),
  };
}

function readFields(lines: Iterable<string>): Fields {
  const fields = new Map<Field, string>();
  for (const line of lines) {
    const field = FIELDS.find((name) => line.startsWith(name));
    if (field === undefined) break;
    fields.set(field, line.slice(field.length));
    if (field === "GIT binary patch") break;
  }
  return fields;
}

function statusOf(fields: Fields): FileStatus {
  if (fields.has("new file mode ")) return "added";
  return fields.has("deleted file mode ") ? "removed" : "modified";
}

function differs(index: string): boolean {
  const [, before = "", after = ""] = /^([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})/.exec(index) ?? [];
  return before !== after && !(isNothing(before) && isNothing(after));
}

function isNothing(id: string): boolean {
  return /^0+$/.test(id) || EMPTY_BLOBS.some((empty) => empty.startsWith(id));
}

/** The name in `rename to` and the like has no prefix, so it needs no guess. */
function movedName(fields: Fields, which: "from " | "to "): string | null {
  const name = fields.get(`rename ${which}`) ?? fields.get(`copy ${which}`);
  return name === undefined ? null : unquoted(name);
}

/** The path of a file that did not move: the common part of both names without their prefixes. */
function samePath(names: string, fields: Fields): string | null {
  const oldName = printedName(fields.get("--- "));
  const newName = printedName(fields.get("+++ "));
  if (oldName !== null && newName !== null) return commonPath(oldName, newName);
  const pair = splitNames(names, newName ?? oldName, newName !== null);
  return pair === null ? null : commonPath(pair[0], pair[1]);
}

/**
 * The name of a `---` or `+++` line; null for /dev/null. Git ends a name with spaces by a tab,
 * other tools by a date.
 */
function printedName(line: string | undefined): string | null {
  if (line === undefined) return null;
  const name = unquoted(line.split("\t", 1)[0] ?? "");
  return name === "/dev/null" ? null : name;
}

function unquoted(name: string): string {
  return unquotePath(name)?.name ?? name;
}

/** `a/x y b/x y` -> two names: unquoted ones are of one length unless the file moved. */
function splitNames(names: string, known: string | null, knownIsNew: boolean): readonly [string, string] | null {
  const first = unquotePath(names);
  if (first !== null) return [first.name, unquoted(names.slice(first.length + 1))];
  const quote = names.indexOf(' "');
  if (quote >= 0) return [names.slice(0, quote), unquoted(names.slice(quote + 1))];
  if (known !== null && knownIsNew && names.endsWith(` ${known}`)) return [names.slice(0, -known.length - 1), known];
  if (known !== null && names.startsWith(`${known} `)) return [known, names.slice(known.length + 1)];
  const middle = (names.length - 1) / 2;
  return names.charAt(middle) === " " ? [names.slice(0, middle), names.slice(middle + 1)] : null;
}

/**
 * The path that two printed names share, after prefixes such as a/ and b/, any others, or none.
 *
 * @param oldName as printed, with its prefix: `a/src/x.ts`
 * @param newName as printed, with its prefix: `b/src/x.ts`
 * @returns the path without prefixes (equal names have none: `--no-prefix`); null when the names
 * share no path
 */
export function commonPath(oldName: string, newName: string): string | null {
  if (oldName === newName) return oldName;
  const oldRest = withoutLetter(oldName);
  if (oldRest !== null && oldRest === withoutLetter(newName)) return oldRest;
  let shared = 0;
  while (shared < oldName.length && shared < newName.length && oldName.at(-1 - shared) === newName.at(-1 - shared)) {
    shared++;
  }
  // A prefix ends in a slash (src://x, dst://x): a cut inside a word would invent a path.
  const suffix = newName.slice(newName.length - shared);
  const slash = suffix.indexOf("/");
  const path = slash < 0 ? "" : suffix.slice(slash).replace(/^\/+/, "");
  return path === "" ? null : path;
}

function withoutLetter(name: string): string | null {
  return /^[a-z]\/./.test(name) ? name.slice(2) : null;
}

// Git quotes paths with control characters, quotes, backslashes or other bytes: "b/\303\251.txt".

const ESCAPED = /\\([abtnvfr"\\]|[0-3][0-7]{2})/g;
/**
 * A path has at most 4,096 bytes (PATH_MAX of Linux). Without a limit, a name of 20 MB overflows
 * the stack of the expression.
 */
const QUOTED = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2})){0,4096})"/;
/** The bytes of the escapes that are letters, from 7 on. Source: git's quote.c. */
const LETTERS = "abtnvfr";

/** A quoted name at the start of a text, and its length in UTF-16 units including quotes. */
interface QuotedName {
  readonly name: string;
  readonly length: number;
}

/**
 * Reads the C-style quoted name at the start of `text`. Octal escapes are bytes of UTF-8; bytes
 * that are not UTF-8 become U+FFFD.
 *
 * @returns null when `text` does not start with a quote, the quote does not close within 4,096
 * bytes, or an escape is unknown
 */
export function unquotePath(text: string): QuotedName | null {
  const [quoted, escaped = ""] = QUOTED.exec(text) ?? [];
  if (quoted === undefined) return null;
  const byteOf = (code: string) => {
    if (code.length === 3) return Number.parseInt(code, 8);
    return LETTERS.includes(code) ? 7 + LETTERS.indexOf(code) : code.charCodeAt(0);
  };
  // One character a byte, so that an escape is one character as well.
  const bytes = Buffer.from(escaped)
    .toString("latin1")
    .replace(ESCAPED, (_, code: string) => String.fromCharCode(byteOf(code)));
  const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
  return { name, length: quoted.length };
}
