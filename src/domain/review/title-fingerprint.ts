// Title and description at the time when a person requested a review: that person has read them, and did not ask for
// text that is added later.
import { shortHash } from "../text/hash.ts";

/**
 * @param body null for a pull request without a description
 * @returns 16 hexadecimal digits, the same for the same words
 */
export function titleFingerprint(title: string, body: string | null): string {
  return shortHash(JSON.stringify([title, body ?? ""]), 16);
}
