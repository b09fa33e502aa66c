// Encoded secrets: base64, hexadecimal, percent signs, escapes, entities, split texts. Each
// encoding is undone on a copy that maps its characters back to the original.

import { firstNotBefore } from "../../domain/first-not-before.ts";
import { breathe, detectSecrets, strictFormats, unboundedFormats } from "./detect-secrets.ts";
import type { SecretSpan } from "./secret-span.ts";

/** Characters that draw nothing. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes of JSON, C, JavaScript, URLs, HTML and Markdown, which may be escaped twice. */
const ESCAPE =
  /\\{1,4}(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([_*.~-]))|%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})|&#[xX]([0-9a-fA-F]{2,6});|&#(\d{2,7});/g;

/** A line's end with a diff's or quotation's prefix; what separates joined strings. */
const SEAM =
  /["'`]?[ \t]{0,8}[+.,&\\]?\r?\n(?:-?\d{1,9}#[0-9a-f]{4}:)?[-+>*|/# \t]{0,40}["'`]?|["'`][ \t]{0,8}[+.,&][ \t]{0,8}["'`]/g;

/** A longer run is decoded from its beginning only, not from each possible place. */
const SHORT_RUN = 8_192;
/** Runs of a long text that are checked without a pause. */
const RUNS_A_BREATH = 500;
/** Maximum nesting of encodings. */
const MOST_LAYERS = 3;

/**
 * Secrets of published formats, and our own, that a text contains in an encoded form.
 *
 * @param own known secrets; they are also found unencoded
 * @param plain the text's unencoded secrets, in order: the line after one is not part of it
 * @returns spans of the original text, in no order; they may overlap
 */
export async function encodedSecrets(
  text: string,
  own: readonly string[],
  plain: readonly SecretSpan[],
): Promise<readonly SecretSpan[]> {
  const asWritten: TextView = { text, from: null };
  const seen = rewritten(withoutEscapes(asWritten), INVISIBLE, () => "");
  await breathe(text);
  const joined = rewritten(seen, SEAM, () => "");
  await breathe(text);
  // A complete token does not continue on the next line.
  const runTogether = found(joined, [...(await strictFormats(joined.text)), ...unboundedFormats(joined.text)]);
  const hits = [
    ...found(asWritten, exact(text, own)),
    ...found(joined, exact(joined.text, own)),
    ...(seen === asWritten ? [] : found(seen, (await detectSecrets(seen.text)).filter(isSure))),
    ...runTogether.filter((hit) => !meets(plain, hit)),
  ];
  for (const view of joined === seen ? [seen] : [seen, joined])
    hits.push(...found(view, await secretRuns(view.text, own, 1)));
  return hits;
}

function isSure({ certainty, source }: SecretSpan): boolean {
  return certainty !== "possible" || source === "private-key";
}

/** @param spans in order, without overlaps */
function meets(spans: readonly SecretSpan[], { start, end }: SecretSpan): boolean {
  const next = spans[firstNotBefore(spans, (span) => span.end, start + 1)];
  return next !== undefined && next.start < end;
}

type Hit = Pick<SecretSpan, "label" | "start" | "end">;

/** Applied repeatedly: an encoded percent sign encodes the next. */
function withoutEscapes(view: TextView): TextView {
  let plainer = view;
  for (let layer = 0; layer < MOST_LAYERS; layer++) plainer = rewritten(plainer, ESCAPE, unescapedCharacter);
  return plainer;
}

/** The character of an escape; unchanged if there is no such character. */
function unescapedCharacter(match: RegExpExecArray): string {
  const [whole, braced, u4, x2, plain, percentU, percent, entityHex, entity] = match;
  if (plain !== undefined) return plain;
  const hex = braced ?? u4 ?? x2 ?? percentU ?? percent ?? entityHex;
  const code = hex === undefined ? Number(entity) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

function found(view: TextView, hits: Iterable<Hit>): readonly SecretSpan[] {
  return [...hits].map(({ label, start, end }) => ({
    label,
    ...sourceOf(view, start, end),
    certainty: "certain",
    source: "format",
  }));
}

function* exact(text: string, own: readonly string[]): Iterable<Hit> {
  for (const secret of own) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
      yield { label: "own secret", start: at, end: at + secret.length };
  }
}

/** Digits that may encode a text, and their readings: one for each place where it may begin. */
const ENCODINGS: readonly (readonly [digits: RegExp, decoded: (run: string) => readonly string[]])[] = [
  [
    /[A-Za-z0-9+/_-]{16,}={0,2}/g,
    (run) => (run.length > SHORT_RUN ? [0] : [0, 1, 2, 3]).map((at) => latin1(run.slice(at), "base64")),
  ],
  [/(?:[0-9A-Fa-f]{2}){12,}/g, (run) => [0, 1].map((at) => latin1(run.slice(at), "hex"))],
  [
    /(?:(?:0x)?[0-9A-Fa-f]{2}[ ,:-]{1,2}){11,}(?:0x)?[0-9A-Fa-f]{2}/g,
    (run) => [latin1(run.replace(/0x|[ ,:-]/g, ""), "hex")],
  ],
];

function latin1(run: string, encoding: "base64" | "hex"): string {
  return Buffer.from(run, encoding).toString("latin1");
}

/** A run of digits with one of its readings. */
interface Decoded {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Runs of base64 or hexadecimal digits that decode to a secret, whole. Searches what they decode to
 * together, layer by layer: each pass has a fixed cost.
 */
async function secretRuns(text: string, own: readonly string[], layer: number): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  const readable: Decoded[] = [];
  let looked = 0;
  for (const [digits, readings] of ENCODINGS)
    for (const { 0: run, index: start } of text.matchAll(digits)) {
      if (looked++ % RUNS_A_BREATH === 0) await breathe(text);
      const end = start + run.length;
      for (const decoded of readings(run)) {
        const [first] = [...unboundedFormats(decoded), ...exact(decoded, own)];
        if (first !== undefined) hits.push({ start, end, label: first.label });
        else if (isReadable(decoded)) readable.push({ start, end, text: decoded });
      }
    }
  return [...hits, ...(await secretTexts(readable, own, layer))];
}

/** The runs of which the text contains a secret, encoded or not. */
async function secretTexts(readable: readonly Decoded[], own: readonly string[], layer: number): Promise<Hit[]> {
  const [first] = readable;
  if (first === undefined) return [];
  // No run continues on the next line.
  const text = readable.map((decoded) => decoded.text).join("\n");
  const found: Hit[] = (await detectSecrets(text)).filter(isSure);
  if (layer < MOST_LAYERS) for (const hit of await secretRuns(text, own, layer + 1)) found.push(hit);
  found.sort((a, b) => a.start - b.start);
  const hits: Hit[] = [];
  let [at, ends] = [0, first.text.length];
  for (const { start, label } of found) {
    while (start > ends) ends += 1 + (readable[++at]?.text.length ?? 0);
    const one = readable[at];
    if (one !== undefined) hits.push({ start: one.start, end: one.end, label });
  }
  return hits;
}

/** Text, not noise: a wrong guess of the encoding shows in the first bytes. */
function isReadable(decoded: string): boolean {
  return decoded.length >= 8 && !/[^\t\r\n\x20-\x7e]/.test(decoded);
}

// A decoded view of a text, with the original position of each of its characters.

/** The range of the original for each UTF-16 unit of `text`, end exclusive; null: identical. */
interface TextView {
  readonly text: string;
  readonly from: { readonly starts: Int32Array; readonly ends: Int32Array } | null;
}

/** `from` and `until` in the view; replaced by `put` characters, or kept if that is -1. */
type Stretch = readonly [from: number, until: number, put: number];

/**
 * The view with each match replaced; a replacement's characters map to the whole match.
 *
 * @param pattern global
 * @returns the same view without a match
 */
function rewritten(view: TextView, pattern: RegExp, replaced: (match: RegExpExecArray) => string): TextView {
  const parts: string[] = [];
  const stretches: Stretch[] = [];
  let at = 0;
  for (const match of view.text.matchAll(pattern)) {
    const put = replaced(match);
    parts.push(view.text.slice(at, match.index), put);
    stretches.push([at, match.index, -1]);
    at = match.index + match[0].length;
    stretches.push([match.index, at, put.length]);
  }
  if (at === 0) return view;
  parts.push(view.text.slice(at));
  stretches.push([at, view.text.length, -1]);
  const text = parts.join("");
  return { text, from: mapped(view, stretches, text.length) };
}

function mapped(view: TextView, stretches: readonly Stretch[], length: number): NonNullable<TextView["from"]> {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  let at = 0;
  for (const [from, until, put] of stretches) {
    for (let kept = from; put === -1 && kept < until; kept++, at++) {
      starts[at] = view.from?.starts[kept] ?? kept;
      ends[at] = view.from?.ends[kept] ?? kept + 1;
    }
    if (put <= 0) continue;
    const { start, end } = sourceOf(view, from, until);
    starts.fill(start, at, at + put);
    ends.fill(end, at, at + put);
    at += put;
  }
  return { starts, ends };
}

/** The range of the original for a range of a view; `from` < `until`. */
function sourceOf(view: TextView, from: number, until: number): { readonly start: number; readonly end: number } {
  return { start: view.from?.starts[from] ?? from, end: view.from?.ends[until - 1] ?? until };
}
