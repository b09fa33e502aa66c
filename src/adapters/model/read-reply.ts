// Parses a model's reply into a value of the requested shape, or into the problem for a correction.

import { jsonrepair } from "jsonrepair";
import type { ReplyShape } from "../../domain/model.ts";
import { cutText } from "../../domain/text/cut-text.ts";

type ReadReply<T> =
  | { readonly ok: true; readonly value: T /** The JSON was broken. */; readonly fixed: boolean }
  | { readonly ok: false; readonly problem: string };

/** 128,000 tokens, the longest reply of any known model, are half of it. */
const MAX_CHARS = 1_000_000;

/**
 * Reads the one JSON value of a reply: bare, in prose, in a fence, after `<think>…</think>`, or in
 * the last `final` message of gpt-oss. Never throws. If a reply contains two different answers, or
 * a truncated one beside a complete one, none is chosen: a draft read as the answer could say
 * "nothing found" where much was. Plain text is read only for a shape that defines how.
 */
export function readReply<T>(reply: string, shape: ReplyShape<T>): ReadReply<T> {
  const read = readJson(reply, shape);
  if (read.ok || shape.readText === undefined || reply.length > MAX_CHARS) return read;
  const value = shape.readText(withoutThoughts(reply));
  return value === null ? read : { ok: true, value, fixed: true };
}

function readJson<T>(reply: string, shape: ReplyShape<T>): ReadReply<T> {
  if (reply.length > MAX_CHARS) return { ok: false, problem: "the reply is too long" };
  const text = reply.replace(/^\uFEFF/, "").trim();
  if (text === "") return { ok: false, problem: "the reply is empty" };
  try {
    const whole = strictly(text);
    if (whole !== null) return checked(whole, shape);
    const readings = afterThinking(text).map((tail) => readProse(tail, shape));
    return readings.find(({ ok }) => ok) ?? readings[0] ?? { ok: false, problem: NOTHING };
  } catch {
    // Ten thousand nested brackets overflow the stack.
    return { ok: false, problem: "the JSON is nested too deeply" };
  }
}

const NOTHING = "the reply holds no JSON object";

/**
 * The texts that may contain the answer. A string of the answer may hold the end of thinking too:
 * tries the text after the first and after the last; never the thinking, which has drafts.
 */
function afterThinking(text: string): readonly string[] {
  if (CHANNEL.test(text)) return finalMessages(text);
  const tails = thinkingTails(text);
  if (tails.length === 0) return THINKING_BEGINS.test(text) ? [] : [text];
  return tails.filter((tail) => /[{[]/.test(tail));
}

/** The texts after the first and after the last end of thinking; none without an end. */
function thinkingTails(text: string): readonly string[] {
  const ends = [...text.matchAll(/^\s*<(?:thought|reasoning)>/i.test(text) ? WORD_ENDS : THINKING_ENDS)];
  return [ends.at(0), ends.at(-1)].flatMap((end) => (end === undefined ? [] : [text.slice(end.index + end[0].length)]));
}

/** Of many models, Magistral, Seed, Cohere, Kimi and Gemma. */
const THINKING_BEGINS =
  /^\s*(?:<think|<(?:thought|reasoning|seed:think)>|\[THINK\]|<\|START_THINKING\|>|◁think▷|<\|channel>thought)/i;
/** Templates often write the beginning into the prompt, so that a reply has the end alone. */
const THINKING_ENDS = /<\/(?:think(?:ing)?|seed:think)>|\[\/THINK\]|<\|END_THINKING\|>|◁\/think▷|<channel\|>/gi;
/** Plain tags, which code may have too: they count only after their beginning. */
const WORD_ENDS = /<\/(?:thought|reasoning)>/gi;

/** The marks of gpt-oss, which a server without its parser leaves in the text. */
const CHANNEL = /<\|channel\|>/;
const FINAL = /<\|channel\|>\s{0,9}final\b[^<]{0,99}(?:<\|constrain\|>[^<]{0,99})?<\|message\|>/g;

/** The messages of the channel `final`, last first. A string of the answer may hold a mark too. */
function finalMessages(text: string): readonly string[] {
  return [...text.matchAll(FINAL)]
    .map(({ 0: mark, index }) => text.slice(index + mark.length).replace(/<\|(?:return|end|call)\|>\s*$/, ""))
    .toReversed();
}

/** Thinking contains drafts; an unclosed one extends to the end. */
function withoutThoughts(text: string): string {
  if (CHANNEL.test(text)) return finalMessages(text)[0] ?? "";
  return thinkingTails(text).at(-1) ?? (THINKING_BEGINS.test(text) ? "" : text);
}

interface Contender {
  readonly value: unknown;
  readonly source: string;
  readonly fixed: boolean;
}

function readProse<T>(text: string, shape: ReplyShape<T>): ReadReply<T> {
  const all = jsonCandidates(text);
  const named = all.filter((candidate) => mentionsShape(candidate.text, shape));
  const chosen = named.length > 0 ? named : all;
  if (chosen.length === 0) return { ok: false, problem: NOTHING };
  if (chosen.some(({ closed }) => !closed))
    return { ok: false, problem: "the JSON is not complete or not well-formed" };
  const different = new Map<string, Contender>();
  for (const candidate of chosen) {
    const contender = strictly(candidate.text) ?? repaired(candidate.text);
    if (contender === null) return { ok: false, problem: "the JSON is not well-formed" };
    different.set(JSON.stringify(contender.value), contender);
  }
  const [only, second] = different.values();
  if (only === undefined || second !== undefined)
    return { ok: false, problem: "the reply holds more than one JSON value" };
  return checked(only, shape);
}

/** Whether the text names a top-level property of the answer; true for a shape without any. */
function mentionsShape(text: string, shape: ReplyShape<unknown>): boolean {
  const properties = shape.jsonSchema.properties;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return names.length === 0 || names.some((name) => text.includes(name));
}

function strictly(text: string): Contender | null {
  try {
    return { value: JSON.parse(text), source: text, fixed: false };
  } catch {
    return null;
  }
}

function checked<T>(contender: Contender, shape: ReplyShape<T>): ReadReply<T> {
  const twice = repeatedKey(contender.source);
  if (twice !== null) return { ok: false, problem: `the key ${JSON.stringify(cutText(twice, 80))} stands twice` };
  const check = shape.check(contender.value);
  return check.ok ? { ok: true, value: check.value, fixed: contender.fixed } : check;
}

/** `closed`: its last bracket exists. An unclosed one was cut off, or its quotes are unbalanced. */
type JsonCandidate = { readonly text: string; readonly closed: boolean };

/** A reply with more objects does not answer any of our questions. */
const MAX_CANDIDATES = 40;
/** Each unclosed candidate costs a pass to the end. */
const MAX_UNCLOSED = 6;
/** How JSON (or almost-JSON) continues after a bracket; `{braces` and `items[i]` are prose. */
const JSON_GOES_ON = /^[{[]\s{0,200}(?:["'“‘`{[}\]]|-?\d|(?:true|false|null|None)\b|[A-Za-z_]\w{0,60}\s{0,5}:|\/[/*])/;

/** Outermost objects and lists in order. Brackets inside strings do not count, nor do fences. */
function jsonCandidates(text: string): readonly JsonCandidate[] {
  const found: JsonCandidate[] = [];
  let unclosed = 0;
  let at = nextOpening(text, 0);
  while (at !== -1 && found.length < MAX_CANDIDATES && unclosed < MAX_UNCLOSED) {
    const end = closingOf(text, at);
    found.push({ text: text.slice(at, end ?? text.length), closed: end !== null });
    if (end === null) unclosed++;
    at = nextOpening(text, end ?? at + 1);
  }
  return found;
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const isBracket = text[at] === "{" || text[at] === "[";
    if (isBracket && JSON_GOES_ON.test(text.slice(at, at + 300))) return at;
  }
  return -1;
}

/** A string, or a bracket. Each part can match in one way only, so one pass is enough. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs;

/** The index after the bracket that closes the one at `start`, or null. */
function closingOf(text: string, start: number): number | null {
  let depth = 0;
  const tokens = new RegExp(TOKEN);
  tokens.lastIndex = start;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    if (found[0] === "{" || found[0] === "[") depth++;
    else if (found[0] === "}" || found[0] === "]") depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return null;
}

/** Longer texts are not fixed; the model is asked again. */
const MAX_REPAIRED_CHARS = 200_000;

/**
 * The value of broken JSON (quotes, commas, comments, Python's words), or null. Never throws. Also
 * null if it would lose content: an ellipsis, or an empty list or object where the text has
 * something else. "Nothing found" must have been written to be read.
 *
 * @param text from its first bracket to the one that closes it
 */
function repaired(text: string): Contender | null {
  if (text.length > MAX_REPAIRED_CHARS) return null;
  const bare = withoutStrings(text);
  if (/\.\.\.|…/.test(bare)) return null;
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    const written = bare.match(/\[\s*\]|\{\s*\}/g)?.length ?? 0;
    return emptyOnes(value) > written ? null : { value, source: "", fixed: true };
  } catch {
    return null;
  }
}

/** Replaces each string by `""`; an unclosed one ends the text. */
function withoutStrings(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)/gs, '""');
}

/** Counts empty lists and objects. Deep values overflow the stack, which the caller catches. */
function emptyOnes(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return inner.length === 0 ? 1 : inner.reduce<number>((sum, one) => sum + emptyOnes(one), 0);
}

/** A string, with its colon if it is a key, or a bracket. One pass: each matches in one way. */
const KEY_OR_BRACKET = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/gs;

/**
 * JSON.parse keeps the last of two equal keys: `{"findings":[…],"findings":[]}` reads as empty.
 *
 * @param json valid JSON; null when no object in it has a repeated key
 */
function repeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(KEY_OR_BRACKET)) {
    if (token === "{" || token === "[") open.push(new Set());
    if (token === "}" || token === "]") open.pop();
    if (text === undefined || colon === undefined) continue;
    const key = String(JSON.parse(text));
    const keys = open.at(-1);
    if (keys?.has(key)) return key;
    keys?.add(key);
  }
  return null;
}
