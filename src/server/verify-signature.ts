// Verifies GitHub's signature: HMAC-SHA256 over the raw body, compared in constant time.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Env } from "../config/environment/env.ts";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Whether a header has the form of a signature; otherwise the body need not be read. */
export function looksSigned(header: string | undefined): header is string {
  return header !== undefined && SIGNATURE.test(header);
}

/**
 * @param header X-Hub-Signature-256
 * @param body the raw bytes, in order
 * @param now epoch milliseconds
 */
export function verifySignature(
  header: string,
  body: readonly Buffer[],
  { secret, former }: { readonly secret: string; readonly former: Env["formerSecret"] },
  now: number,
): boolean {
  const [, digits] = SIGNATURE.exec(header) ?? [];
  if (digits === undefined) return false;
  const signed = Buffer.from(digits, "hex");
  const isCurrent = timingSafeEqual(signed, signatureOf(secret, body));
  if (former === null || now >= former.until) return isCurrent;
  // Both are always compared, so that the timing reveals nothing.
  const isFormer = timingSafeEqual(signed, signatureOf(former.secret, body));
  return isCurrent || isFormer;
}

function signatureOf(secret: string, body: readonly Buffer[]): Buffer {
  const hmac = createHmac("sha256", secret);
  for (const chunk of body) hmac.update(chunk);
  return hmac.digest();
}
