// The one redactor of a process, and the secrets that it knows word by word.
import { secretRedactor } from "../adapters/secrets/redact.ts";

const own = new Set<string>();

/** Through it passes whatever leaves the process or is stored. */
export const redactor = secretRedactor(own);

/** Nothing that leaves or is stored from here on holds one of these, in its own form or encoded. */
export function neverTell(...secrets: readonly (string | null)[]): void {
  for (const secret of secrets) if (secret !== null) own.add(secret);
}
