// The comments of a thread, the decisions about a pull request in its conversation, and our
// answers.
import type { Degraded } from "./omissions.ts";

/** A comment of a thread on the diff. */
export interface ThreadComment {
  readonly id: number;
  readonly author: { readonly id: number; readonly login: string; readonly isBot: boolean };
  /** Kodiai wrote it. */
  readonly isOurs: boolean;
  readonly body: string;
  /** ISO 8601 with seconds, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly path: string;
  readonly hunk: string | null;
}

/** A finding that a person asked us not to report again on a pull request. */
export interface Declined {
  readonly findingId: string;
  /** A login. */
  readonly by: string;
  /** In their words; "" without a reason. */
  readonly reason: string;
  /**
   * Had write access then, according to GitHub. Others only ask: the finding is shown all the same.
   */
  readonly isWriter: boolean;
}

/** What people decided about one pull request; it survives pushes and restarts. */
export interface PullDecisions {
  /** Who paused its reviews; null when they are not paused. */
  readonly pausedBy: string | null;
  readonly declined: readonly Declined[];
}

/** An answer to a comment, not yet sent. */
export interface Answer {
  /** How the command ended; each has a reaction. */
  readonly end: "done" | "started" | "failed" | "refused";
  /** Markdown, untrusted as a whole; null answers by the reaction alone. */
  readonly text: string | null;
  /** The sources of the answer, with addresses that GitHub gave us. */
  readonly sources: readonly { readonly label: string; readonly url: string | null }[];
  readonly degraded: readonly Degraded[];
  /** Cost and model in a few words; "" without. */
  readonly footer: string;
  /** One line for the log and the queue. */
  readonly note: string;
}

/** An answer without sources and footer. */
export function plainAnswer(end: Answer["end"], text: string | null, note: string): Answer {
  return { end, text, sources: [], degraded: [], footer: "", note };
}

/** The reason why a declined finding is held back. */
export function declinedReason({ by, reason }: Declined): string {
  return `declined by @${by}${reason === "" ? "" : `: ${reason}`}`;
}
