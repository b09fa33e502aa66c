// The same code as another author would write it: local names changed, lines reformatted. What a
// variant is does not depend on what it is compared with.
import { createHash } from "node:crypto";

/** Keywords, which are no names, in the languages of the data. */
const KEYWORDS = new Set(
  (
    "abstract and any as assert async await bool boolean break byte case catch char class const constexpr continue crate debugger def default " +
    "defer del delete do double elif else elsif end enum ensure except export extends extern false final finally float fn for foreach from func " +
    "function global go goto if impl implements import in include inline instanceof int interface is lambda let long loop match mod module move " +
    "mut namespace new next nil none not null nullptr number object of or override package pass private protected public pub raise readonly ref " +
    "rescue return self short signed sizeof static str string struct super switch template then this throw throws trait true try type typedef " +
    "typeof undefined union unless unsafe unsigned until use using val var virtual void volatile when where while with yield"
  ).split(" "),
);

const MEANINGS = [
  "item",
  "entry",
  "part",
  "piece",
  "result",
  "state",
  "input",
  "buffer",
  "option",
  "target",
  "record",
  "node",
];

/**
 * Which names change: those that are neither called, nor members, nor written with a capital; or
 * all but keywords.
 */
export type RenamedNames = "local" | "every";

/**
 * Each name is replaced by one of its own that is made from its letters; indentation, blanks
 * between tokens and line breaks after `,`, `{` and `(` change.
 */
export function variantOf(code: string, names: RenamedNames): string {
  return reformatted(code.replace(PATTERNS[names], (name) => (KEYWORDS.has(name) ? name : nameFor(name))));
}

const PATTERNS: Readonly<Record<RenamedNames, RegExp>> = {
  local: /(?<![\p{L}\p{N}_$.@#])[\p{Ll}_][\p{L}\p{N}_]{1,80}(?![\p{L}\p{N}_$]|\s{0,3}[(!:]|["'`])/gu,
  every: /(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]{1,80}(?![\p{L}\p{N}_$])/gu,
};

function nameFor(name: string): string {
  const digest = createHash("sha256").update(name).digest();
  return `${MEANINGS[(digest[0] ?? 0) % MEANINGS.length]}${(digest[1] ?? 0) % 100}`;
}

/** Formatters do this: it changes no token. */
function reformatted(code: string): string {
  return code
    .split("\n")
    .flatMap((line) =>
      line
        .trim()
        .replace(/([,{(])[ \t]+/g, "$1\n")
        .split("\n"),
    )
    .filter((line) => line.trim() !== "")
    .map((line) => `\t\t${line.replace(/[ \t]{2,}/g, " ")}`)
    .join("\n");
}
