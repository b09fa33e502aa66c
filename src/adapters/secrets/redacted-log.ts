// A log that holds no secret: every text of a line is redacted before the line is written.

import type { SecretRedactor } from "./redact.ts";
import { redactStrings } from "./redact-strings.ts";

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

async function redactLine(line: string, redactor: SecretRedactor): Promise<string> {
  try {
    return `${JSON.stringify(await redactStrings(JSON.parse(line), redactor))}\n`;
  } catch {
    return (await redactor.redact(line)).text;
  }
}
