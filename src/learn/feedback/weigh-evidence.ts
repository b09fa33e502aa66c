// Derives a finding's outcome from what people did about it. Only acts of people with write access
// count; others are shown without weight. A written reason outweighs several rejections, those
// outweigh a word, a word outweighs a reaction.

import { isProtected } from "../../domain/finding.ts";
import { type Evidence, isWriterAct } from "../../domain/memory/evidence.ts";
import type { PastThread } from "../../domain/memory/past-reviews.ts";
import { readReply } from "../../domain/memory/read-reply.ts";
import type { Rejection } from "../../domain/memory/rejections.ts";
import type { Decided, MemoryRecord, Outcome } from "../../domain/memory.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { cutText } from "../../domain/text/cut-text.ts";

interface WeighedOutcome {
  readonly outcome: Outcome;
  /** Null while the outcome is `posted`. */
  readonly decided: Decided | null;
  /** Of people with write access: commands; words and reactions only while it is declined. */
  readonly rejections: readonly Rejection[];
  /** True when a person with write access responded, regardless of the outcome. */
  readonly isAnswered: boolean;
  /** Its code changed in a change that counts: merged, or on a writer's branch. */
  readonly isChanged: boolean;
  /** In sentences of ours, never empty. */
  readonly because: readonly string[];
  /** All evidence, each once, by time and key: `decided`, `counts`, or why it has no weight. */
  readonly evidence: readonly { readonly evidence: Evidence; readonly effect: string }[];
}

/** So many writers who reject the same finding need give no reason. */
const REPEATED = 2;
const REASON = 300;

/**
 * Weighs the evidence on one finding. The order does not matter; repeated evidence counts once.
 *
 * @param evidence as first seen, of this finding only
 * @param finding a protected one is not declined by reactions
 * @param held reasons by `MEMORY_ID KEY` for evidence without weight (see heldEvidence)
 */
export function outcomeOf(
  evidence: readonly Evidence[],
  finding: Pick<MemoryRecord, "severity" | "category">,
  held: ReadonlyMap<string, string>,
): WeighedOutcome {
  const all = eachOnce(evidence);
  const mute = new Map(all.map((evidence) => [evidence.key, muteReason(evidence, all, held)]));
  const voices = all.filter(({ key }) => mute.get(key) === null);
  const { outcome, decided, because, by } = judge(voices, finding);
  return {
    outcome,
    decided,
    rejections: rejectionsIn(voices, outcome),
    isChanged: (codeOf(voices).at(-1)?.kind ?? "lines-back") !== "lines-back",
    isAnswered: voices.some(({ kind }) => kind !== "merged" && !CODE.has(kind)),
    because,
    evidence: all.map((evidence) => ({
      evidence,
      effect: mute.get(evidence.key) ?? (evidence.key === by ? "decided" : "counts"),
    })),
  };
}

/** By time and key; of several with one key the first seen, independent of the given order. */
function eachOnce(evidence: readonly Evidence[]): readonly Evidence[] {
  const keyed = evidence.map((one) => ({ one, order: JSON.stringify([one.withdrawnAt, one.kind, one.text, one.by]) }));
  const sorted = keyed.toSorted((a, b) => a.one.at - b.one.at || compareTexts(a.order, b.order));
  const once = new Map<string, Evidence>();
  for (const { one } of sorted) if (!once.has(one.key)) once.set(one.key, one);
  // GitHub's times are whole seconds: a restore in the second of a rejection came after it.
  const restores = ({ kind }: Evidence) => (kind === "restored" ? 1 : 0);
  return [...once.values()].sort((a, b) => a.at - b.at || restores(a) - restores(b) || compareTexts(a.key, b.key));
}

const CODE: ReadonlySet<string> = new Set(["lines-changed", "suggestion-applied", "lines-back"]);

/** Why it has no weight; null when it counts. */
function muteReason(one: Evidence, all: readonly Evidence[], held: ReadonlyMap<string, string>): string | null {
  if (one.withdrawnAt !== null) return "taken back";
  if (one.by?.isBot === true) return "a bot does not count";
  const reason = held.get(evidenceName(one));
  if (reason !== undefined) return reason;
  if (isWriterAct(one)) return null;
  // Merging a change vouches for its code, regardless of its author.
  const isMerged = all.some((other) => other.kind === "merged" && other.withdrawnAt === null && isWriterAct(other));
  if (CODE.has(one.kind)) return isMerged ? null : "an unmerged branch of a person without write access";
  return one.by === null ? "GitHub does not say who" : `no weight: ${one.by.access} access`;
}

interface Judgement extends Pick<WeighedOutcome, "outcome" | "decided" | "because"> {
  /** The key of the deciding evidence. */
  readonly by: string | null;
}

interface Position {
  readonly side: "rejects" | "agrees";
  readonly weight: "reason" | "word" | "reaction";
  readonly from: Evidence;
}

/**
 * The rules in order of precedence: the only path from evidence to outcome, for findings and for
 * past comments.
 *
 * @param voices the evidence that counts, oldest first
 */
function judge(voices: readonly Evidence[], finding: Pick<MemoryRecord, "severity" | "category">): Judgement {
  const positions = positionsOf(voices);
  const code = codeOf(voices);
  const isShielded = isProtected(finding);
  const last = code.at(-1);
  const isConsented = hasConsent(voices, positions);
  const wasFixed = isConsented || code.some(({ kind }) => kind === "suggestion-applied");
  const byCode = (kind: Evidence["kind"], outcome: Outcome, because: string) =>
    last?.kind === kind ? decision(outcome, last, "code", because) : null;
  return (
    byReason(positions) ??
    (wasFixed ? byCode("lines-back", "reintroduced", "the code that was fixed is back") : null) ??
    byCode("suggestion-applied", "fixed", "the code reads as we suggested") ??
    repeatedly(positions, isShielded) ??
    (isConsented ? byCode("lines-changed", "fixed", CONSENTED) : null) ??
    byWord(positions) ??
    byReaction(positions, isShielded) ??
    byCode("lines-changed", "outdated", "its lines changed, and no one with write access responded") ??
    posted(voices, positions, isShielded)
  );
}

const CONSENTED = "its lines changed, and a person with write access resolved the thread or agreed";

/** Each person's latest words, else latest reaction; no rejections from before a restore. */
function positionsOf(voices: readonly Evidence[]): readonly Position[] {
  const restored = voices.findLast(({ kind }) => kind === "restored");
  const since = restored === undefined ? -1 : voices.indexOf(restored);
  const byPerson = new Map<number, Position>();
  for (const [index, one] of voices.entries()) {
    const position = positionOf(one);
    if (position === null || one.by === null) continue;
    const before = byPerson.get(one.by.id);
    if (before !== undefined && before.weight !== "reaction" && position.weight === "reaction") continue;
    if (position.side === "rejects" && index < since) byPerson.delete(one.by.id);
    else byPerson.set(one.by.id, position);
  }
  return [...byPerson.values()].toSorted((a, b) => voices.indexOf(a.from) - voices.indexOf(b.from));
}

function positionOf(from: Evidence): Position | null {
  const hasReason = from.text !== null && from.text.trim() !== "";
  switch (from.kind) {
    case "declined":
      return { side: "rejects", weight: hasReason ? "reason" : "word", from };
    case "reply":
      if (from.stance === "declines") return { side: "rejects", weight: "reason", from };
      if (from.stance === "rejects") return { side: "rejects", weight: "word", from };
      return from.stance === "agrees" ? { side: "agrees", weight: "word", from } : null;
    case "thumbs-down":
    case "review-dismissed":
      return { side: "rejects", weight: "reaction", from };
    case "thumbs-up":
      return { side: "agrees", weight: "reaction", from };
    default:
      return null;
  }
}

function rejectionsIn(voices: readonly Evidence[], outcome: Outcome): readonly Rejection[] {
  const rejecting = positionsOf(voices).filter(
    ({ side, from }) => side === "rejects" && (outcome === "declined" || from.kind === "declined"),
  );
  return rejecting.map(({ weight, from }) => ({
    by: nameOf(from),
    reason: weight === "reason" ? reasonOf(from) : null,
    url: from.url,
    at: from.at,
    isReaction: weight === "reaction",
    pull: null,
  }));
}

function codeOf(voices: readonly Evidence[]): readonly Evidence[] {
  return voices.filter(({ kind }) => CODE.has(kind));
}

function byReason(positions: readonly Position[]): Judgement | null {
  const at = positions.findLastIndex(({ weight }) => weight === "reason");
  const last = positions[at];
  const isAgreed = ({ side, weight }: Position) => side === "agrees" && weight !== "reaction";
  if (last === undefined || positions.slice(at + 1).some(isAgreed)) return null;
  return decision("declined", last.from, "reason", `@${nameOf(last.from)} declined it and said why`);
}

function repeatedly(positions: readonly Position[], isShielded: boolean): Judgement | null {
  const rejecting = positions.filter(
    ({ side, weight }) => side === "rejects" && !(isShielded && weight === "reaction"),
  );
  const last = rejecting.at(-1);
  if (last === undefined || rejecting.length < REPEATED) return null;
  return decision("declined", last.from, "repeated", `${rejecting.length} people with write access rejected it`);
}

function byWord(positions: readonly Position[]): Judgement | null {
  const last = positions.findLast(({ weight }) => weight !== "reaction");
  if (last === undefined) return null;
  const who = `@${nameOf(last.from)}`;
  if (last.side === "agrees") return decision("accepted", last.from, "word", `${who} agreed in words`);
  return decision("declined", last.from, "word", `${who} declined it in words`);
}

function byReaction(positions: readonly Position[], isShielded: boolean): Judgement | null {
  const up = positions.filter(({ side }) => side === "agrees");
  const down = positions.filter(({ side }) => side === "rejects");
  const [side, outcome] = up.length > down.length ? [up, "accepted" as const] : [down, "declined" as const];
  const last = side.at(-1);
  if (last === undefined || up.length === down.length || (outcome === "declined" && isShielded)) return null;
  return decision(outcome, last.from, "reaction", `a reaction of @${nameOf(last.from)}, without a word`);
}

/** A writer considers the finding settled or right. */
function hasConsent(voices: readonly Evidence[], positions: readonly Position[]): boolean {
  const toggle = voices.findLast(({ kind }) => kind === "resolved" || kind === "unresolved");
  return toggle?.kind === "resolved" || positions.some(({ side }) => side === "agrees");
}

function posted(voices: readonly Evidence[], positions: readonly Position[], isShielded: boolean): Judgement {
  const disagreement = isShielded
    ? "security, critical and major correctness are not declined by reactions"
    : "people with write access disagree";
  const isAny = (...kinds: readonly Evidence["kind"][]) => voices.some(({ kind }) => kinds.includes(kind));
  const because = [
    isAny("merged") && "merged without an answer, which is not consent",
    positions.length > 0 && disagreement,
    isAny("reply", "resolved") && "answered, without a verdict",
  ].filter((one) => one !== false);
  const unheard = "no one with write access responded";
  return { outcome: "posted", decided: null, because: because.length === 0 ? [unheard] : because, by: null };
}

function decision(outcome: Outcome, from: Evidence, weight: Decided["weight"], because: string): Judgement {
  const isCode = weight === "code";
  const [by, sha] = isCode ? [null, from.sha] : [nameOf(from), null];
  const decided: Decided = { at: from.at, by, reason: weight === "reason" ? reasonOf(from) : null, sha, weight };
  return { outcome, decided, because: [because], by: from.key };
}

function reasonOf({ text }: Evidence): string | null {
  return text === null ? null : cutText(text.trim(), REASON);
}

function nameOf({ by }: Evidence): string {
  return by?.login ?? "ghost";
}

// Bursts of reactions are stored and shown, but have no weight: one reaction proves little, a
// hundred in a minute prove less.

/** A burst: so many reactions within so many milliseconds, more than a team gives a finding. */
const BURST = 10;
const BURST_MS = 10 * 60_000;

/**
 * Which evidence on a pull request is held, and why: all reactions of one person who gave a burst
 * of them, over all findings; and on one finding a burst of reactions without write access. A
 * writer's act is never held because of others: strangers could silence them.
 *
 * @param evidence of one pull request, in any order
 * @returns reasons by `MEMORY_ID KEY`
 */
export function heldEvidence(evidence: readonly Evidence[]): ReadonlyMap<string, string> {
  const reactions = evidence.filter(({ kind, by }) => (kind === "thumbs-up" || kind === "thumbs-down") && by !== null);
  const held = new Map<string, string>();
  const hold = (groups: Iterable<readonly Evidence[]>, reason: (count: number) => string) => {
    for (const group of groups) {
      const count = mostAtOnce(group.map(({ at }) => at));
      if (count >= BURST) for (const evidence of group) held.set(evidenceName(evidence), reason(count));
    }
  };
  const strangers = reactions.filter((reaction) => !isWriterAct(reaction));
  hold(
    Map.groupBy(strangers, ({ memoryId }) => memoryId).values(),
    (count) => `held: ${count} reactions within 10 minutes by accounts without write access`,
  );
  hold(
    Map.groupBy(reactions, ({ by }) => by?.id).values(),
    (count) => `held: ${count} reactions within 10 minutes by one person`,
  );
  return held;
}

/** Identifies a piece of evidence in its repository. */
export function evidenceName({ memoryId, key }: Pick<Evidence, "memoryId" | "key">): string {
  return `${memoryId} ${key}`;
}

/** The most of these times within BURST_MS. */
function mostAtOnce(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[from] ?? at) > BURST_MS) from++;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

/**
 * Weighs all evidence on one pull request, because bursts are visible only across findings.
 *
 * @param evidence in any order
 * @returns by memory id, for each given finding
 */
export function weighPull(
  evidence: readonly Evidence[],
  findings: readonly Pick<MemoryRecord, "id" | "severity" | "category">[],
): ReadonlyMap<string, WeighedOutcome> {
  const held = heldEvidence(evidence);
  const byMemory = Map.groupBy(evidence, ({ memoryId }) => memoryId);
  return new Map(findings.map((finding) => [finding.id, outcomeOf(byMemory.get(finding.id) ?? [], finding, held)]));
}

// The outcome of a past comment: the replies and GitHub's state of its line are judged like
// evidence on our own findings. People without write access do not count.

/**
 * The outcome of a thread; null when unknown. A reply that claims a fix counts like GitHub's report
 * of a changed line. Reactions are numbers without names, and anyone may give one: they do not
 * count.
 *
 * @param mayDecide whether an account has write access, by its id
 */
export function inferOutcome(thread: PastThread, mayDecide: (accountId: number) => boolean): Outcome | null {
  const { outcome } = judge(voicesOf(thread, mayDecide), { severity: null, category: null });
  return outcome === "posted" ? null : outcome;
}

function voicesOf(
  { root, replies, isChanged, isResolved }: PastThread,
  mayDecide: (accountId: number) => boolean,
): Evidence[] {
  const { sha } = root;
  const bare = { memoryId: "", stance: null, by: null, text: null, url: null, sha, withdrawnAt: null } as const;
  const deciders = replies.filter(({ author }) => !author.isBot && mayDecide(author.id));
  const words = deciders.flatMap(({ id, body, at, author }): Evidence[] => {
    const { stance, saysDone } = readReply(body);
    const by = { id: author.id, login: author.login, access: "write", isBot: false } as const;
    const reply: Evidence = { ...bare, key: `reply:${id}`, kind: "reply", stance, by, text: body, at };
    return saysDone ? [reply, { ...bare, key: `code:${id}`, kind: "lines-changed", by, at }] : [reply];
  });
  // GitHub gives no time, so its state counts as the newest.
  const at = Math.max(root.at, ...deciders.map((reply) => reply.at));
  const changed: Evidence = { ...bare, key: "code:now", kind: "lines-changed", at };
  const resolved: Evidence = { ...bare, key: "thread:now", kind: "resolved", at };
  return [...words, ...(isChanged ? [changed] : []), ...(isResolved ? [resolved] : [])];
}
