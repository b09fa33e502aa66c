// Installation tokens as GitHub makes them since 2026, about 520 characters: `ghs_APPID_JWT`, of
// which nobody but GitHub reads anything. Source: GitHub's documentation, "Generating an
// installation access token for a GitHub App".
import { createHash } from "node:crypto";
import type { Json } from "./conversation.ts";

/** The same for the same `subject`, which it carries. */
export function statelessToken(subject = "none", appId = 4242): string {
  const part = (json: Json) => Buffer.from(JSON.stringify(json)).toString("base64url");
  const random = (bytes: number) => createHash("shake256", { outputLength: bytes }).update(subject).digest("base64url");
  const body = part({ iss: "https://github.com", sub: subject, jti: random(40) });
  return `ghs_${appId}_${part({ alg: "RS256", typ: "JWT" })}.${body}.${random(256)}`;
}

/** What a token carries; null for any other. */
export function subjectOf(token: string): string | null {
  const body = /^ghs_\d+_[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1];
  if (body === undefined) return null;
  return String((JSON.parse(Buffer.from(body, "base64url").toString()) as Json).sub);
}
