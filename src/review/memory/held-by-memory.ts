// Does not repeat findings that people declined on other pull requests, or that are posted on another open one. Code or
// claim has to be the same; order and rank do not matter. Critical and security findings are still reported, with the
// earlier comment.
import { nameOf } from "../../domain/code/paths.ts";
import { type Finding, type HeldBack, isAlwaysReported, type Precedent } from "../../domain/finding.ts";
import {
  areEnough,
  type RejectedMemory,
  type Rejection,
  type Rejections,
  rejectionsOf,
} from "../../domain/memory/rejections.ts";
import type { FlaggedInChange, RepositoryHistory } from "../../domain/memory/repository-history.ts";
import { isoDate } from "../../domain/text/iso-date.ts";

interface HeldByMemory {
  /** In the given order; with the earlier comment if they are reported despite one. */
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
}

/** What memory knows about the findings of one review. */
export interface PastMaterial extends Pick<RepositoryHistory, "flagged" | "rejected" | "openPulls" | "now"> {
  /** Declined memories with the same claim, by finding. */
  readonly claims: ReadonlyMap<Finding, readonly { readonly memoryId: string; readonly similarity: number }[]>;
  /** The previous path of a file. */
  readonly previousPath: (path: string) => string | null;
}

/** Days for which a comment on another pull request counts as read. */
const ELSEWHERE_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** When the author of a reason declined this many findings of a rule, they reject the rule and not a place. */
const LEAST_OF_RULE = 3;

/**
 * Holds back findings that memory speaks against.
 *
 * @param isKnown whether a finding is already on this pull request: then it stays
 */
export function heldByMemory(
  findings: readonly Finding[],
  isKnown: (finding: Finding) => boolean,
  past: PastMaterial,
): HeldByMemory {
  const heldBack: HeldBack[] = [];
  const kept = findings.flatMap((finding): readonly Finding[] => {
    if (isKnown(finding)) return [finding];
    const found = declinedBefore(finding, past) ?? postedElsewhere(finding, past);
    if (found === null) return [finding];
    const { precedent, holds, reason } = found;
    if (!holds || isAlwaysReported(finding)) return [withPrecedent(finding, precedent)];
    heldBack.push({ finding, reason, precedent });
    return [];
  });
  return { findings: kept, heldBack };
}

/** A finding with this precedent first, without duplicates. */
export function withPrecedent(finding: Finding, precedent: Precedent): Finding {
  const others = finding.precedents.filter(({ id }) => id !== precedent.id);
  return { ...finding, precedents: [precedent, ...others] };
}

/**
 * Whether a finding is about flagged code: of the same kind, and starting in it. Models quote different lengths, but rarely
 * a different beginning.
 */
export function isAbout(finding: Finding, { rule, category, places }: FlaggedInChange): boolean {
  const { path, startLine, side, locMethod } = finding;
  const sameKind = finding.rule === null ? finding.category === category : finding.rule === rule;
  if (!sameKind || side !== "RIGHT" || locMethod === "none") return false;
  return places.some((place) => path === place.path && startLine >= place.startLine && startLine <= place.line);
}

interface Verdict {
  readonly precedent: Precedent;
  /** Whether it suffices to hold back a finding that is neither critical nor about security. */
  readonly holds: boolean;
  readonly reason: string;
}

interface Alike {
  readonly memory: RejectedMemory;
  readonly similarity: number;
}

function declinedBefore(finding: Finding, past: PastMaterial): Verdict | null {
  const byId = new Map(past.rejected.map((one) => [one.memoryId, one]));
  const alike = [...byCode(finding, past, byId), ...byClaim(finding, past, byId)];
  const memories = new Map(alike.map((one) => [one.memory.memoryId, one]));
  const rejections = rejectionsOf([...memories.values()].flatMap(({ memory }) => rejectionsOn(memory)));
  const ofRule = rejections !== null && areEnough(rejections) ? null : ruleDeclined(finding, past.rejected);
  if (ofRule !== null) return verdict(ofRule.memory, 0, ofRule.rejections, true);
  if (rejections === null) return null;
  const decisive = [...memories.values()].find(({ memory }) => memory.each.some((one) => isTheOne(one, rejections)));
  return decisive === undefined
    ? null
    : verdict(decisive.memory, decisive.similarity, rejections, areEnough(rejections));
}

function byCode(
  finding: Finding,
  { flagged, previousPath }: PastMaterial,
  byId: ReadonlyMap<string, RejectedMemory>,
): readonly Alike[] {
  return flagged.flatMap((one) => {
    const memory = byId.get(one.memoryId);
    if (memory === undefined || !isAbout(finding, one)) return [];
    // The same file, perhaps renamed or moved.
    const { path } = finding;
    const isHere = path === one.path || previousPath(path) === one.path || nameOf(path) === nameOf(one.path);
    // Rules report the same text everywhere, so declining one concerns its file.
    return isHere || (finding.rule === null && one.isDistinctive) ? [{ memory, similarity: 1 }] : [];
  });
}

function byClaim(
  finding: Finding,
  { claims }: PastMaterial,
  byId: ReadonlyMap<string, RejectedMemory>,
): readonly Alike[] {
  if (finding.rule !== null) return [];
  return (claims.get(finding) ?? []).flatMap(({ memoryId, similarity }) => {
    const memory = byId.get(memoryId);
    return memory?.category === finding.category ? [{ memory, similarity }] : [];
  });
}

/** A person with write access gave a reason and declined the rule repeatedly. */
function ruleDeclined(
  { rule }: Finding,
  rejected: readonly RejectedMemory[],
): { readonly memory: RejectedMemory; readonly rejections: Rejections } | null {
  if (rule === null) return null;
  const own = rejected.filter((memory) => memory.rule === rule);
  const all = own.flatMap((memory) => rejectionsOn(memory).map((one) => ({ memory, one })));
  const byWriters = all.filter(({ one }) => one.isWriter);
  for (const each of Map.groupBy(byWriters, ({ one }) => one.by).values()) {
    const rejections = each.length < LEAST_OF_RULE ? null : rejectionsOf(each.map(({ one }) => one));
    const decisive = each.find(({ one }) => rejections !== null && isTheOne(one, rejections));
    if (rejections?.byMaintainer === true && decisive !== undefined) return { memory: decisive.memory, rejections };
  }
  return null;
}

function rejectionsOn({ each, pull }: RejectedMemory): readonly Rejection[] {
  return each.map((one) => ({ ...one, pull }));
}

function isTheOne({ by, at, reason }: Rejection, rejections: Rejections): boolean {
  return by === rejections.by && at === rejections.at && reason === rejections.reason;
}

function verdict(memory: RejectedMemory, similarity: number, rejections: Rejections, holds: boolean): Verdict {
  const date = isoDate(rejections.at);
  const why = rejections.reason === null ? "" : `: ${rejections.reason}`;
  const times = rejections.reason === null ? ` ${rejections.count} times by ${rejections.people} people, last` : "";
  const on = memory.pull === null ? "" : ` on #${memory.pull}`;
  return {
    holds,
    reason: `declined${times}${on} by @${rejections.by} on ${date}${why}`,
    precedent: {
      id: memory.memoryId,
      url: rejections.url ?? memory.url,
      outcome: "declined",
      date,
      similarity,
      author: rejections.by,
      ...(memory.pull === null ? {} : { pull: memory.pull }),
      ...(rejections.reason === null ? {} : { reason: rejections.reason }),
    },
  };
}

/** The same code has the same kind of finding on another open pull request: once is enough. */
function postedElsewhere(finding: Finding, { flagged, openPulls, rejected, now }: PastMaterial): Verdict | null {
  const since = now - ELSEWHERE_DAYS * DAY_MS;
  const declined = new Set(rejected.map(({ memoryId }) => memoryId));
  const one = flagged.find(
    (other) =>
      openPulls.has(other.pull) &&
      other.fixedAt === null &&
      other.at >= since &&
      other.isDistinctive &&
      !declined.has(other.memoryId) &&
      isAbout(finding, other),
  );
  if (one === undefined) return null;
  const date = isoDate(one.at);
  return {
    holds: true,
    reason: `said on #${one.pull}, which is open, on ${date}`,
    precedent: {
      id: one.memoryId,
      url: one.url,
      outcome: "posted",
      date,
      similarity: 1,
      quote: one.title,
      pull: one.pull,
    },
  };
}
