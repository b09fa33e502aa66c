// A log that holds no secret: every text of a line is redacted before the line is written.

import { redactStrings, type SecretRedactor } from "./redact.ts";

/** A destination for pino. */
export interface RedactedLog {
  write(line: string): void;
  /** Resolves when every line so far was handed on: call it before the process ends. */
  drained(): Promise<void>;
}

/**
 * Hands lines on in their order, shortly after they were written.
 *
 * @param handOn takes one line with its line end
 */
export function redactedLog(handOn: (line: string) => void, redactor: SecretRedactor): RedactedLog {
  let last = Promise.resolve();
  return {
    write(line) {
      last = last
        .then(async () => handOn(await redactLine(line, redactor)))
        // Nobody is left to tell when the log itself cannot be written.
        .catch(() => undefined);
    },
    drained: () => last,
  };
}

/** What a terminal obeys or a person misreads, and JSON leaves as it is: C1 controls, line separators, marks of direction. */
const UNQUOTED = /[\u007F-\u009F\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** In a line of JSON such characters stand in texts only, where an escape means the same. */
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
