// A JSON Web Token of the app, as far as time goes: GitHub's clock is the true one, and it says
// what it does not like in these words, which clients know (https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app).

/**
 * GitHub takes no token that is to live longer, and a minute of disagreement about what time it is.
 */
const LONGEST_S = 600;
const TOLERATED_S = 60;

/** @returns GitHub's objection; null where there is none, also to what is no such token */
export function objectionTo(authorization: string, nowMs: number): string | null {
  const payload = /^bearer\s+eyJ[\w-]*\.([\w-]+)\.[\w-]+$/i.exec(authorization)?.[1];
  if (payload === undefined) return null;
  const { iat = 0, exp = 0 } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    iat?: number;
    exp?: number;
  };
  const now = nowMs / 1000;
  if (exp <= now)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  if (iat > now + TOLERATED_S)
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  if (exp > now + LONGEST_S + TOLERATED_S) return "'Expiration time' claim ('exp') is too far in the future";
  return null;
}
