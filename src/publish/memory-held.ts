import type { ReviewMemory } from "../domain/review.ts";
import { sanitizeInline } from "./sanitize.ts";

/** What memory there is, as a sentence for a repository's first reviews: "Remembered so far: 214 TypeScript, 0 Go." Else "". */
export function memoryHeld({ held }: ReviewMemory): string {
  if (held === undefined || held === null) return "";
  const counts = held.languages.map(({ language, count }) => `${count} ${sanitizeInline(language, 40)}`);
  const so = counts.length === 0 ? "nothing yet" : counts.join(", ");
  return ` Remembered so far: ${so}${held.isImporting ? "; past reviews are still being imported" : ""}.`;
}
