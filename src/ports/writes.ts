// What the one way to write to GitHub asks of the store: what was sent and what became of it, how often an installation may be
// written to, and until when it is left alone. Durations are milliseconds; clocks are the store's own.
import type { Repo } from "../domain/job.ts";

/** What is created, each at most once. */
export type WriteKind = "review" | "file" | "summary" | "answer" | "check";

/** Something that is to stand on GitHub once. Two with the same kind, place, head and subject are the same. */
export interface Wanted {
  readonly kind: WriteKind;
  readonly repo: Repo;
  readonly installationId: number;
  /** The pull request. */
  readonly number: number;
  /** "" where it belongs to no head. */
  readonly headSha: string;
  /** Tells it from others of its kind on this head: letters, digits, `_` and `-`. */
  readonly subject: string;
}

/** As it stands on GitHub. */
export interface Post {
  readonly id: number;
  readonly url: string;
}

/** What is known of something wanted. `sent`: it was sent `agoMs` ago, and nobody heard whether it arrived. */
export type Standing =
  | { readonly state: "new" }
  | { readonly state: "sent"; readonly marker: string; readonly agoMs: number }
  | { readonly state: "posted"; readonly post: Post };

/** Whose outcome nobody is left to find out. */
export interface Orphan {
  readonly wanted: Wanted;
  readonly marker: string;
  readonly agoMs: number;
}

/** Every write that creates something, kept from before it is sent. What writes throws LeaseLost when the job is not held any more. */
export interface WriteBook {
  standing(wanted: Wanted): Promise<Standing>;
  /** It is about to be sent, known by this marker. */
  send(wanted: Wanted, marker: string): Promise<void>;
  /** It stands there. */
  posted(wanted: Wanted, post: Post): Promise<void>;
  /** It certainly does not stand there: it may be sent again. */
  refused(wanted: Wanted): Promise<void>;
  /** Throws LeaseLost when the job is not held any more. */
  hold(): Promise<void>;
}

/** Writes that were sent for jobs which have ended. */
export interface OrphanWrites {
  orphans(most: number): Promise<readonly Orphan[]>;
  /** As it was found; null when it does not stand there. */
  settle(orphan: Orphan, post: Post | null): Promise<void>;
}

/** A turn that was taken. */
export interface WriteTurn {
  readonly installationId: number;
  /** Unlike those of all other turns. */
  readonly token: string;
}

/** How each installation wants to be treated; it holds over restarts, and for every process on the store. */
export interface InstallationPace {
  /** How long nothing may be asked; 0 when it may. */
  closedFor(installationId: number): Promise<number>;
  /** A longer wait that is known already stays. */
  close(installationId: number, forMs: number): Promise<void>;
  /**
   * Takes the turn to write, of all processes on the store; null when it is taken, or the last write ended too short a
   * while ago. Whoever dies with it loses it after `forMs`.
   */
  takeTurn(installationId: number, forMs: number): Promise<WriteTurn | null>;
  /** From now on it lasts for `forMs` again; false when it is another's by now. */
  keepTurn(turn: WriteTurn, forMs: number): Promise<boolean>;
  /** The write ended, whatever came of it: the next turn is free in `apartMs`. Nothing changes when the turn is another's by now. */
  endTurn(turn: WriteTurn, apartMs: number): Promise<void>;
}
