// Who looks: whoever showed the token, or whom GitHub named, holds a signed cookie for twelve hours. Nothing is kept on the
// server, so any process with the same secrets knows it again, and another token or client secret ends every session.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const COOKIE = "kodiai_session";
/** Of a login at GitHub that is under way. */
export const ATTEMPT_COOKIE = "kodiai_login";
const LASTS_MS = 12 * 60 * 60_000;
/** Longer than anybody takes to confirm at GitHub, whose codes end after ten minutes as well. */
const ATTEMPT_MS = 10 * 60_000;
/** Tries with a wrong token in a minute, of everybody together; then nobody may try until the minute is over. */
const MOST_TRIES = 10;
const MINUTE_MS = 60_000;
const MOST_COOKIE = 4_000;

/** The operator, who showed the token; or somebody whom GitHub named. */
export type Who =
  | { readonly kind: "operator" }
  | { readonly kind: "person"; readonly id: number; readonly login: string };

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
  openFor(person: { readonly id: number; readonly login: string }): string;
  /** Null while the cookie's value is not ours, or too old. */
  who(cookie: string | undefined): Who | null;
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
  const mayTry = tries(now);
  const signed = (what: string, parts: readonly string[]) => {
    const text = parts.join(".");
    return `${text}.${sign(what, text)}`;
  };
  return {
    maxAge: LASTS_MS / 1_000,
    attemptAge: ATTEMPT_MS / 1_000,
    open(shown) {
      if (!mayTry.now()) return "later";
      if (token === null || !isSame(shown, token)) {
        mayTry.missed();
        return null;
      }
      return signed("session", [String(now() + LASTS_MS), random()]);
    },
    openFor: ({ id, login }) => signed("session", [String(now() + LASTS_MS), random(), packed([id, login])]),
    who(cookie) {
      const [until, name, person, ...more] = opened(cookie, (text) => sign("session", text)) ?? [];
      if (until === undefined || name === undefined || more.length > 0 || !(Number(until) > now())) return null;
      return person === undefined ? { kind: "operator" } : personIn(person);
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

/** How often somebody may show a wrong token. */
function tries(now: () => number): { now(): boolean; missed(): void } {
  let minute = { begins: 0, tries: 0 };
  return {
    now() {
      if (now() - minute.begins >= MINUTE_MS || now() < minute.begins) minute = { begins: now(), tries: 0 };
      return minute.tries < MOST_TRIES;
    },
    missed() {
      minute = { ...minute, tries: minute.tries + 1 };
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

function personIn(text: string): Who {
  const [id, login] = unpacked(text) as readonly [number, string];
  return { kind: "person", id, login };
}

/** In a time that tells nothing about where they differ, or about their lengths. */
function isSame(shown: string, real: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(shown), hash(real));
}
