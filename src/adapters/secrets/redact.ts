// Hides secrets in text before it is logged, posted, stored or shown to a model.
import { detectSecrets, secretKind } from "../secret-detector.ts";

/** What was hidden, without the secret itself. */
export interface RedactedSecret {
  /** kebab-case: `github-token`, `private-key`, `password`. */
  readonly kind: string;
}

export interface SecretRedactor {
  /**
   * Puts `[redacted:KIND]` in the place of every secret. The number of lines stays the same, so that line numbers
   * mean what they meant; redacting twice changes nothing more.
   */
  redact(text: string): Promise<{ readonly text: string; readonly found: readonly RedactedSecret[] }>;
}

/** The redactor of everything that leaves: logs, comments, prompts, rows. Keeps no state between calls. */
export function secretRedactor(): SecretRedactor {
  return {
    async redact(text) {
      const spans = await detectSecrets(text);
      const found: RedactedSecret[] = [];
      const parts: string[] = [];
      let from = 0;
      for (const span of spans) {
        const kind = secretKind(span);
        const lineEnds = text.slice(span.start, span.end).replace(/[^\n]+/g, "");
        parts.push(text.slice(from, span.start), `[redacted:${kind}]`, lineEnds);
        found.push({ kind });
        from = span.end;
      }
      return { text: parts.join("") + text.slice(from), found };
    },
  };
}
