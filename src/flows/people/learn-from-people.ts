// Reads what people did about our findings on one pull request, stores it as evidence, and weighs
// it:
//
//   FeedbackJob -> remembered findings -> pull request -> state of the code -> evidence -> outcomes
//
// It can run at any time and again: an act that was seen before stays as it was seen, and nothing
// is ever posted.

import type { AccessLevel } from "../../domain/command.ts";
import { type FeedbackJob, jobKey, type Repo } from "../../domain/job.ts";
import type { CodeStatus, Evidence, Person, PullFeedback } from "../../domain/memory/evidence.ts";
import { type Outcome, repoKey } from "../../domain/memory.ts";
import type { Skipped } from "../../domain/omissions.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import { counted } from "../../domain/text/counted.ts";
import { attested, codeStatus, collectEvidence, fixOfFinding, type weighPull } from "../../learn/learn.ts";
import type { ReviewRecords } from "../../ports/conversation.ts";
import type { Feedback, FeedbackStore, KnownFix, RememberedFinding } from "../../ports/feedback.ts";
import type { PullRequests } from "../../ports.ts";
import { type WeighPorts, weighEvidence } from "./weigh-evidence.ts";

export interface LearnPorts extends WeighPorts {
  readonly feedback: Feedback;
  readonly pulls: Pick<PullRequests, "text">;
  readonly records: Pick<ReviewRecords, "latest">;
  readonly feedbackStore: FeedbackStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface LearntFromPeople {
  readonly kind: "learnt";
  /** New pieces of evidence, and outcomes that changed. */
  readonly added: number;
  readonly withdrawn: number;
  readonly changed: number;
  /** Acts of people whose access a later run looks up. */
  readonly waiting: number;
  /** What was not read of the pull request, one line each. */
  readonly cut: readonly string[];
}

/** People whose access one run looks up: each costs one of 5,000 requests an hour. */
const MOST_PEOPLE = 60;
/** Files that one run reads, current and earlier versions, and the size of each. */
const MOST_FILES = 50;
const MOST_BYTES = 1 << 20;

/** @throws Transient when a retry may succeed */
export async function learnFromPeople(job: FeedbackJob, ports: LearnPorts): Promise<LearntFromPeople | Skipped> {
  const { repo, number } = job;
  const findings = await ports.evidence.findings(repoKey(repo), number);
  if (findings.length === 0) return skip(job, ports, "memory has no findings of ours there");
  const pull = await ports.feedback.read(repo, number);
  if (pull === null) return skip(job, ports, "GitHub does not show the pull request");

  const before = await ports.evidence.evidence(repoKey(repo), number);
  const now = ports.now();
  const code = await codeNow(job, pull, findings, ports);
  const { fresh, withdrawn } = collectEvidence({
    pull,
    memories: new Map(findings.map(({ findingId, id }) => [findingId, id])),
    code: code.statuses,
    before,
    reopened: new Map(job.unresolved ? [[job.unresolved.threadId, job.unresolved.by]] : []),
    now,
  });
  const access = await accessOf(job, fresh, before, ports);
  const known = fresh.filter(({ by }) => by === null || access.has(by.id));
  await ports.evidence.withdraw(repoKey(repo), withdrawn, now);
  const evidence = known.map((unattested): Evidence => attested(unattested, access));
  const { added, changed, weighed } = await weighEvidence({ repo, pull: number, findings }, evidence, ports);
  await learnFixes(repo, code.changed, weighed, ports);
  const waiting = fresh.length - known.length;
  // While people are left to look up, a closed pull request is read once more.
  await ports.feedbackStore.recordCheck(job, now, pull.state !== "open" && waiting === 0);
  return { kind: "learnt", added, withdrawn: withdrawn.length, changed, waiting, cut: pull.cut };
}

/** How a job ended, in one line. */
export function learntLine(done: LearntFromPeople | Skipped): string {
  if (done.kind === "skipped") return `skipped: ${done.reason}`;
  const { added, withdrawn, changed, waiting, cut } = done;
  const rest = `${withdrawn === 0 ? "" : `, ${withdrawn} taken back`}${waiting === 0 ? "" : `, ${waiting} wait for an access check`}`;
  return [`learnt: ${added} new${rest}; ${counted(changed, "outcome")} changed`, ...cut].join("; ");
}

/** A pull request that cannot be read now is read again much later. */
async function skip(job: FeedbackJob, ports: LearnPorts, reason: string): Promise<Skipped> {
  await ports.feedbackStore.recordCheck(job, ports.now(), false);
  return { kind: "skipped", reason };
}

/** The reads of one run: each once, and of the first MOST_FILES only; the others give undefined. */
function limitedReads<Text>(): (key: string, read: () => Promise<Text>) => Promise<Text | undefined> {
  const reads = new Map<string, Promise<Text>>();
  return async (key, read) => {
    const known = reads.get(key) ?? (reads.size < MOST_FILES ? read() : undefined);
    if (known !== undefined) reads.set(key, known);
    return known;
  };
}

/** The state of each finding's code by finding id, where known, and those whose code changed. */
async function codeNow(
  { repo, number }: FeedbackJob,
  { headSha }: PullFeedback,
  findings: readonly RememberedFinding[],
  ports: LearnPorts,
) {
  const latest = await ports.records.latest(jobKey(repo, number));
  const earlier = new Map((latest?.said ?? []).map((one) => [one.finding.id, one]));
  const statuses = new Map<string, CodeStatus>();
  const changed: ChangedFinding[] = [];
  const texts = limitedReads<string | null | undefined>();
  for (const remembered of findings) {
    const { findingId, sha } = remembered;
    const one = earlier.get(findingId);
    if (one === undefined || sha === null || sha === headSha) continue;
    const { path } = one.finding;
    const text = await texts(path, () => textNow(repo, path, sha, headSha, ports));
    const status = text === undefined ? null : codeStatus(one, text);
    if (status === null) continue;
    statuses.set(findingId, status);
    if (status !== "unchanged" && typeof text === "string") changed.push({ remembered, earlier: one, now: text });
  }
  return { statuses, changed };
}

/** A file of commit `from` at commit `to`; null when it was removed, undefined when unknown. */
async function textNow(
  repo: Repo,
  path: string,
  from: string,
  to: string,
  { pulls, feedback }: LearnPorts,
): Promise<string | null | undefined> {
  const text = await pulls.text(repo, path, to, MOST_BYTES);
  if (text !== null) return text;
  const moved = await feedback.moved(repo, from, to);
  const now = moved?.get(path);
  if (now === undefined || now === null) return now;
  return (await pulls.text(repo, now, to, MOST_BYTES)) ?? undefined;
}

/** The access of each author of new evidence, looked up once; a later run looks up the rest. */
async function accessOf(
  { repo }: FeedbackJob,
  fresh: readonly { readonly by: Person | null }[],
  before: readonly Evidence[],
  { feedback }: LearnPorts,
): Promise<ReadonlyMap<number, AccessLevel>> {
  const people = new Map<number, Person>();
  const seen = new Set(before.map(({ by }) => by?.id));
  const everyone = fresh.flatMap(({ by }) => by ?? []);
  // Known people first, so that a crowd does not keep the regulars waiting.
  for (const by of everyone.toSorted((a, b) => Number(seen.has(b.id)) - Number(seen.has(a.id)))) people.set(by.id, by);
  const access = new Map<number, AccessLevel>();
  for (const person of [...people.values()].slice(0, MOST_PEOPLE)) {
    // A bot's acts never count, even with write access.
    access.set(person.id, person.isBot ? "none" : await feedback.access(repo, person));
  }
  return access;
}

interface ChangedFinding {
  readonly remembered: RememberedFinding;
  readonly earlier: EarlierFinding;
  readonly now: string;
}

/** Outcomes that do not speak against the finding or comment. */
export const AGREEING: ReadonlySet<Outcome | null> = new Set(["fixed", "accepted", "outdated"]);

/**
 * Stores flagged and fixed code of findings that have none yet; what cannot be found is tried
 * again.
 *
 * @throws Transient
 */
async function learnFixes(
  repo: Repo,
  changed: readonly ChangedFinding[],
  weighed: ReturnType<typeof weighPull>,
  { pulls, evidence, redact }: LearnPorts,
): Promise<void> {
  const texts = limitedReads<string | null>();
  const fixes: KnownFix[] = [];
  for (const { remembered, earlier, now } of changed) {
    const { outcome = "posted", isChanged = false } = weighed.get(remembered.id) ?? {};
    // A branch that does not count proves nothing about the fix, even if people agreed to it.
    const { sha, path } = remembered;
    if (!isChanged || !AGREEING.has(outcome) || remembered.hasFix || sha === null) continue;
    const pathThen = path ?? earlier.finding.path;
    const then = await texts(`${sha} ${pathThen}`, () => pulls.text(repo, pathThen, sha, MOST_BYTES));
    if (then === null || then === undefined) continue;
    const pair = await fixOfFinding({ shape: earlier.shape, near: earlier.finding.startLine, then, now }, redact);
    if (pair !== null) fixes.push({ memoryId: remembered.id, ...pair });
  }
  if (fixes.length > 0) await evidence.keepFixes(repoKey(repo), fixes);
}
