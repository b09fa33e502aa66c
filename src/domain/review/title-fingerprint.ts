// Title and description as they stood when somebody asked for a review: whoever asks in person has read them, and what is
// written into them afterwards is nothing that this person asked to have read.
import { createHash } from "node:crypto";

const DIGITS = 16;

/**
 * @param body null for a pull request without a description
 * @returns 16 hexadecimal digits, the same for the same words
 */
export function askedWords(title: string, body: string | null): string {
  const said = JSON.stringify([title, body ?? ""]);
  return createHash("sha256").update(said).digest("hex").slice(0, DIGITS);
}
