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

export interface Session {
  readonly who: Who;
  /** Unique. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface Attempt {
  readonly cookie: string;
  /** Comes back with GitHub's code. */
  readonly state: string;
  /** What the code is exchanged with; GitHub is told its SHA-256 before. */
  readonly challenge: string;
}

export interface Sessions {
  /** The session's cookie value; null for a wrong token, "later" when too many were wrong. */
  open(token: string): string | "later" | null;
  /** Ends with the person's token, which only the server can read in it. */
  openFor(person: VisitorWithToken & { readonly lastsMs: number }): string;
  /** Null while the cookie's value is not ours, or too old. Whether it was logged out of is not known here. */
  session(cookie: string | undefined): Session | null;
  /** What every form of this session must send back. */
  formToken(cookie: string): string;
  /** Whether that is what it sent. */
  isOwnForm(cookie: string, sent: unknown): boolean;
  /** Sends somebody to GitHub. `next` is a page of ours. */
  begin(next: string): Attempt;
  /** Null unless the browser that comes back with this state is the one that was sent, in time. */
  comesBack(
    cookie: string | undefined,
    state: string | undefined,
  ): { readonly verifier: string; readonly next: string } | null;
  /** Seconds that a cookie is kept. */
  readonly maxAge: number;
  readonly attemptAge: number;
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
): Sessions {
  const { token, clientSecret } = secrets;
  const key = createHash("sha256")
    .update(`kodiai dashboard\n${token ?? ""}\n${clientSecret ?? ""}`)
    .digest();
  const sign = (what: string, text: string) => createHmac("sha256", key).update(`${what}\n${text}`).digest("base64url");
  const wrongs = wrongTokens(now);
  const seal = sealing(createHmac("sha256", key).update("seal").digest());
  const signed = (what: string, parts: readonly string[]) => {
    const text = parts.join(".");
    return `${text}.${sign(what, text)}`;
  };
  return {
    maxAge: LASTS_MS / 1_000,
    attemptAge: ATTEMPT_MS / 1_000,
    open(shown) {
      if (token !== null && isSame(shown, token)) return signed("session", [String(now() + LASTS_MS), random()]);
      return wrongs.isOneTooMany() ? "later" : null;
    },
    openFor: ({ id, login, token: own, lastsMs }) =>
      signed("session", [
        String(now() + Math.min(LASTS_MS, lastsMs)),
        random(),
        seal.close(JSON.stringify([id, login, own])),
      ]),
    session(cookie) {
      const [until, name, person, ...more] = opened(cookie, (text) => sign("session", text)) ?? [];
      if (until === undefined || name === undefined || more.length > 0 || !(Number(until) > now())) return null;
      const who: Who | null = person === undefined ? { kind: "operator" } : personIn(seal.open(person));
      return who === null ? null : { who, name, until: Number(until) };
    },
    formToken: (cookie) => sign("form", cookie),
    isOwnForm: (cookie, sent) => typeof sent === "string" && isSame(sent, sign("form", cookie)),
    begin(next) {
      const state = random();
      const cookie = signed("login", [String(now() + ATTEMPT_MS), state, packed(next)]);
      return { cookie, state, challenge: createHash("sha256").update(sign("verifier", state)).digest("base64url") };
    },
    comesBack(cookie, state) {
      const [until, expected, next, ...more] = opened(cookie, (text) => sign("login", text)) ?? [];
      if (until === undefined || expected === undefined || next === undefined || more.length > 0) return null;
      if (state === undefined || !isSame(state, expected) || !(Number(until) > now())) return null;
      // Made of the state, so that no browser needs to hold it: 43 characters, as RFC 7636 asks.
      return { verifier: sign("verifier", expected), next: String(unpacked(next)) };
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

/** Counts wrong tokens. Whoever sends many is told to wait, and the operator, who sends the right one, is not. */
function wrongTokens(now: () => number): { isOneTooMany(): boolean } {
  let minute = { begins: 0, count: 0 };
  return {
    isOneTooMany() {
      if (now() - minute.begins >= MINUTE_MS || now() < minute.begins) minute = { begins: now(), count: 0 };
      minute.count += 1;
      return minute.count > MOST_WRONG;
    },
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

function packed(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Only of what was signed. */
function unpacked(text: string): unknown {
  return JSON.parse(Buffer.from(text, "base64url").toString());
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
