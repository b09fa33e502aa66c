// Logging in with GitHub, for the dashboard: who somebody is, and where they may write. Methods may throw `Transient`.
import type { RepoKey } from "../domain/memory.ts";

/** Somebody whom GitHub named. A login can change hands; the id cannot. */
export interface Visitor {
  readonly id: number;
  readonly login: string;
}

export interface GitHubLogin {
  /** Where people reach the dashboard: `https://kodiai.example.com`, without a slash at the end. */
  readonly origin: string;
  /** GitHub's page that asks the person. Both are base64url: what comes back with the code, and the SHA-256 of the verifier. */
  page(state: string, challenge: string): string;
  /** Null for a code that GitHub does not take: used, too old, or not of this verifier. */
  visitor(code: string, verifier: string): Promise<Visitor | null>;
  /**
   * Of these repositories those where the App is installed and the person may write.
   *
   * @param isFresh GitHub is asked now; else what it said within the last five minutes counts
   */
  writable(visitor: Visitor, among: readonly RepoKey[], isFresh: boolean): Promise<ReadonlySet<RepoKey>>;
}
