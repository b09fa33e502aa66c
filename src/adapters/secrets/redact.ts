// Hides secrets in text before it is logged, posted, stored or shown to a model.

import { redactionMark } from "../../domain/text/cut-text.ts";
import { redactTexts } from "../../domain/text/redact-texts.ts";
import { detectSecrets, withoutOverlaps } from "./detect-secrets.ts";
import { encodedSecrets } from "./encoded-secrets.ts";

export interface SecretRedactor {
  /**
   * Puts `‹redacted:KIND›` for secrets. Keeps the number of lines. Idempotent.
   */
  redact(text: string): Promise<Redacted>;
  /**
   * The same for Markdown to be posted: structural characters stay, so that no code span or link
   * loses an end and no text by others escapes the code that quotes it.
   */
  redactMarkdown(markdown: string): Promise<Redacted>;
}

interface Redacted {
  readonly text: string;
  /** The hidden secrets by their kind, in kebab-case: `github-token`, `private-key`, `password`. */
  readonly found: readonly { readonly kind: string }[];
}

/** Long, and no word: `lm-studio`, a usual key of local servers, occurs in many texts. */
const OWN_SECRET = /^(?=.{12})(?=.*[A-Za-z])(?=.*\d)|^.{24}/;

/** Characters that open or close something in Markdown, as far as the sanitizer keeps them. */
const STRUCTURE = /([`<>[\]|\n])/;

/**
 * The redactor of everything that leaves: logs, comments, prompts, rows. Secrets are found as they
 * are and in common encodings (see encodedSecrets).
 *
 * @param own secrets of this process; each line of one counts, plain words do not
 */
export function secretRedactor(own: ReadonlySet<string> = new Set()): SecretRedactor {
  async function replaced(text: string, put: (secret: string, mark: string) => string): Promise<Redacted> {
    const ours = [...own].flatMap((secret) => secret.split(/\s+/)).filter((part) => OWN_SECRET.test(part));
    const plain = await detectSecrets(text);
    const spans = withoutOverlaps([...plain, ...(await encodedSecrets(text, ours, plain))]);
    const found: { readonly kind: string }[] = [];
    const parts: string[] = [];
    let from = 0;
    for (const span of spans) {
      const kind = span.label.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      parts.push(text.slice(from, span.start), put(text.slice(span.start, span.end), redactionMark(kind)));
      found.push({ kind });
      from = span.end;
    }
    return { text: parts.join("") + text.slice(from), found };
  }
  return {
    redact: (text) => replaced(text, (secret, mark) => mark + secret.replace(/[^\n]+/g, "")),
    redactMarkdown: (markdown) => replaced(markdown, (secret, mark) => mark + structureOf(secret)),
  };
}

/** Structural characters of a secret; `…` keeps two backticks from becoming a run. */
function structureOf(secret: string): string {
  const [, ...rest] = secret.split(STRUCTURE);
  return rest.map((part, at) => (at % 2 === 0 || part === "" ? part : "…")).join("");
}

/**
 * The same value with its texts redacted; keys, numbers and shape stay.
 *
 * @param value plain JSON: arrays and objects without cycles
 */
export function redactStrings<T>(value: T, redactor: SecretRedactor): Promise<T> {
  return redactTexts(value, async (text) => (await redactor.redact(text)).text);
}

/** A destination for pino. */
export interface RedactedLog {
  write(line: string): void;
  /** Resolves when every line so far was written: call it before the process ends. */
  drained(): Promise<void>;
}

/**
 * Writes lines in their order, with a short delay.
 *
 * @param handOn receives one line with its line end
 */
export function redactedLog(handOn: (line: string) => void, redactor: SecretRedactor): RedactedLog {
  let last = Promise.resolve();
  return {
    write(line) {
      last = last
        .then(async () => handOn(await redactLine(line, redactor)))
        // When the log itself cannot be written, there is nowhere to report it.
        .catch(() => undefined);
    },
    drained: () => last,
  };
}

/** Misleads readers or terminals, and JSON does not escape it: C1, separators, direction marks. */
const UNQUOTED = /[\u007F-\u009F\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** In a line of JSON such characters occur in texts only, where an escape means the same. */
function quoted(line: string): string {
  return line.replace(UNQUOTED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function redactLine(line: string, redactor: SecretRedactor): Promise<string> {
  try {
    return `${quoted(JSON.stringify(await redactStrings(JSON.parse(line), redactor)))}\n`;
  } catch {
    return quoted((await redactor.redact(line)).text);
  }
}
