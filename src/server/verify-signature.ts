// Whether a body was signed by GitHub: HMAC-SHA256 over its raw bytes, compared in constant time.
import { createHmac, timingSafeEqual } from "node:crypto";

/** A secret that deliveries may still be signed with while the App is being given a new one. */
export interface FormerSecret {
  readonly secret: string;
  /** Epoch milliseconds; from then on it counts no more. */
  readonly until: number;
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Whether a header has the form of a signature: without it, nobody needs to read the body. */
export function looksSigned(header: string | undefined): header is string {
  return header !== undefined && SIGNATURE.test(header);
}

/**
 * @param header X-Hub-Signature-256
 * @param body the raw bytes in the order in which they came
 * @param now epoch milliseconds
 */
export function verifySignature(
  header: string,
  body: readonly Buffer[],
  { secret, former }: { readonly secret: string; readonly former: FormerSecret | null },
  now: number,
): boolean {
  const [, digits] = SIGNATURE.exec(header) ?? [];
  if (digits === undefined) return false;
  const signed = Buffer.from(digits, "hex");
  const isCurrent = timingSafeEqual(signed, signatureOf(secret, body));
  if (former === null || now >= former.until) return isCurrent;
  // Both are always compared, so that the time tells nothing either.
  const isFormer = timingSafeEqual(signed, signatureOf(former.secret, body));
  return isCurrent || isFormer;
}

function signatureOf(secret: string, body: readonly Buffer[]): Buffer {
  const hmac = createHmac("sha256", secret);
  for (const chunk of body) hmac.update(chunk);
  return hmac.digest();
}
