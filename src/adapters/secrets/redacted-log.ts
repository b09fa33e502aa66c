// A log without secrets: every text of a line is redacted before the line is written.

import { redactStrings, type SecretRedactor } from "./redact.ts";

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

/** Characters that control a terminal or mislead a reader, and JSON does not escape: C1 controls, line separators, direction marks. */
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
