// The marker of a post of ours: unforgeable, and valid for one place, head and kind only.
import { createHmac } from "node:crypto";
import type { Wanted } from "../../../ports/writes.ts";

/** Hex digits: 128 bits. */
const LENGTH = 32;

/**
 * @param secret of the App: its private key, about which a marker reveals nothing
 * @returns 32 hex digits
 */
export function signWrite(secret: string, { repo, number, headSha, kind, subject }: Wanted): string {
  const key = createHmac("sha256", secret.replace(/\s+/g, "")).update("kodiai markers").digest();
  const payload = JSON.stringify([repo.host, repo.id, number, headSha, kind, subject]);
  return createHmac("sha256", key).update(payload).digest("hex").slice(0, LENGTH);
}
