// What a server says when it refuses a request, in any of the forms that servers have for it.

import { cutText } from "../domain/text/cut-text.ts";

export interface ServerWords {
  /** On one line, at most 300 UTF-16 units; "" when it says nothing. It may quote the request. */
  readonly sentence: string;
  /** Its `type` and `code`, lower case: `invalid_request_error`. */
  readonly codes: readonly string[];
  /** Fields of the request that it names, as paths: `messages[0].role`, `stream`. */
  readonly params: readonly string[];
  /** An HTTP status in the body, 400–599; null without one. Gateways write it there, under 200. */
  readonly status: number | null;
}

const SENTENCE_CHARS = 300;
/** UTF-16 units of a body that are read. */
const MOST_READ = 20_000;
/** Bodies hold bodies: a gateway quotes its provider. */
const MOST_DEPTH = 6;

const SENTENCES: ReadonlySet<string> = new Set(
  "message msg detail details error errors error_description description title raw body".split(" "),
);
const CODES: ReadonlySet<string> = new Set(["type", "code", "status", "reason", "error_type", "status_code"]);

/**
 * Reads the body of a refusal: OpenAI's and Anthropic's `error`, FastAPI's `detail`, lists of
 * errors, a body inside a body, plain text. A page of HTML says nothing.
 */
export function serverWords(text: string): ServerWords {
  const read = cutText(text.trim(), MOST_READ);
  const value = jsonIn(read);
  const found = { sentences: [] as string[], codes: [] as string[], params: [] as string[], statuses: [] as number[] };
  if (value !== null) visit(value, 0, found);
  else if (!read.startsWith("<")) found.sentences.push(read);
  const distinct = [...new Set(found.sentences)];
  const sentence = oneLine(
    distinct.filter((one) => !distinct.some((other) => other !== one && other.includes(one))).join(": "),
  );
  // Anthropic begins its sentence with the path.
  const [, path] = /^([a-z_][a-z_.0-9[\]]{1,60}): /.exec(sentence) ?? [];
  return {
    sentence,
    codes: [...new Set(found.codes)],
    params: [...new Set([...found.params, ...(path === undefined ? [] : [path])])],
    status: found.statuses[0] ?? null,
  };
}

/** A list or an object; null for anything else. */
function jsonIn(text: string): object | null {
  if (!/^[{[]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface Found {
  readonly sentences: string[];
  readonly codes: string[];
  readonly params: string[];
  readonly statuses: number[];
}

function visit(value: unknown, depth: number, found: Found): void {
  if (typeof value !== "object" || value === null || depth > MOST_DEPTH) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, 5)) visit(one, depth + 1, found);
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    // FastAPI quotes what it was sent.
    if (key === "input" || key === "ctx") continue;
    if (CODES.has(key)) readCode(one, found);
    if (key === "param" && typeof one === "string") found.params.push(one);
    if (key === "loc" && Array.isArray(one)) found.params.push(one.filter((step) => step !== "body").join("."));
    const inner = typeof one === "string" ? jsonIn(one.trim()) : one;
    if (SENTENCES.has(key) && typeof one === "string" && inner === null && one.trim() !== "") found.sentences.push(one);
    visit(inner, depth + 1, found);
  }
}

function readCode(code: unknown, { codes, statuses }: Found): void {
  if (typeof code === "string" && /^[a-z][\w.-]{1,60}$/i.test(code)) codes.push(code.toLowerCase());
  const status = typeof code === "number" || typeof code === "string" ? Number(code) : Number.NaN;
  if (Number.isInteger(status) && status >= 400 && status <= 599) statuses.push(status);
}

function oneLine(text: string): string {
  // Controls, and characters that would turn the line around.
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return cutText(plain, SENTENCE_CHARS)
    .toWellFormed()
    .replace(/(?<![.:;\s])[.:;\s]+$/, "");
}
