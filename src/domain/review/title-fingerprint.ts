// Title and description at the time when a person requested a review: that person has read them, and did not ask for
// text that is added later.
import { createHash } from "node:crypto";

const DIGITS = 16;

/**
 * @param body null for a pull request without a description
 * @returns 16 hexadecimal digits, the same for the same words
 */
export function titleFingerprint(title: string, body: string | null): string {
  const said = JSON.stringify([title, body ?? ""]);
  return createHash("sha256").update(said).digest("hex").slice(0, DIGITS);
}
