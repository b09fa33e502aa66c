// Who may look: whoever showed the token once holds a signed cookie for twelve hours. Nothing is kept on the server, so any
// process with the same token knows it again, and a new token ends every session.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const COOKIE = "kodiai_session";
const LASTS_MS = 12 * 60 * 60_000;
/** Tries with a wrong token in a minute, of everybody together; then nobody may try until the minute is over. */
const MOST_TRIES = 10;
const MINUTE_MS = 60_000;

export interface Sessions {
  /** The session's cookie value; null for a wrong token, "later" when too many were wrong. */
  open(token: string): string | "later" | null;
  /** True while the cookie's value is ours and young enough. */
  holds(cookie: string | undefined): cookie is string;
  /** What every form of this session must send back. */
  formToken(cookie: string): string;
  /** Whether that is what it sent. */
  isOwnForm(cookie: string, sent: unknown): boolean;
  /** Seconds that a cookie is kept. */
  readonly maxAge: number;
}

/**
 * @param token what the operator chose: at least 32 characters
 * @param random names a session: 16 bytes or more as text, without dots
 * @param now epoch milliseconds
 */
export function sessions(token: string, random: () => string, now: () => number): Sessions {
  const key = createHash("sha256").update("kodiai dashboard\n").update(token).digest();
  const sign = (what: string, text: string) => createHmac("sha256", key).update(`${what}\n${text}`).digest("base64url");
  let minute = { begins: 0, tries: 0 };
  const tooMany = () => {
    if (now() - minute.begins >= MINUTE_MS || now() < minute.begins) minute = { begins: now(), tries: 0 };
    return minute.tries >= MOST_TRIES;
  };
  return {
    maxAge: LASTS_MS / 1_000,
    open(shown) {
      if (tooMany()) return "later";
      if (!isSame(shown, token)) {
        minute = { ...minute, tries: minute.tries + 1 };
        return null;
      }
      const session = `${now() + LASTS_MS}.${random()}`;
      return `${session}.${sign("session", session)}`;
    },
    holds(cookie): cookie is string {
      if (cookie === undefined || cookie.length > 300) return false;
      const [until = "", name = "", signature = "", ...more] = cookie.split(".");
      const isOurs = more.length === 0 && isSame(signature, sign("session", `${until}.${name}`));
      return isOurs && Number(until) > now();
    },
    formToken: (cookie) => sign("form", cookie),
    isOwnForm: (cookie, sent) => typeof sent === "string" && isSame(sent, sign("form", cookie)),
  };
}

/** In a time that tells nothing about where they differ, or about their lengths. */
function isSame(shown: string, real: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(shown), hash(real));
}
