// GitHub login for the dashboard: who a person is, where they may write. May throw `Transient`.
import type { RepoKey } from "../domain/memory.ts";

/** A person identified by GitHub. A login can change hands; the id cannot. */
export interface Visitor {
  readonly id: number;
  readonly login: string;
}

/** A visitor's own token: requests with it count against their rate limit, not the App's. */
export interface VisitorWithToken extends Visitor {
  readonly token: string;
}

export interface GitHubLogin {
  /** The dashboard's public URL: `https://kodiai.example.com`, without a trailing slash. */
  readonly origin: string;
  /** URL of GitHub's consent page; state and SHA-256 of the verifier, both base64url. */
  page(state: string, challenge: string): string;
  /** Null for a code that is used, expired or of another verifier. `lastsMs` is the token's. */
  visitor(code: string, verifier: string): Promise<(VisitorWithToken & { readonly lastsMs: number }) | null>;
  /**
   * Where the App is installed and the person may write; null when GitHub refuses their token.
   * An answer may be five minutes old unless `isFresh`, and an empty one in any case.
   */
  writable(visitor: VisitorWithToken, isFresh: boolean): Promise<ReadonlySet<RepoKey> | null>;
}

/** Dashboard sessions that were logged out before they expired. */
export interface EndedSessions {
  /** @param until epoch milliseconds when the session would expire, and its entry goes */
  end(session: string, until: number): Promise<void>;
  isEnded(session: string): Promise<boolean>;
}
