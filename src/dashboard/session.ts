// Who looks: a person who showed the token, or whom GitHub named, holds a signed cookie for twelve hours. The server keeps
// nothing but what was logged out of, so any process with the same secrets knows a session again, and another token or client
// secret ends all of them.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { VisitorWithToken } from "./dashboard-ports.ts";

export const COOKIE = "kodiai_session";
/** Of a login at GitHub that is under way. */
export const ATTEMPT_COOKIE = "kodiai_login";
const LASTS_MS = 12 * 60 * 60_000;
/** Longer than anybody takes to confirm at GitHub, whose codes end after ten minutes as well. */
const ATTEMPT_MS = 10 * 60_000;
/** Wrong tokens in a minute, of all callers together, that are answered as wrong; the right one is always taken. */
const MOST_WRONG = 10;
const MINUTE_MS = 60_000;
const MOST_COOKIE = 4_000;

/** The operator, who showed the token; or a person whom GitHub named. */
export type Who = { readonly kind: "operator" } | ({ readonly kind: "person" } & VisitorWithToken);

interface Session {
  readonly who: Who;
  /** Unique. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * @param secrets what the operator set: the token of the dashboard, and the client secret of the GitHub App; null where not
 * @param random names a session: 16 bytes or more as text, without dots
 * @param now epoch milliseconds
 */
export function sessions(
  secrets: { readonly token: string | null; readonly clientSecret: string | null },
  random: () => string,
  now: () => number,
) {
  const { token, clientSecret } = secrets;
  const key = createHash("sha256")
    .update(`kodiai dashboard\n${token ?? ""}\n${clientSecret ?? ""}`)
    .digest();
  const sign = (what: string, text: string) => createHmac("sha256", key).update(`${what}\n${text}`).digest("base64url");
  const isOneTooMany = wrongTokens(now);
  const seal = sealing(createHmac("sha256", key).update("seal").digest());
  const signed = (what: string, parts: readonly string[]) => {
    const text = parts.join(".");
    return `${text}.${sign(what, text)}`;
  };
  return {
    /** Seconds that a cookie is kept. */
    maxAge: LASTS_MS / 1_000,
    attemptAge: ATTEMPT_MS / 1_000,
    /** The session's cookie; null for a wrong token, "later" when too many were wrong. */
    open(shown: string): string | "later" | null {
      if (token !== null && isSame(shown, token)) return signed("session", [String(now() + LASTS_MS), random()]);
      return isOneTooMany() ? "later" : null;
    },
    /** The cookie of a person; it contains their token, which only the server can read. */
    openFor: ({ id, login, token: own, lastsMs }: VisitorWithToken & { readonly lastsMs: number }): string =>
      signed("session", [
        String(now() + Math.min(LASTS_MS, lastsMs)),
        random(),
        seal.close(JSON.stringify([id, login, own])),
      ]),
    /** Null if the cookie is not ours or too old; it may have been logged out. */
    session(cookie: string | undefined): Session | null {
      const [until, name, person, ...more] = opened(cookie, (text) => sign("session", text)) ?? [];
      if (until === undefined || name === undefined || more.length > 0 || !(Number(until) > now())) return null;
      const who: Who | null = person === undefined ? { kind: "operator" } : personIn(seal.open(person));
      return who === null ? null : { who, name, until: Number(until) };
    },
    /** What every form of this session must send back. */
    formToken: (cookie: string): string => sign("form", cookie),
    isOwnForm: (cookie: string, sent: unknown): boolean =>
      typeof sent === "string" && isSame(sent, sign("form", cookie)),
    /**
     * Begins a login at GitHub: the cookie of the attempt, the state that GitHub returns with its code, and the SHA-256 of what the
     * code is exchanged with.
     *
     * @param next a page of ours
     */
    begin(next: string) {
      const state = random();
      const cookie = signed("login", [String(now() + ATTEMPT_MS), state, Buffer.from(next).toString("base64url")]);
      return { cookie, state, challenge: createHash("sha256").update(sign("verifier", state)).digest("base64url") };
    },
    /** Null unless the browser that returns with this state is the one that began, in time. */
    comesBack(cookie: string | undefined, state: string | undefined) {
      const [until, expected, next, ...more] = opened(cookie, (text) => sign("login", text)) ?? [];
      if (until === undefined || expected === undefined || next === undefined || more.length > 0) return null;
      if (state === undefined || !isSame(state, expected) || !(Number(until) > now())) return null;
      // Made of the state, so that no browser needs to hold it: 43 characters, as RFC 7636 asks.
      return { verifier: sign("verifier", expected), next: Buffer.from(next, "base64url").toString() };
    },
  };
}

/** The parts before the signature, where that is ours. */
function opened(cookie: string | undefined, signatureOf: (text: string) => string): readonly string[] | null {
  if (cookie === undefined || cookie.length > MOST_COOKIE) return null;
  const end = cookie.lastIndexOf(".");
  const text = cookie.slice(0, Math.max(0, end));
  return isSame(cookie.slice(end + 1), signatureOf(text)) ? text.split(".") : null;
}

/** Counts a wrong token; true if there were too many. The operator, who sends the right one, never waits. */
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

/** AES-256-GCM with a nonce for each text; base64url of nonce, text and tag. */
function sealing(key: Buffer): { close(text: string): string; open(sealed: string): string | null } {
  return {
    close(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch {
        // Signed by us and not sealed: a cookie of an older Kodiai.
        return null;
      }
    },
  };
}

/** Only of what was signed. */
function personIn(text: string | null): Who | null {
  if (text === null) return null;
  const [id, login, token] = JSON.parse(text) as readonly [number, string, string];
  return { kind: "person", id, login, token };
}

/** In a time that tells nothing about where they differ, or about their lengths. */
function isSame(shown: string, real: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(shown), hash(real));
}
