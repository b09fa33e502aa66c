// Hides secrets in text before it is logged, posted, stored or shown to a model.
import { redactionMark } from "../../domain/text/cut-text.ts";
import { detectSecrets, secretKind, withoutOverlaps } from "../secret-detector.ts";
import { encodedSecrets } from "./encoded-secrets.ts";

/** What was hidden, without the secret itself. */
export interface RedactedSecret {
  /** kebab-case: `github-token`, `private-key`, `password`. */
  readonly kind: string;
}

export interface SecretRedactor {
  /**
   * Puts `‹redacted:KIND›` in the place of every secret. The number of lines stays the same, so that line numbers
   * mean what they meant; redacting twice changes nothing more.
   */
  redact(text: string): Promise<Redacted>;
  /**
   * The same for Markdown that is ready to be posted: what gives it structure stays, so that no code span, link or
   * element of ours loses one of its ends and no text of others comes out of the code in which it was quoted.
   */
  redactMarkdown(markdown: string): Promise<Redacted>;
}

export interface Redacted {
  readonly text: string;
  readonly found: readonly RedactedSecret[];
}

/** Long enough, and no word: `lm-studio` is what a local server takes for a key, and stands in many texts. */
const OWN_SECRET = /^(?=.{12})(?=.*[A-Za-z])(?=.*\d)|^.{24}/;

/** Characters that open or close something in Markdown, as far as the sanitizer leaves them. */
const STRUCTURE = /([`<>[\]|\n])/;

/**
 * The redactor of everything that leaves: logs, comments, prompts, rows. Secrets are found in their own form and in the
 * usual disguises (see encodedSecrets).
 *
 * @param own secrets of this process, told as they become known; of several lines each is one, and words are left out
 */
export function secretRedactor(own: ReadonlySet<string> = new Set()): SecretRedactor {
  async function replaced(text: string, put: (secret: string, mark: string) => string): Promise<Redacted> {
    const ours = [...own].flatMap((secret) => secret.split(/\s+/)).filter((part) => OWN_SECRET.test(part));
    const plain = await detectSecrets(text);
    const spans = withoutOverlaps([...plain, ...(await encodedSecrets(text, ours, plain))]);
    const found: RedactedSecret[] = [];
    const parts: string[] = [];
    let from = 0;
    for (const span of spans) {
      const kind = secretKind(span);
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

/** The structure inside a secret; `…` keeps apart what stood apart, so that two backticks never become a run. */
function structureOf(secret: string): string {
  const [, ...rest] = secret.split(STRUCTURE);
  return rest.map((part, at) => (at % 2 === 0 || part === "" ? part : "…")).join("");
}
