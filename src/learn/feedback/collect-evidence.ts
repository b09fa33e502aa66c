// Turns what was read of a pull request into evidence on our findings: each act has its own key, so
// that reading it again adds nothing.

import { textStream } from "../../domain/code/code-fingerprint.ts";
import { relocateCode, relocateSuggestion } from "../../domain/code/relocate-code.ts";
import { type AccessLevel, VERBS } from "../../domain/command.ts";
import {
  type CodeStatus,
  EVIDENCE_TEXT,
  type Evidence,
  type EvidenceKind,
  type Person,
  type PullFeedback,
  type ReadThread,
} from "../../domain/memory/evidence.ts";
import { readReply } from "../../domain/memory/read-reply.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { evidenceName } from "./weigh-evidence.ts";

export interface Observed {
  readonly pull: PullFeedback;
  /** Finding id → its memory. */
  readonly memories: ReadonlyMap<string, string>;
  /** Finding id → the state of its code; absent when unknown. */
  readonly code: ReadonlyMap<string, CodeStatus>;
  /** The stored evidence on all findings. */
  readonly before: readonly Evidence[];
  /** Who reopened a thread, by thread, according to a delivery. */
  readonly reopened: ReadonlyMap<string, Pick<Person, "id" | "login">>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Evidence whose author's access is not yet known. */
export type Unattested = Omit<Evidence, "by"> & { readonly by: Person | null };

interface Collected {
  /** Not known before. */
  readonly fresh: readonly Unattested[];
  /** Known before, and no longer found where it was read. */
  readonly withdrawn: readonly Pick<Evidence, "memoryId" | "key">[];
}

/**
 * Compares what was read with the stored evidence. A reply counts as first seen: later edits are
 * not read. Deleted reactions and replies are reported as withdrawn, when everything could be read.
 */
export function collectEvidence(observed: Observed): Collected {
  const { pull, memories } = observed;
  const read: Unattested[] = [];
  for (const thread of pull.threads) {
    const memoryId = memories.get(thread.findingId);
    if (memoryId === undefined) continue;
    read.push(...reactionsOf(thread, memoryId), ...repliesOf(thread, memoryId));
    read.push(...toggleOf(thread, memoryId, observed), ...dismissalsOf(thread, memoryId, pull));
  }
  for (const [findingId, memoryId] of memories) {
    read.push(...codeOf(observed.code.get(findingId), memoryId, observed), ...mergeOf(memoryId, pull));
  }
  const known = new Map(observed.before.map((evidence) => [evidenceName(evidence), evidence]));
  const isFresh = (unattested: Unattested) => known.get(evidenceName(unattested))?.withdrawnAt !== null;
  return { fresh: read.filter(isFresh), withdrawn: pull.isComplete ? withdrawnOf(observed, read) : [] };
}

/** Adds the author's access. */
export function attested({ by, ...rest }: Unattested, accessOf: ReadonlyMap<number, AccessLevel>): Evidence {
  if (by === null) return { ...rest, by: null };
  const { id, login, isBot } = by;
  return { ...rest, by: { id, login, isBot, access: accessOf.get(id) ?? "none" } };
}

function piece(
  kind: EvidenceKind,
  key: string,
  from: Pick<Unattested, "memoryId" | "at" | "url"> & Partial<Unattested>,
): Unattested {
  return { stance: null, by: null, text: null, sha: null, withdrawnAt: null, ...from, kind, key };
}

function reactionsOf({ reactions, url }: ReadThread, memoryId: string): readonly Unattested[] {
  return reactions.map(({ id, thumb, by, at }) =>
    piece(`thumbs-${thumb}`, `reaction:${id}`, { memoryId, at, url, by }),
  );
}

function repliesOf({ replies }: ReadThread, memoryId: string): readonly Unattested[] {
  return replies
    .filter(({ body }) => !isCommand(body))
    .map(({ id, by, at, body, url }) => {
      const text = cutText(body.trim(), EVIDENCE_TEXT);
      const from = { memoryId, at, url, by, text, stance: readReply(body).stance };
      return piece("reply", `reply:${id}`, from);
    });
}

const VERB_NAMES: ReadonlySet<string> = new Set(VERBS.map(({ verb }) => verb.split(" ")[0] ?? verb));

/** A command is recorded when it is carried out. */
function isCommand(body: string): boolean {
  const [, verb = ""] = /^\s{0,20}(?:\/kodiai|@[\w-]{1,60})[\s:,]{1,10}([a-z]{1,20})\b/i.exec(body.slice(0, 200)) ?? [];
  return VERB_NAMES.has(verb.toLowerCase());
}

/** GitHub reports no time of a resolution: each observed change is one piece of evidence. */
function toggleOf(thread: ReadThread, memoryId: string, { before, now, reopened }: Observed): readonly Unattested[] {
  const prefix = `thread:${thread.id}:`;
  const { turns, last } = turnsOf(before, memoryId, prefix);
  if ((last === "resolved") === thread.isResolved) return [];
  const who = thread.isResolved ? thread.resolvedBy : (reopened.get(thread.id) ?? null);
  const by = who === null ? null : { isBot: false, ...who };
  const from = { memoryId, at: now, url: thread.url, by };
  return [piece(thread.isResolved ? "resolved" : "unresolved", `${prefix}${turns + 1}`, from)];
}

/** The earlier changes of a state: how many, and the last. */
function turnsOf(before: readonly Evidence[], memoryId: string, prefix: string) {
  const turns = before.filter((evidence) => evidence.memoryId === memoryId && evidence.key.startsWith(prefix));
  return { turns: turns.length, last: turns.toSorted((a, b) => a.at - b.at).at(-1)?.kind };
}

function dismissalsOf(thread: ReadThread, memoryId: string, { dismissals }: PullFeedback): readonly Unattested[] {
  return dismissals
    .filter(({ reviewId }) => reviewId === thread.reviewId)
    .map(({ id, by, at, message, url }) => {
      const text = message === null ? null : cutText(message, EVIDENCE_TEXT);
      return piece("review-dismissed", `dismissal:${id}`, { memoryId, at, url, by, text });
    });
}

/** Each change of the state is one piece: changed, as suggested, and back again. */
function codeOf(
  status: CodeStatus | undefined,
  memoryId: string,
  { before, pull, now }: Observed,
): readonly Unattested[] {
  if (status === undefined) return [];
  const { turns, last = "lines-back" } = turnsOf(before, memoryId, "code:");
  const kind = status === "unchanged" ? "lines-back" : status === "applied" ? "suggestion-applied" : "lines-changed";
  // Code that was fixed as suggested may be edited further.
  if (kind === last || (kind === "lines-changed" && last === "suggestion-applied")) return [];
  const from = { memoryId, at: now, url: pull.url, by: pull.author, sha: pull.headSha };
  return [piece(kind, `code:${pull.headSha}:${turns + 1}`, from)];
}

function mergeOf(memoryId: string, { merged, url }: PullFeedback): readonly Unattested[] {
  if (merged === null) return [];
  return [piece("merged", "merged", { memoryId, at: merged.at, url, by: merged.by, sha: merged.sha })];
}

/** Reactions and replies of read threads that no longer exist. */
function withdrawnOf({ before, pull, memories }: Observed, read: readonly Unattested[]): Collected["withdrawn"] {
  const seen = new Set(pull.threads.map(({ findingId }) => memories.get(findingId)));
  const present = new Set(read.map(evidenceName));
  return before.filter(
    (evidence) =>
      evidence.withdrawnAt === null &&
      seen.has(evidence.memoryId) &&
      (evidence.key.startsWith("reaction:") || evidence.key.startsWith("reply:")) &&
      !present.has(evidenceName(evidence)),
  );
}

/**
 * The state of a finding's code.
 *
 * @param text of the file at the newest head; null when the file was removed
 * @returns null for a whole file, a removed line, or code that was never known
 */
export function codeStatus(
  { finding, shape }: Pick<EarlierFinding, "finding" | "shape">,
  text: string | null,
): CodeStatus | null {
  if (finding.side === "LEFT" || finding.locMethod === "none" || shape.at.length === 0) return null;
  if (text === null) return "changed";
  const stream = textStream(text);
  const { startLine, suggestion } = finding;
  const found = relocateCode(shape, stream, startLine);
  if (suggestion !== null && relocateSuggestion(shape, suggestion.text, stream, startLine, found) !== null)
    return "applied";
  if (found?.as === "same") return "unchanged";
  return "changed";
}
