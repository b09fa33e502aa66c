// Turns new evidence into outcomes: only here do people change what memory knows of a finding.

import { Transient } from "../../domain/errors.ts";
import { jobKey, type Repo, UNSHAPED } from "../../domain/job.ts";
import { EVIDENCE_TEXT, type Evidence, type EvidenceBy, type EvidenceKind } from "../../domain/memory/evidence.ts";
import { repoKey } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import { memoriesOfThread, weighPull } from "../../learn/learn.ts";
import type { CheckStore } from "../../ports/checks.ts";
import type { Decisions, ReviewJobs, ReviewRecords } from "../../ports/conversation.ts";
import type { Decision, EvidenceStore, RememberedFinding } from "../../ports/feedback.ts";
import { type CommandContext, isWriter } from "../commands/order.ts";

export interface WeighPorts {
  readonly evidence: EvidenceStore;
  readonly redact: (text: string) => Promise<string>;
}

/**
 * Stores evidence, without secrets, and sets the outcomes that follow for the pull request.
 *
 * @param evidence may be empty: the stored evidence is weighed again
 * @returns how much was new, how many outcomes changed, and the weighing by memory id
 * @throws Transient
 */
export async function weighEvidence(
  at: { readonly repo: Repo; readonly pull: number; readonly findings: readonly RememberedFinding[] },
  evidence: readonly Evidence[],
  { evidence: store, redact }: WeighPorts,
): Promise<{ readonly added: number; readonly changed: number; readonly weighed: ReturnType<typeof weighPull> }> {
  const repo = repoKey(at.repo);
  const clean = await Promise.all(
    evidence.map(async (one) => ({ ...one, text: one.text === null ? null : await redact(one.text) })),
  );
  const added = await store.add(repo, clean);
  const weighed = weighPull(await store.evidence(repo, at.pull), at.findings);
  const decisions = [...weighed].map(
    ([memoryId, { outcome, decided, rejections }]): Decision => ({ memoryId, outcome, decided, rejections }),
  );
  return { added, changed: await store.decide(repo, decisions), weighed };
}

/** The kind of a command, and what was said with it; "" without text. */
type CommandEvidence = Pick<Evidence, "kind"> & { readonly text: string };

interface NotedCommand {
  /** `unknown`: memory does not have the finding. */
  readonly end: "stored" | "unknown" | "failed";
  /** For the note of the answer: "" when it was stored and has weight. */
  readonly note: string;
  /** Rejections of the finding before it. */
  readonly rejections: number;
}

const UNKNOWN: NotedCommand = { end: "unknown", note: "", rejections: 0 };

/**
 * Records a command as evidence. It is carried out either way, because memory may be off.
 *
 * @throws Transient
 */
export async function noteCommand(
  order: CommandContext,
  findingId: string,
  command: CommandEvidence,
): Promise<NotedCommand> {
  const { repo, number } = order.job;
  const [memoryId] = memoriesOfThread(repo, number, { commentIds: [], findingIds: [findingId] });
  return memoryId === undefined ? UNKNOWN : noteOnMemory(order, memoryId, command);
}

/** The same for the memory of a finding on any pull request. */
export async function noteOnMemory(
  { job, level, ports }: CommandContext,
  memoryId: string,
  command: CommandEvidence,
): Promise<NotedCommand> {
  const { repo, comment } = job;
  const by: EvidenceBy = { ...comment.author, access: level, isBot: false };
  const now = ports.now();
  const piece: Evidence = {
    ...pieceOf(memoryId, command.kind, by, Date.parse(comment.at) || now),
    key: `command:${comment.place}-${comment.id}`,
    text: command.text === "" ? null : cutText(command.text, EVIDENCE_TEXT),
    url: comment.url,
    sha: job.headSha,
  };
  try {
    const of = await rememberedFinding(repo, memoryId, ports.evidence);
    if (of === null) return UNKNOWN;
    const { added } = await weighEvidence({ repo, ...of }, [piece], ports);
    const note = added === 0 || isWriter({ level }) ? "" : "; shown, but without weight (no write access)";
    return { end: "stored", note, rejections: of.rejections };
  } catch (error) {
    if (error instanceof Transient) throw error;
    const why = publicErrorText(error instanceof Error ? error.message : String(error));
    return { end: "failed", note: `; not noted in memory: ${why}`, rejections: 0 };
  }
}

/** Its pull request with all findings there, and how often it was rejected; null if unknown. */
async function rememberedFinding(repo: Repo, memoryId: string, store: EvidenceStore) {
  const key = repoKey(repo);
  const pull = await store.pullOf(key, memoryId);
  if (pull === null) return null;
  const findings = await store.findings(key, pull);
  const weighed = weighPull(await store.evidence(key, pull), findings);
  return { pull, findings, rejections: weighed.get(memoryId)?.rejections.length ?? 0 };
}

export interface DecidePorts extends WeighPorts {
  readonly decisions: Pick<Decisions, "decline" | "restore">;
  readonly checkStore: Pick<CheckStore, "on">;
  readonly records: Pick<ReviewRecords, "latest">;
  readonly jobs: Pick<ReviewJobs, "add">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A person whose write access GitHub just confirmed; null for the operator. */
export type Decider = { readonly id: number; readonly login: string } | null;

/** Not a possible GitHub login. */
const OPERATOR = { id: 0, login: "operator[dashboard]", access: "admin", isBot: false } as const;

/**
 * Takes back a memory's declines on the dashboard, like `/kodiai restore`: findings like it are
 * reported again from the next reviews on.
 *
 * @returns how many declines were taken back; 0 without any
 * @throws Transient
 */
export async function restoreMemory(repo: Repo, memoryId: string, ports: DecidePorts, by: Decider): Promise<number> {
  const of = await rememberedFinding(repo, memoryId, ports.evidence);
  if (of === null) return 0;
  const findingId = of.findings.find(({ id }) => id === memoryId)?.findingId;
  const wasDecided = findingId !== undefined && (await ports.decisions.restore(jobKey(repo, of.pull), findingId));
  if (of.rejections === 0 && !wasDecided) return 0;
  // It outweighs the rejections before it.
  await weighFromDashboard(repo, of, { memoryId, kind: "restored", text: null }, ports, by);
  return Math.max(1, of.rejections);
}

/**
 * Declines a remembered finding in the dashboard, like `/kodiai ignore REASON` without a comment.
 *
 * @param reason in their words; "" for none
 * @returns false when memory has no such finding
 * @throws Transient
 */
export async function declineMemory(
  repo: Repo,
  memoryId: string,
  reason: string,
  ports: DecidePorts,
  by: Decider,
): Promise<boolean> {
  const of = await rememberedFinding(repo, memoryId, ports.evidence);
  const findingId = of?.findings.find(({ id }) => id === memoryId)?.findingId;
  if (of === null || findingId === undefined) return false;
  const text = await ports.redact(cutText(reason.trim(), EVIDENCE_TEXT));
  const decline = { findingId, by: (by ?? OPERATOR).login, reason: text, isWriter: true };
  await ports.decisions.decline(jobKey(repo, of.pull), decline, ports.now());
  await weighFromDashboard(repo, of, { memoryId, kind: "declined", text: text === "" ? null : text }, ports, by);
  return true;
}

async function weighFromDashboard(
  repo: Repo,
  of: { readonly pull: number; readonly findings: readonly RememberedFinding[] },
  { memoryId, kind, text }: Pick<Evidence, "memoryId" | "kind" | "text">,
  ports: DecidePorts,
  by: Decider,
): Promise<void> {
  const at = ports.now();
  const who = by === null ? OPERATOR : { ...by, access: "write" as const, isBot: false };
  await weighEvidence({ repo, ...of }, [{ ...pieceOf(memoryId, kind, who, at), key: `dashboard:${at}`, text }], ports);
  await judgeAgain(repo, of.pull, ports);
}

/** A decision changes a check: a job computes it again, where the last reviewed head has one. */
async function judgeAgain(of: Repo, number: number, { records, checkStore, jobs, now }: DecidePorts): Promise<void> {
  const key = jobKey(of, number);
  const review = await records.latest(key);
  const check = review === null ? null : await checkStore.on(key, review.headSha);
  if (check === null) return;
  const { repo, installationId, headSha } = check;
  const head = { kind: "review", key, delivery: "dashboard", installationId, repo, number, headSha } as const;
  await jobs.add({ ...UNSHAPED, ...head, trigger: "verdict", explicit: false }, now());
}

function pieceOf(memoryId: string, kind: EvidenceKind, by: EvidenceBy, at: number): Omit<Evidence, "key"> {
  return { memoryId, kind, stance: null, by, at, text: null, url: null, sha: null, withdrawnAt: null };
}
