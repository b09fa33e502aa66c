// Memory's word on findings. What people declined on other pull requests, or what is posted on
// another open one, is not repeated: code or claim has to be the same. Critical and security
// findings are still reported, with the earlier comment; of another tool only critical ones, since
// a team tunes its many rules by declining. Code that comes back after a fix is a finding.
import type { Flagged } from "../../domain/code/code-fingerprint.ts";
import { nameOf } from "../../domain/code/paths.ts";
import {
  type Finding,
  findingId,
  type HeldBack,
  isAlwaysRepeated,
  isAlwaysReported,
  type Precedent,
} from "../../domain/finding.ts";
import {
  areEnough,
  type FlaggedInChange,
  NO_HISTORY,
  type RejectedMemory,
  type Rejection,
  type Rejections,
  type RepositoryHistory,
  rejectionsOf,
} from "../../domain/memory/rejections.ts";
import type { Checkpoint } from "../../domain/review/review-history.ts";
import { counted } from "../../domain/text/counted.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import type { CodeNow } from "../placing/code-now.ts";
import type { Checked } from "../reading/verify.ts";
import { isSameClaim } from "../tools/same-matter.ts";

/** What memory knows about the findings of one review. */
export interface PastMaterial extends Pick<RepositoryHistory, "flagged" | "rejected" | "openPulls" | "now"> {
  /** Declined memories with the same claim, by finding. */
  readonly claims: ReadonlyMap<Finding, readonly { readonly memoryId: string; readonly similarity: number }[]>;
  readonly previousPath: (path: string) => string | null;
}

/** Days for which a comment on another pull request counts as read. */
const ELSEWHERE_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** A person with a reason who declined so many findings of a rule rejects the rule. */
const LEAST_OF_RULE = 3;

/**
 * Holds back findings that memory speaks against. The others stay in order, with the earlier
 * comment if there is one.
 *
 * @param isKnown whether a finding is already on this pull request: then it stays
 */
export function heldByMemory(
  findings: readonly Finding[],
  isKnown: (finding: Finding) => boolean,
  past: PastMaterial,
): Checked {
  const heldBack: HeldBack[] = [];
  const index = indexed(findings, past);
  const kept = findings.flatMap((finding): readonly Finding[] => {
    if (isKnown(finding)) return [finding];
    const found = declinedBefore(finding, index) ?? postedElsewhere(finding, index);
    if (found === null) return [finding];
    const { precedent, holds, reason, isReasoned, ...whose } = found;
    if (!holds || (isReasoned ? isAlwaysRepeated(finding) : isAlwaysReported(finding)))
      return [withPrecedent(finding, precedent)];
    heldBack.push({ finding, reason, precedent, ...whose });
    return [];
  });
  return { findings: kept, heldBack };
}

interface IndexedPast extends PastMaterial {
  readonly byId: ReadonlyMap<string, RejectedMemory>;
  readonly byRule: ReadonlyMap<string | null, readonly RejectedMemory[]>;
  /** In the order of `flagged`, those whose code is on a line of a file. */
  readonly flaggedAt: (path: string, line: number) => readonly FlaggedInChange[];
}

function indexed(findings: readonly Finding[], past: PastMaterial): IndexedPast {
  const paths = new Set(findings.map(({ path }) => path));
  const lines = new Map<string, Set<FlaggedInChange>>();
  for (const one of past.flagged) {
    for (const { path, startLine, line } of one.places) {
      for (let at = startLine; paths.has(path) && at <= line; at++) {
        const known = lines.get(`${at} ${path}`) ?? new Set();
        lines.set(`${at} ${path}`, known.add(one));
      }
    }
  }
  return {
    ...past,
    byId: new Map(past.rejected.map((one) => [one.memoryId, one])),
    byRule: Map.groupBy(past.rejected, ({ rule }) => rule),
    flaggedAt: (path, line) => [...(lines.get(`${line} ${path}`) ?? [])],
  };
}

function withPrecedent(finding: Finding, precedent: Precedent): Finding {
  const others = finding.precedents.filter(({ id }) => id !== precedent.id);
  return { ...finding, precedents: [precedent, ...others] };
}

/** Of the same kind, and starting in the code: models quote different lengths. */
function isAbout(finding: Finding, { rule, title, category, places }: FlaggedInChange): boolean {
  const { path, startLine, side, locMethod } = finding;
  const isSameRule = finding.rule === rule || (rule !== null && isSameClaim(finding, { rule, title, body: "" }));
  const sameKind = finding.rule === null ? finding.category === category : isSameRule;
  if (!sameKind || side !== "RIGHT" || locMethod === "none") return false;
  return places.some((place) => path === place.path && startLine >= place.startLine && startLine <= place.line);
}

interface Verdict {
  readonly precedent: Precedent;
  /** Whether it suffices to hold back a finding that is neither critical nor about security. */
  readonly holds: boolean;
  /** Whether a person with write access gave a reason. */
  readonly isReasoned: boolean;
  readonly reason: string;
  readonly heldBy?: "author";
}

interface Alike {
  readonly memory: RejectedMemory;
  readonly similarity: number;
}

function declinedBefore(finding: Finding, past: IndexedPast): Verdict | null {
  const alike = [...byCode(finding, past), ...byClaim(finding, past)];
  const memories = [...new Map(alike.map((one) => [one.memory.memoryId, one])).values()];
  const rejections = rejectionsOf(memories.flatMap(({ memory }) => rejectionsOn(memory)));
  const isEnough = rejections !== null && areEnough(rejections);
  const ofRule = isEnough ? null : ruleDeclined(finding, past);
  if (ofRule !== null) return verdict(ofRule.memory, 0, ofRule.rejections, true);
  if (rejections === null) return null;
  const decisive = memories.find(({ memory }) => memory.each.some((rejection) => isTheOne(rejection, rejections)));
  return decisive === undefined ? null : verdict(decisive.memory, decisive.similarity, rejections, isEnough);
}

function byCode(finding: Finding, { flaggedAt, previousPath, byId }: IndexedPast): readonly Alike[] {
  return flaggedAt(finding.path, finding.startLine).flatMap((one) => {
    const memory = byId.get(one.memoryId);
    if (memory === undefined || !isAbout(finding, one)) return [];
    // The same file, perhaps renamed or moved.
    const { path } = finding;
    const isHere = path === one.path || previousPath(path) === one.path || nameOf(path) === nameOf(one.path);
    // Rules report the same text everywhere, so declining one concerns its file.
    return isHere || (finding.rule === null && one.isDistinctive) ? [{ memory, similarity: 1 }] : [];
  });
}

function byClaim(finding: Finding, { claims, byId }: IndexedPast): readonly Alike[] {
  return (claims.get(finding) ?? []).flatMap(({ memoryId, similarity }) => {
    const memory = byId.get(memoryId);
    return memory?.category === finding.category ? [{ memory, similarity }] : [];
  });
}

/** A person with write access gave a reason and declined the rule repeatedly. */
function ruleDeclined({ rule }: Finding, { byRule }: IndexedPast) {
  if (rule === null) return null;
  const own = byRule.get(rule) ?? [];
  const all = own.flatMap((memory) => rejectionsOn(memory).map((rejection) => ({ memory, one: rejection })));
  for (const each of Map.groupBy(all, ({ one }) => one.by).values()) {
    const rejections = each.length < LEAST_OF_RULE ? null : rejectionsOf(each.map(({ one }) => one));
    const decisive = each.find(({ one }) => rejections !== null && isTheOne(one, rejections));
    if (rejections !== null && rejections.reason !== null && decisive !== undefined)
      return { memory: decisive.memory, rejections };
  }
  return null;
}

function rejectionsOn({ each, pull }: RejectedMemory): readonly Rejection[] {
  return each.map((rejection) => ({ ...rejection, pull }));
}

function isTheOne({ by, at, reason }: Rejection, rejections: Rejections): boolean {
  return by === rejections.by && at === rejections.at && reason === rejections.reason;
}

function verdict(memory: RejectedMemory, similarity: number, rejections: Rejections, holds: boolean): Verdict {
  const date = isoDate(rejections.at);
  const why = rejections.reason === null ? "" : `: ${rejections.reason}`;
  const times =
    rejections.reason === null
      ? ` ${counted(rejections.count, "time")} by ${counted(rejections.people, "person", "people")}, last`
      : "";
  const on = memory.pull === null ? "" : ` on #${memory.pull}`;
  return {
    holds,
    isReasoned: rejections.reason !== null,
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
function postedElsewhere(finding: Finding, { flaggedAt, openPulls, byId, now }: IndexedPast): Verdict | null {
  const since = now - ELSEWHERE_DAYS * DAY_MS;
  const one = flaggedAt(finding.path, finding.startLine).find(
    (other) =>
      openPulls.has(other.pull) &&
      other.fixedAt === null &&
      other.at >= since &&
      other.isDistinctive &&
      !byId.has(other.memoryId) &&
      isAbout(finding, other),
  );
  if (one === undefined) return null;
  const reason = `said on #${one.pull}, which is open, on ${isoDate(one.at)}`;
  // Anybody can open another pull request with the same code.
  return { holds: true, isReasoned: false, reason, precedent: precedentOf(one, "posted", one.at), heldBy: "author" };
}

function precedentOf({ memoryId: id, url, title: quote, pull }: Flagged, outcome: string, at: number): Precedent {
  return { id, url, outcome, date: isoDate(at), similarity: 1, quote, pull };
}

export interface WithMemory {
  readonly findings: readonly Finding[];
  /** Ids of findings of an earlier push that only memory held back. */
  readonly revived: ReadonlySet<string>;
  readonly past: PastMaterial;
}

/** @param found findings of rules and model, in order; all of them are kept */
export async function withMemory(
  found: readonly Finding[],
  checkpoint: Checkpoint,
  code: CodeNow,
  { flagged, rejected, openPulls, now, alikeClaims }: RepositoryHistory = NO_HISTORY,
): Promise<WithMemory> {
  const again = revived(checkpoint, found, code);
  const declined = new Set(rejected.map(({ memoryId }) => memoryId));
  const findings = reintroduced([...found, ...again], flagged, declined);
  const similar = await alikeClaims(findings);
  const claims = new Map(findings.map((finding, at) => [finding, similar[at] ?? []]));
  return {
    findings,
    revived: new Set(again.map(({ id }) => id)),
    past: { flagged, rejected, openPulls, now, claims, previousPath: code.previousPath },
  };
}

/** A change that brings back more is a revert, and its first lines show that. */
const MOST = 20;

/**
 * Findings about code that was changed because of one, and comes back. A rule's or model's own
 * finding stays and mentions the fix; otherwise memory reports it.
 *
 * @param found findings of rules and model
 * @param flagged newest first; `declined` has the memory ids of declined findings
 * @returns `found`, in its order, and memory's own findings
 */
export function reintroduced(
  found: readonly Finding[],
  flagged: readonly FlaggedInChange[],
  declined: ReadonlySet<string>,
): readonly Finding[] {
  const back = flagged
    .filter(({ fixedAt, isAdded, isDistinctive }) => fixedAt !== null && isAdded && isDistinctive)
    .filter(({ memoryId }) => !declined.has(memoryId))
    .map((one) => ({ ...one, places: one.places.filter(({ isWhole }) => isWhole) }))
    .sort((a, b) => (b.fixedAt ?? 0) - (a.fixedAt ?? 0));
  const byPlace = Map.groupBy(back, ({ places: [place], category }) =>
    JSON.stringify([place?.path, place?.startLine, category]),
  );
  const first = [...byPlace.values()].flatMap(([one]) => one ?? []).slice(0, MOST);
  const reported = found.map((finding) => {
    const one = first.find((other) => isAbout(finding, other));
    if (one === undefined) return finding;
    const body = `This re-introduces what #${one.pull} fixed on ${fixedOn(one)}. ${finding.body}`.trimEnd();
    return withPrecedent({ ...finding, body }, precedentOf(one, "fixed", one.fixedAt ?? 0));
  });
  const own = first.flatMap((one) => (found.some((finding) => isAbout(finding, one)) ? [] : (byMemory(one) ?? [])));
  return [...reported, ...own];
}

function byMemory(one: FlaggedInChange): Finding | null {
  const [place, ...more] = one.places;
  if (place === undefined) return null;
  const others = more.length === 0 ? "" : ` The same code is in ${more.length} more of the changed places.`;
  return {
    id: findingId(`memory:${one.category}`, place.path, one.shape.at.map(String), 0),
    path: place.path,
    startLine: place.startLine,
    line: place.line,
    side: "RIGHT",
    severity: one.severity,
    category: one.category,
    rule: null,
    title: `Re-introduces what #${one.pull} fixed on ${fixedOn(one)}`,
    body: `These lines were changed in #${one.pull} after a finding about them: “${one.title}”.${others}`,
    source: "memory",
    // Token for token the changed code: only its relevance may differ.
    confidence: 0.9,
    suggestion: null,
    precedents: [precedentOf(one, "fixed", one.fixedAt ?? 0)],
  };
}

function fixedOn({ fixedAt }: FlaggedInChange): string {
  return isoDate(fixedAt ?? 0);
}

/**
 * A model's findings that memory held back before, in files that this push does not touch: they are
 * decided again, because a person may have restored them. Elsewhere rules and model look again.
 *
 * @param found the findings of this time
 */
function revived(checkpoint: Checkpoint, found: readonly Finding[], code: CodeNow): readonly Finding[] {
  if (checkpoint.kind === "full") return [];
  const again = new Set(found.map(({ id }) => id));
  const paths = new Set(code.paths);
  return checkpoint.heldBack.flatMap(({ finding, precedent }) => {
    const { id, path, rule } = finding;
    const isLeftAlone = paths.has(path) && !checkpoint.touched.has(path) && !checkpoint.renamed.has(path);
    return precedent !== undefined && rule === null && isLeftAlone && !again.has(id) ? [finding] : [];
  });
}
