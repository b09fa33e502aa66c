// Hides secrets in every text of a value, whatever its shape.
import { redactTexts } from "../../domain/text/redact-texts.ts";
import type { SecretRedactor } from "./redact.ts";

/**
 * The same value with its texts redacted; keys, numbers and shape stay.
 *
 * @param value plain JSON: arrays and objects without cycles
 */
export function redactStrings<T>(value: T, redactor: SecretRedactor): Promise<T> {
  return redactTexts(value, async (text) => (await redactor.redact(text)).text);
}
