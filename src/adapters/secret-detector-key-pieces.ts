// Pieces of keys: a hunk that begins in the middle of a key, or a text that was cut there, has lines of base64 and no header. They are
// recognised by the form of the lines (RFC 7468: 64 characters; OpenSSH: 70; MIME, as `base64` writes: 76). Certificates share it, so pieces whose header or footer names a public object are kept.
import type { SecretSpan } from "./secret-detector-assignments.ts";
import { entropy, isInventedToken } from "./secret-detector-placeholders.ts";

/** A run of base64 that is not part of a longer one; the `+` of an added line may precede it. */
const RUN = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,77}={0,2}(?![A-Za-z0-9+/=])/g;
const FULL_LENGTHS: ReadonlySet<number> = new Set([64, 70, 76]);
const LONGEST = 76;
/** The fewest consecutive full lines that are not an accident; an EC key has two and a rest. */
const FEWEST_LINES = 2;
/** Characters around the run: indent, quotes, `\n"`, the anchor of a diff line in a prompt. */
const MOST_AROUND = 40;
/** Bits per character of 64 random base64 characters: at least 4.78 among 20,000; a key's first line, which encodes its type, has less. */
const LEAST_ENTROPY = 4.2;
const BOUNDARY = /-{4,5} ?(?:BEGIN|END)([ A-Z0-9]{0,40})/;
/** Lines that may occur between a header and its block: `Version: GnuPG v1`, and an empty line. */
const HEADER_FIELD = /^[\s+>|-]{0,20}(?:[A-Za-z][A-Za-z-]{0,30}: |$)/;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly kind: "full" | "part" | "boundary" | "other";
  /** Whether it is the text's first line. */
  readonly isFirst: boolean;
  /** The run's column in its line. */
  readonly column: number;
  /** The object that a header or footer names: " RSA PRIVATE KEY". */
  readonly names: string;
}

/** @yields each piece from its first to its last line */
export function* keyPieces(text: string): Iterable<SecretSpan> {
  if (!/[A-Za-z0-9+/]{64}/.test(text)) return;
  let header: Line | null = null;
  let block: Line[] = [];
  for (const line of lines(text)) {
    if (line.kind === "full" || line.kind === "part") {
      block.push(line);
      continue;
    }
    yield* piece(text, block, header ?? line);
    block = [];
    if (line.kind === "boundary") header = line;
    else if (!HEADER_FIELD.test(text.slice(line.start, Math.min(line.end, line.start + MOST_AROUND)))) header = null;
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
  const isCertain = isNamed && !isInventedToken(text.slice(start, start + 200));
  yield {
    label: isNamed ? "private key" : "key material",
    start,
    end: rest !== undefined && rest.column === end.column ? rest.end : end.end,
    certainty: isCertain ? "certain" : "possible",
    source: "private-key",
  };
}

function* lines(text: string): Iterable<Line> {
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    yield lineOf(text, start, end);
    start = end + 1;
  }
}

function lineOf(text: string, start: number, end: number): Line {
  const other: Line = { start, end, kind: "other", isFirst: start === 0, column: 0, names: "" };
  // No line of a key is longer, including what surrounds it.
  if (end - start < 16 || end - start > LONGEST + MOST_AROUND) return other;
  const line = text.slice(start, end);
  const boundary = BOUNDARY.exec(line);
  if (boundary !== null) return { ...other, kind: "boundary", names: boundary[1] ?? "" };
  const run = runIn(line);
  if (run === null) return other;
  const { body, column } = run;
  const isFull = FULL_LENGTHS.has(body.length) && /\d/.test(body) && entropy(body) >= LEAST_ENTROPY;
  const [from, to] = [start + column, start + column + body.length];
  return { ...other, start: from, end: to, column, kind: isFull ? "full" : "part" };
}

/** The only run of a line that may belong to a key. */
function runIn(line: string): { readonly body: string; readonly column: number } | null {
  const [run, more] = line.matchAll(RUN);
  if (run === undefined || more !== undefined || line.length - run[0].length > MOST_AROUND) return null;
  const isAdded = run[0].startsWith("+") && !FULL_LENGTHS.has(run[0].length);
  const body = isAdded ? run[0].slice(1) : run[0];
  // Excludes hexadecimal checksums and words.
  const isMixed = /[a-z]/.test(body) && /[A-Z]/.test(body);
  return isMixed || body.endsWith("=") ? { body, column: run.index + (isAdded ? 1 : 0) } : null;
}
