// The write path's ports to the store: what was sent and with which result, the pace of writes to
// an installation, and rate-limit pauses. Durations are milliseconds, by the store's own clock.
import type { Repo } from "../domain/job.ts";

/** Kinds of posts, each created at most once. */
type WriteKind = "review" | "file" | "summary" | "answer" | "check" | "reaction";

/** A post to create exactly once. Two with the same kind, place, head and subject are the same. */
export interface Wanted {
  readonly kind: WriteKind;
  readonly repo: Repo;
  readonly installationId: number;
  readonly number: number;
  /** "" when it belongs to no head. */
  readonly headSha: string;
  /** Distinguishes it from others of its kind on this head: letters, digits, `_` and `-`. */
  readonly subject: string;
}

export interface Post {
  readonly id: number;
  readonly url: string;
}

/** The recorded state of a write. `sent`: it was sent `agoMs` ago, and the response was lost. */
export type WriteState =
  | { readonly state: "new" }
  | { readonly state: "sent"; readonly marker: string; readonly agoMs: number }
  | { readonly state: "posted"; readonly post: Post };

/** A write without a known result whose job has ended. */
export interface Orphan {
  readonly wanted: Wanted;
  readonly marker: string;
  readonly agoMs: number;
}

/** Every creating write, recorded before it is sent; LeaseLost when the job is not held. */
export interface WriteStore {
  state(wanted: Wanted): Promise<WriteState>;
  /** Records that it is about to be sent, with this marker. */
  send(wanted: Wanted, marker: string): Promise<void>;
  posted(wanted: Wanted, post: Post): Promise<void>;
  /** Records that it was certainly not created: it may be sent again. */
  refused(wanted: Wanted): Promise<void>;
  /** Throws LeaseLost when the job is no longer held. */
  hold(): Promise<void>;
}

export interface OrphanWrites {
  orphans(most: number): Promise<readonly Orphan[]>;
  /** @param post as found on GitHub; null when it is not there */
  settle(orphan: Orphan, post: Post | null): Promise<void>;
}

export interface WriteTurn {
  readonly installationId: number;
  readonly token: string;
}

/** Each installation's rate limits: they survive restarts and bind every process of a store. */
export interface InstallationPace {
  closedFor(installationId: number): Promise<number>;
  /** Starts a pause; keeps a longer one. */
  close(installationId: number, forMs: number): Promise<void>;
  /** Takes the turn to write for `forMs`; null when taken, or after the last write too soon. */
  takeTurn(installationId: number, forMs: number): Promise<WriteTurn | null>;
  /** Extends it to `forMs` from now; false when another process has taken it over. */
  keepTurn(turn: WriteTurn, forMs: number): Promise<boolean>;
  /** Ends the turn: the next one is free in `apartMs`. Nothing if another process has it. */
  endTurn(turn: WriteTurn, apartMs: number): Promise<void>;
}
