// Who looks: a person who showed the token, or whom GitHub named, holds a sealed cookie for twelve
// hours. The server keeps nothing but what was logged out of, so any process with the same secrets
// knows a session again, and another token or client secret ends all of them.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { VisitorWithToken } from "./dashboard-ports.ts";

export const COOKIE = "kodiai_session";
/** Of a login at GitHub that is under way. */
export const ATTEMPT_COOKIE = "kodiai_login";
const LASTS_MS = 12 * 60 * 60_000;
/** Longer than anybody takes to confirm at GitHub, whose codes end after ten minutes as well. */
const ATTEMPT_MS = 10 * 60_000;
/** Wrong tokens a minute, of all callers, that are called wrong; the right one is always taken. */
const MOST_WRONG = 10;
const MINUTE_MS = 60_000;
const MOST_COOKIE = 4_000;

export type Who = { readonly kind: "operator" } | ({ readonly kind: "person" } & VisitorWithToken);

interface Session {
  readonly who: Who;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

interface Attempt {
  readonly state: string;
  /** What GitHub's code is exchanged with: 43 characters, as RFC 7636 asks. */
  readonly verifier: string;
  readonly next: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** @param random names a session: 16 bytes or more as text @param now epoch milliseconds */
export function sessions(
  secrets: { readonly token: string | null; readonly clientSecret: string | null },
  random: () => string,
  now: () => number,
) {
  const { token, clientSecret } = secrets;
  const key = createHash("sha256")
    .update(`kodiai dashboard\n${token ?? ""}\n${clientSecret ?? ""}`)
    .digest();
  const isOneTooMany = wrongTokens(now);
  const { close, open } = sealing(createHmac("sha256", key).update("seal").digest());
  const opened = <Kept extends Session | Attempt>(kind: string, cookie: string | undefined): Kept | null => {
    const text = cookie === undefined || cookie.length > MOST_COOKIE ? null : open(kind, cookie);
    // Only of what we sealed.
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    return kept !== null && kept.until > now() ? kept : null;
  };
  const sessionOf = (who: Who, lastsMs: number) =>
    close("session", JSON.stringify({ who, name: random(), until: now() + lastsMs } satisfies Session));
  const formToken = (cookie: string) => createHmac("sha256", key).update(`form\n${cookie}`).digest("base64url");
  return {
    /** Seconds that a cookie is kept. */
    maxAge: LASTS_MS / 1_000,
    attemptAge: ATTEMPT_MS / 1_000,
    /** The session's cookie; null for a wrong token, "later" when too many were wrong. */
    open(shown: string): string | "later" | null {
      if (token !== null && isSame(shown, token)) return sessionOf({ kind: "operator" }, LASTS_MS);
      return isOneTooMany() ? "later" : null;
    },
    /** The cookie of a person; it contains their token, which only the server can read. */
    openFor: ({ lastsMs, ...visitor }: VisitorWithToken & { readonly lastsMs: number }): string =>
      sessionOf({ kind: "person", ...visitor }, Math.min(LASTS_MS, lastsMs)),
    /** Null if the cookie is not ours or too old; it may have been logged out. */
    session: (cookie: string | undefined): Session | null => opened("session", cookie),
    /** What every form of this session must send back. */
    formToken,
    isOwnForm: (cookie: string, sent: unknown): boolean => typeof sent === "string" && isSame(sent, formToken(cookie)),
    /** The cookie of the attempt, the state that GitHub returns, the SHA-256 of the verifier. */
    begin(next: string) {
      const [state, verifier] = [random(), randomBytes(32).toString("base64url")];
      const attempt: Attempt = { state, verifier, next, until: now() + ATTEMPT_MS };
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      return { cookie: close("login", JSON.stringify(attempt)), state, challenge };
    },
    /** Null unless the browser that returns with this state is the one that began, in time. */
    comesBack(cookie: string | undefined, state: string | undefined): Attempt | null {
      const attempt = opened<Attempt>("login", cookie);
      return attempt !== null && state !== undefined && isSame(state, attempt.state) ? attempt : null;
    },
  };
}

/** Counts a wrong token; true if there were too many. Who sends the right one never waits. */
function wrongTokens(now: () => number): () => boolean {
  let minute = { begins: 0, count: 0 };
  return () => {
    if (now() - minute.begins >= MINUTE_MS || now() < minute.begins) minute = { begins: now(), count: 0 };
    minute.count += 1;
    return minute.count > MOST_WRONG;
  };
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with a nonce for each text: nobody else can read or make one, nor use one of another
 * kind. A sealed text is base64url of nonce, text and tag; `open` gives null for any other.
 */
function sealing(key: Buffer) {
  return {
    close(kind: string, text: string): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(kind));
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },
    open(kind: string, sealed: string): string | null {
      const bytes = Buffer.from(sealed, "base64url");
      // Decoding passes over other characters, so that one session would have many cookies.
      if (bytes.toString("base64url") !== sealed) return null;
      try {
        const iv = bytes.subarray(0, IV_BYTES);
        const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(kind))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}

/** In a time that tells nothing about where they differ, or about their lengths. */
function isSame(shown: string, real: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(shown), hash(real));
}
