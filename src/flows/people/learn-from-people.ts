// Reads what people did about our findings on one pull request, stores it as evidence, and weighs it:
//
//   FeedbackJob -> remembered findings -> read the pull request -> state of the code -> evidence | weigh -> outcomes
//
// It can run at any time and again: an act that was seen before stays as it was seen, and nothing is ever posted.

import type { AccessLevel } from "../../domain/command.ts";
import { type FeedbackJob, jobKey, type Repo } from "../../domain/job.ts";
import type { Evidence } from "../../domain/memory/evidence.ts";
import type { CodeStatus, Person, PullFeedback } from "../../domain/memory/pull-feedback.ts";
import { type Outcome, repoKey } from "../../domain/memory.ts";
import type { Skipped } from "../../domain/omissions.ts";
import type { EarlierFinding } from "../../domain/review/review-history.ts";
import { counted } from "../../domain/text/counted.ts";
import { attest, codeStatusOf, fixPairOf, observe, type weigh } from "../../learn/learn.ts";
import type { ReviewRecords } from "../../ports/conversation.ts";
import type { EvidenceStore, Feedback, FeedbackStore, KnownFix, RememberedFinding } from "../../ports/feedback.ts";
import type { PullRequests } from "../../ports.ts";
import { type WeighPorts, weighEvidence } from "./weigh-evidence.ts";

export interface LearnPorts extends WeighPorts {
  readonly feedback: Feedback;
  /** Reads the head's files. */
  readonly pulls: Pick<PullRequests, "text">;
  /** Reported findings with their code. */
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
  const { fresh, withdrawn } = observe({
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
  const evidence = known.map((one): Evidence => attest(one, access));
  const { added, changed, weighed } = await weighEvidence({ repo, pull: number, findings }, evidence, ports);
  await learnFixes(repo, code.changed, weighed, ports);
  const waiting = fresh.length - known.length;
  // While people are left to look up, a closed pull request is read once more.
  await ports.feedbackStore.looked(job, now, pull.state !== "open" && waiting === 0);
  return { kind: "learnt", added, withdrawn: withdrawn.length, changed, waiting, cut: pull.cut };
}

/** How a job ended, in one line. */
export function learntLine({ added, withdrawn, changed, waiting, cut }: LearntFromPeople): string {
  const rest = `${withdrawn === 0 ? "" : `, ${withdrawn} taken back`}${waiting === 0 ? "" : `, ${waiting} wait for an access check`}`;
  return [`learnt: ${added} new${rest}; ${counted(changed, "outcome")} changed`, ...cut].join("; ");
}

/** A pull request that cannot be read now is read again much later. */
async function skip(job: FeedbackJob, ports: LearnPorts, reason: string): Promise<Skipped> {
  await ports.feedbackStore.looked(job, ports.now(), false);
  return { kind: "skipped", reason };
}

interface CodeOfFindings {
  /** By finding id, as far as it is known. */
  readonly statuses: ReadonlyMap<string, CodeStatus>;
  readonly changed: readonly ChangedFinding[];
}

/** The state of each finding's code. */
async function codeNow(
  { repo, number }: FeedbackJob,
  { headSha }: PullFeedback,
  findings: readonly RememberedFinding[],
  ports: LearnPorts,
): Promise<CodeOfFindings> {
  const latest = await ports.records.latest(jobKey(repo, number));
  const said = new Map((latest?.said ?? []).map((one) => [one.finding.id, one]));
  const statuses = new Map<string, CodeStatus>();
  const changed: ChangedFinding[] = [];
  const texts = new Map<string, Promise<string | null | undefined>>();
  const textOf = (one: EarlierFinding, from: string): Promise<string | null | undefined> => {
    const { path } = one.finding;
    const isOver = !texts.has(path) && texts.size >= MOST_FILES;
    if (isOver) return Promise.resolve(undefined);
    const reading = texts.get(path) ?? textNow(one, { repo, from, to: headSha }, ports);
    texts.set(path, reading);
    return reading;
  };
  for (const remembered of findings) {
    const { findingId, sha } = remembered;
    const one = said.get(findingId);
    if (one === undefined || sha === null || sha === headSha) continue;
    const text = await textOf(one, sha);
    const status = text === undefined ? null : codeStatusOf(one, text);
    if (status === null) continue;
    statuses.set(findingId, status);
    if (status !== "unchanged" && typeof text === "string") changed.push({ remembered, said: one, now: text });
  }
  return { statuses, changed };
}

/** The text of a finding's file at the head, at its current path; null when it was removed, undefined when unknown. */
async function textNow(
  { finding: { path } }: EarlierFinding,
  { repo, from, to }: { readonly repo: FeedbackJob["repo"]; readonly from: string; readonly to: string },
  { pulls, feedback }: LearnPorts,
): Promise<string | null | undefined> {
  const text = await pulls.text(repo, path, to, MOST_BYTES);
  if (text !== null) return text;
  const moved = await feedback.moved(repo, from, to);
  const now = moved?.get(path);
  if (now === undefined || now === null) return now;
  return (await pulls.text(repo, now, to, MOST_BYTES)) ?? undefined;
}

/** The access of each author of new evidence, looked up once each; a later run looks up the rest. */
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

/** A finding whose lines have changed. */
interface ChangedFinding {
  readonly remembered: RememberedFinding;
  readonly said: EarlierFinding;
  /** Its file at the newest head. */
  readonly now: string;
}

interface FixPorts {
  readonly pulls: Pick<PullRequests, "text">;
  readonly evidence: Pick<EvidenceStore, "keepFixes">;
  readonly redact: (text: string) => Promise<string>;
}

/** Outcomes that do not speak against the finding. */
const AGREEING: ReadonlySet<Outcome> = new Set(["fixed", "accepted", "outdated"]);

/**
 * Stores flagged and fixed code of findings that have none yet. Code that cannot be found is left out and tried again
 * the next time.
 *
 * @returns how many
 * @throws Transient
 */
async function learnFixes(
  repo: Repo,
  changed: readonly ChangedFinding[],
  weighed: ReturnType<typeof weigh>,
  { pulls, evidence, redact }: FixPorts,
): Promise<number> {
  const texts = new Map<string, Promise<string | null>>();
  const textThen = (path: string, sha: string): Promise<string | null> => {
    const key = `${sha} ${path}`;
    if (!texts.has(key) && texts.size >= MOST_FILES) return Promise.resolve(null);
    const reading = texts.get(key) ?? pulls.text(repo, path, sha, MOST_BYTES);
    texts.set(key, reading);
    return reading;
  };
  const fixes: KnownFix[] = [];
  for (const { remembered, said, now } of changed) {
    const { outcome = "posted", isChanged = false } = weighed.get(remembered.id) ?? {};
    // A branch that does not count proves nothing about the fix, even if people agreed to it.
    if (!isChanged || !AGREEING.has(outcome) || remembered.hasFix || remembered.sha === null) continue;
    const then = await textThen(remembered.path ?? said.finding.path, remembered.sha);
    if (then === null) continue;
    const pair = await fixPairOf({ shape: said.shape, near: said.finding.startLine, then, now }, redact);
    if (pair !== null) fixes.push({ memoryId: remembered.id, ...pair });
  }
  if (fixes.length > 0) await evidence.keepFixes(repoKey(repo), fixes);
  return fixes.length;
}
