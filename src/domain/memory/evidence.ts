// What people did about a finding. Its outcome follows from this evidence; each piece has a person,
// a time and a place.
import { type AccessLevel, hasAccess } from "../command.ts";
import type { Decided, MemoryRecord } from "../memory.ts";
import { cutText, oneLine } from "../text/cut-text.ts";
import { isoDate } from "../text/iso-date.ts";

/**
 * `declined`, `restored`: by a command. `lines-changed`, `suggestion-applied`, `lines-back`: by
 * later commits on the branch. `merged`: the change landed, which is no verdict on the finding but
 * confirms the code.
 */
export const EVIDENCE_KINDS = [
  "thumbs-up",
  "thumbs-down",
  "reply",
  "declined",
  "restored",
  "resolved",
  "unresolved",
  "review-dismissed",
  "lines-changed",
  "suggestion-applied",
  "lines-back",
  "merged",
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/**
 * The position of a reply towards the finding: `declines` rejects it with a reason, `other` takes
 * no side.
 */
export type Stance = "declines" | "rejects" | "agrees" | "asks" | "other";

/** A person as GitHub described them when their act was first seen; a login can change hands. */
export interface EvidenceBy extends Person {
  /** From the permission API; never `author_association`. */
  readonly access: AccessLevel;
}

export interface Evidence {
  /** The finding's memory id. */
  readonly memoryId: string;
  /**
   * The source's own id, such as `reply:123`: the same act read twice is one piece of evidence, as
   * first seen.
   */
  readonly key: string;
  readonly kind: EvidenceKind;
  /** Of a reply; null for anything else. */
  readonly stance: Stance | null;
  /** Null when GitHub does not say who. For code evidence: the owner of the branch. */
  readonly by: EvidenceBy | null;
  /** Epoch milliseconds; when it was first seen, if it has no time of its own. */
  readonly at: number;
  /** The words, or the reason, without secrets and at most 2,000 characters. */
  readonly text: string | null;
  readonly url: string | null;
  /** For code evidence: the head at which it was first seen. For `merged`: the merge. */
  readonly sha: string | null;
  /** Epoch milliseconds at which the reaction or reply was found deleted. Null while it exists. */
  readonly withdrawnAt: number | null;
}

/** Characters of a text that are stored. */
export const EVIDENCE_TEXT = 2_000;

/** True when this person's act moves memory: people (no bots) with write access. */
export function isWriterAct({ by }: Pick<Evidence, "by">): boolean {
  return by !== null && !by.isBot && hasAccess(by.access, "write");
}

const REASON_SHOWN = 200;

/**
 * `declined 2026-06-01 by @wren: by design, …` or `fixed 2026-06-01 in 1a2b3c4d5e6f`; untrusted, on
 * one line.
 */
export function outcomeText({ outcome, decided }: Pick<MemoryRecord, "outcome" | "decided">): string {
  const name = outcome ?? "unknown";
  if (decided === null) return name;
  return [name, decidedText(decided)].filter((part) => part !== "").join(" ");
}

/** The same without the outcome's name; "" when nothing is known. */
export function decidedText({ at, by, reason, sha }: Decided): string {
  const who = by === null ? "" : `by @${oneLine(by)}`;
  const where = sha === null ? "" : `in ${sha.slice(0, 12)}`;
  const head = [isoDate(at), where, who].filter((part) => part !== "").join(" ");
  const why = reason === null ? "" : oneLine(reason);
  const cut = why.length > REASON_SHOWN ? `${cutText(why, REASON_SHOWN - 1)}…` : why;
  return cut === "" ? head : `${head}: ${cut}`;
}

/** An account. `id` is GitHub's numeric id. */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

export interface ReadReaction {
  readonly id: string;
  readonly thumb: "up" | "down";
  readonly by: Person;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ReadReply {
  readonly id: number;
  readonly by: Person;
  readonly at: number;
  readonly body: string;
  readonly url: string;
}

/** A thread that we started about one finding; a thread about several is read once for each. */
export interface ReadThread {
  /** GitHub's node id. */
  readonly id: string;
  readonly findingId: string;
  readonly url: string;
  /** The review that our comment belongs to; null for a single comment. */
  readonly reviewId: number | null;
  readonly reactions: readonly ReadReaction[];
  /** Oldest first, without ours. */
  readonly replies: readonly ReadReply[];
  readonly isResolved: boolean;
  /** Null while it is open, or when GitHub does not say who. */
  readonly resolvedBy: Person | null;
}

/** A review of ours that a person dismissed. */
export interface ReadDismissal {
  readonly id: string;
  readonly reviewId: number;
  readonly by: Person | null;
  readonly at: number;
  readonly message: string | null;
  readonly url: string;
}

export interface PullFeedback {
  readonly state: "open" | "closed" | "merged";
  readonly headSha: string;
  readonly url: string;
  readonly author: Person | null;
  /** Null unless merged. */
  readonly merged: { readonly by: Person | null; readonly at: number; readonly sha: string | null } | null;
  readonly threads: readonly ReadThread[];
  readonly dismissals: readonly ReadDismissal[];
  /** False when GitHub had more than was read: missing entries then do not count as withdrawn. */
  readonly isComplete: boolean;
  /** What was not read, one line each, for the log. */
  readonly cut: readonly string[];
}

/** The state of a finding's code at the newest head. */
export type CodeStatus = "unchanged" | "changed" | "applied";
