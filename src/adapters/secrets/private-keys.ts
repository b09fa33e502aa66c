// Private keys by their PEM header (RFC 7468, RFC 1421; OpenSSH and OpenPGP armour). Only key
// characters count as body, so that a header hides no code after it.
import { endOfMatch, entropy, isInventedToken, type SecretSpan } from "./secret-span.ts";

const HEADER = /-----BEGIN[ A-Z0-9]{0,40} ?PRIVATE KEY(?: BLOCK)?-----/g;
/** The sign of a removed line may precede it. */
const FOOTER = /-{5,6}END[ A-Z0-9]{0,40}-{0,5}/y;

/** Characters of the longest body: PEM bodies of 16,384-bit keys have about 12,700. */
const LONGEST_KEY = 16_000;

/**
 * What may occur between two lines of a key: white space, raw or escaped, the anchor and sign of a
 * diff line, the prefix of a comment or a quotation, and the ends of joined strings.
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
 * @yields keys from header to footer, or to the last line without one; no header alone
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
    const footer = end === null ? null : footerEnd(text, at);
    if (footer !== null) return footer;
    const start = endOfMatch(BETWEEN, text, at);
    at = endOfMatch(RUN, text, start);
    const run = text.slice(start, at);
    if (isFull(run)) end = at;
    else return end !== null && isLast(run, text, at) ? (footerEnd(text, at) ?? at) : end;
  }
  return end;
}

function afterFields(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < MOST_FIELDS; count++) {
    const start = endOfMatch(BETWEEN, text, at);
    const end = endOfMatch(FIELD, text, start);
    if (end === start) break;
    at = end;
  }
  return at;
}

/** Null if no footer follows. */
function footerEnd(text: string, at: number): number | null {
  const start = endOfMatch(BETWEEN, text, at);
  const end = endOfMatch(FOOTER, text, start);
  return end === start ? null : end;
}

/** Whether a run is long enough and mixes cases and digits, as names and paths seldom do. */
function isFull(run: string): boolean {
  return run.length >= FULL_RUN && isMixed(run);
}

/** The short line at the end of a key, not a word of code below it. */
function isLast(run: string, text: string, at: number): boolean {
  if (run === "") return false;
  if (run.endsWith("=") || footerEnd(text, at) !== null) return true;
  return at === text.length ? /[A-Z0-9+/]/.test(run) : isMixed(run);
}

function isMixed(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9+/]/.test(run);
}

// Pieces of keys: a hunk that begins in the middle of a key, or a text that was cut there, has
// lines of base64 and no header. They are recognised by the form of the lines (RFC 7468: 64
// characters; OpenSSH: 70; MIME, as `base64` writes: 76). Certificates share it, so pieces whose
// header or footer names a public object are kept.

/** A run of base64 that is not part of a longer one; the `+` of an added line may precede it. */
const PIECE = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,77}={0,2}(?![A-Za-z0-9+/=])/g;
const FULL_LENGTHS: ReadonlySet<number> = new Set([64, 70, 76]);
const LONGEST = 76;
/** The fewest consecutive full lines that are not an accident; an EC key has two and a rest. */
const FEWEST_LINES = 2;
/** Characters around the run: indent, quotes, `\n"`, the anchor of a diff line in a prompt. */
const MOST_AROUND = 40;
/** Bits per character: 64 random ones of base64 have 4.78, a key's first line less. */
const LEAST_ENTROPY = 4.2;
const BOUNDARY = /-{4,5} ?(?:BEGIN|END)([ A-Z0-9]{0,40})/;
/** Between a header and its block: `Version: GnuPG v1` or nothing, behind the anchor of a line. */
const HEADER_FIELD = /^(?:\d{1,9}#[0-9a-f]{4}:)?[\s+>|-]{0,20}(?:[A-Za-z][A-Za-z-]{0,30}: |$)/;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly kind: "full" | "part" | "boundary" | "other";
  readonly isFirst: boolean;
  readonly column: number;
  /** The object that a header or footer names: " RSA PRIVATE KEY". */
  readonly names: string;
}

/** @yields each piece from its first to its last line */
export function* keyPieces(text: string): Iterable<SecretSpan> {
  if (!/[A-Za-z0-9+/]{64}/.test(text)) return;
  let header: Line | null = null;
  let block: Line[] = [];
  let offset = 0;
  for (const row of text.split("\n")) {
    const line = lineOf(row, offset);
    offset += row.length + 1;
    if (line.kind === "full" || line.kind === "part") {
      block.push(line);
      continue;
    }
    yield* piece(text, block, header ?? line);
    block = [];
    if (line.kind === "boundary") header = line;
    else if (!HEADER_FIELD.test(row.slice(0, MOST_AROUND))) header = null;
  }
  yield* piece(text, block, header);
}

/** @param beside the header, or the line after the block */
function* piece(text: string, block: readonly Line[], beside: Line | null): Iterable<SecretSpan> {
  const isNamed = beside?.kind === "boundary";
  if (isNamed && !beside.names.includes("PRIVATE KEY")) return;
  const full = block.filter(({ kind }) => kind === "full");
  const [begin, end] = [full[0], full.at(-1)];
  if (begin === undefined || end === undefined || full.length < (isNamed ? 1 : FEWEST_LINES)) return;
  // The first line of a text that was cut, and the last line of a key, are shorter.
  const [cut, rest] = [block[block.indexOf(begin) - 1], block[block.indexOf(end) + 1]];
  const start = cut?.isFirst ? cut.start : begin.start;
  // A plus at the beginning of the last line may be its own instead of a diff's.
  const isRest = rest !== undefined && (rest.column === end.column || rest.column === end.column + 1);
  const isCertain = isNamed && !isInventedToken(text.slice(start, start + 200));
  yield {
    label: isNamed ? "private key" : "key material",
    start,
    end: isRest ? rest.end : end.end,
    certainty: isCertain ? "certain" : "possible",
    source: "private-key",
  };
}

function lineOf(line: string, start: number): Line {
  const other: Line = { start, end: start + line.length, kind: "other", isFirst: start === 0, column: 0, names: "" };
  // No line of a key is longer, including what surrounds it.
  if (line.length < 16 || line.length > LONGEST + MOST_AROUND) return other;
  const boundary = BOUNDARY.exec(line);
  if (boundary !== null) return { ...other, kind: "boundary", names: boundary[1] ?? "" };
  // Only the one run of a line may belong to a key.
  const [run, more] = line.matchAll(PIECE);
  if (run === undefined || more !== undefined || line.length - run[0].length > MOST_AROUND) return other;
  const isAdded = run[0].startsWith("+") && !FULL_LENGTHS.has(run[0].length);
  const body = isAdded ? run[0].slice(1) : run[0];
  // Excludes hexadecimal checksums and words.
  if (!(/[a-z]/.test(body) && /[A-Z]/.test(body)) && !body.endsWith("=")) return other;
  const column = run.index + (isAdded ? 1 : 0);
  const isFull = FULL_LENGTHS.has(body.length) && /\d/.test(body) && entropy(body) >= LEAST_ENTROPY;
  const from = start + column;
  return { ...other, start: from, end: from + body.length, column, kind: isFull ? "full" : "part" };
}
