// Logging in with GitHub, for the dashboard: who somebody is, and where they may write. Methods may throw `Transient`.
import type { RepoKey } from "../domain/memory.ts";

/** Somebody whom GitHub named. A login can change hands; the id cannot. */
export interface Visitor {
  readonly id: number;
  readonly login: string;
}

/** A visitor with their own token: what is asked with it counts against their limit at GitHub and not against the App's. */
export interface VisitorWithToken extends Visitor {
  readonly token: string;
}

export interface GitHubLogin {
  /** Where people reach the dashboard: `https://kodiai.example.com`, without a slash at the end. */
  readonly origin: string;
  /** GitHub's page that asks the person. Both are base64url: what comes back with the code, and the SHA-256 of the verifier. */
  page(state: string, challenge: string): string;
  /** Null for a code that GitHub does not take: used, too old, or not of this verifier. `lastsMs` is of the token. */
  visitor(code: string, verifier: string): Promise<(VisitorWithToken & { readonly lastsMs: number }) | null>;
  /**
   * The repositories where the App is installed and the person may write; null when GitHub does not take their token any more.
   *
   * @param isFresh GitHub is asked now; else what it said within the last five minutes counts. That they may write nowhere
   *   counts for five minutes either way.
   */
  writable(visitor: VisitorWithToken, isFresh: boolean): Promise<ReadonlySet<RepoKey> | null>;
}

/** Sessions of the dashboard that were logged out of before their time. */
export interface EndedSessions {
  /** @param until epoch milliseconds at which the session would have ended by itself: it is remembered until then */
  end(session: string, until: number): Promise<void>;
  isEnded(session: string): Promise<boolean>;
}
