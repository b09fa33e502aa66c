// Private keys by their PEM header (RFC 7468; RFC 1421 for the fields of encrypted ones; OpenSSH and OpenPGP armour).
// Only valid key characters count as the body, so a header in a pull request cannot hide the code after it.
import type { SecretSpan } from "./secret-detector-assignments.ts";
import { isInventedToken } from "./secret-detector-placeholders.ts";

const HEADER = /-----BEGIN[ A-Z0-9]{0,40} ?PRIVATE KEY(?: BLOCK)?-----/g;
/** The sign of a removed line may precede it. */
const FOOTER = /-{5,6}END[ A-Z0-9]{0,40}-{0,5}/y;

/** Characters of the longest body: PEM bodies of 16,384-bit keys have about 12,700. */
const LONGEST_KEY = 16_000;

/**
 * What may occur between two lines of a key: white space, raw or escaped, the anchor and sign of a diff line, the prefix of a
 * comment or a quotation, and the ends of joined strings.
 */
const BETWEEN = /(?:\s|\\{1,4}[nrt]|-?\d{1,9}#[0-9a-f]{4}:[-+ ]?|["'`+.,&\\;#*>|]|\/[/*]|-(?!-{4})){0,120}/y;

/** Fields under the header of an encrypted or an OpenPGP key, up to the end of their line. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\r\n\\"'`]{0,120}/y;
const MOST_FIELDS = 6;

/** A line of a key, or an OpenPGP checksum. */
const RUN = /=?[A-Za-z0-9+/]{1,16000}={0,2}/y;
/** Lines of keys have 64, 70 or 76 characters; a shorter one is the last. */
const FULL_RUN = 32;

/**
 * @yields each key from its header to its footer, or to its last line if there is no footer; a header alone is not a key
 */
export function* privateKeys(text: string): Iterable<SecretSpan> {
  for (const hit of text.matchAll(HEADER)) {
    const from = hit.index + hit[0].length;
    const end = keyEnd(text, from);
    if (end === null) continue;
    const certainty = isInventedToken(text.slice(from, Math.min(end, from + 400))) ? "possible" : "certain";
    yield { label: "private key", start: hit.index, end, certainty, source: "private-key" };
  }
}

/** Null if no key follows the header. */
function keyEnd(text: string, from: number): number | null {
  let end: number | null = null;
  let at = afterFields(text, from);
  while (at - from < LONGEST_KEY) {
    const start = skip(BETWEEN, text, at);
    if (end !== null && matches(FOOTER, text, start)) return FOOTER.lastIndex;
    at = skip(RUN, text, start);
    const run = text.slice(start, at);
    if (isFull(run)) end = at;
    else return end !== null && isLast(run, text, at) ? footerOr(at, text) : end;
  }
  return end;
}

function afterFields(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < MOST_FIELDS; count++) {
    const start = skip(BETWEEN, text, at);
    if (!matches(FIELD, text, start)) break;
    at = FIELD.lastIndex;
  }
  return at;
}

/** Whether a run is long enough and mixes cases and digits, as names and paths seldom do. */
function isFull(run: string): boolean {
  return run.length >= FULL_RUN && /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9+/]/.test(run);
}

/** The short line at the end of a key, not a word of code below it. */
function isLast(run: string, text: string, at: number): boolean {
  if (run === "") return false;
  if (run.endsWith("=") || matches(FOOTER, text, skip(BETWEEN, text, at))) return true;
  if (at === text.length) return /[A-Z0-9+/]/.test(run);
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9+/]/.test(run);
}

function footerOr(at: number, text: string): number {
  return matches(FOOTER, text, skip(BETWEEN, text, at)) ? FOOTER.lastIndex : at;
}

/** The end of a sticky pattern's match; `at` without a match. */
function skip(pattern: RegExp, text: string, at: number): number {
  return matches(pattern, text, at) ? pattern.lastIndex : at;
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
