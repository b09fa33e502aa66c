// Turns new evidence into outcomes of findings. Only through here do people change what memory knows of a finding.

import { jobKey, type Repo } from "../../domain/job.ts";
import { EVIDENCE_TEXT, type Evidence, type EvidenceBy, type EvidenceKind } from "../../domain/memory/evidence.ts";
import { repoKey } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import { memoriesOfThread, weighPull } from "../../learn/learn.ts";
import type { Decisions } from "../../ports/conversation.ts";
import type { Decision, EvidenceStore, RememberedFinding } from "../../ports/feedback.ts";
import type { PastRejections, Rejecting } from "../../ports/rejections.ts";
import { isWriter, type Order } from "../commands/order.ts";

export interface WeighPorts {
  readonly evidence: EvidenceStore;
  readonly redact: (text: string) => Promise<string>;
}

/**
 * Stores evidence, without secrets, and sets the outcomes that follow from all evidence of the pull request.
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
    ([memoryId, { outcome, decided, against }]): Decision => ({ memoryId, outcome, decided, against }),
  );
  return { added, changed: await store.decide(repo, decisions), weighed };
}

/** The kind of a command, and what was said with it; "" without text. */
type SaidByCommand = Pick<Evidence, "kind"> & { readonly text: string };

/**
 * Records a command as evidence about its thread's finding. Never throws: the command is carried out either way, and
 * memory may be off.
 *
 * @returns for the note of the answer: "" when all went well
 */
export async function noteCommand(order: Order, findingId: string, said: SaidByCommand): Promise<string> {
  const { repo, number } = order.job;
  const [memoryId] = memoriesOfThread(repo, number, { commentIds: [], findingIds: [findingId] });
  return memoryId === undefined ? "" : noteOnMemory(order, memoryId, said);
}

/** The same for the memory of a finding on any pull request. */
export async function noteOnMemory(
  { job, level, ports }: Order,
  memoryId: string,
  said: SaidByCommand,
): Promise<string> {
  const { repo, comment } = job;
  const by: EvidenceBy = { ...comment.author, access: level, isBot: false, isFirstTime: false };
  const now = ports.now();
  const piece: Evidence = {
    ...pieceOf(memoryId, said.kind, by, Date.parse(comment.at) || now),
    key: `command:${comment.place}-${comment.id}`,
    text: said.text === "" ? null : cutText(said.text, EVIDENCE_TEXT),
    url: comment.url,
    sha: job.headSha,
  };
  try {
    const pull = await ports.evidence.pullOf(repoKey(repo), memoryId);
    if (pull === null) return "";
    const findings = await ports.evidence.findings(repoKey(repo), pull);
    const { added } = await weighEvidence({ repo, pull, findings }, [piece], ports);
    return added === 0 || isWriter({ level }) ? "" : "; shown, but without weight (no write access)";
  } catch (error) {
    return `; not noted in memory: ${publicErrorText(error instanceof Error ? error.message : String(error))}`;
  }
}

export interface RestorePorts extends WeighPorts {
  readonly past: Rejecting & PastRejections;
  readonly decisions: Pick<Decisions, "restore">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Not a possible GitHub login. */
const OPERATOR = { id: 0, login: "operator[dashboard]", access: "admin", isBot: false, isFirstTime: false } as const;

/**
 * Takes back the declines of a memory in the dashboard, like `/kodiai restore` without a comment: findings like it are
 * reported again, from the next review of each pull request on.
 *
 * @param by a person whose write access GitHub just confirmed; null for the operator
 * @returns how many declines were taken back; 0 without any
 * @throws Transient
 */
export async function restoreMemory(
  repo: Repo,
  memoryId: string,
  ports: RestorePorts,
  by: { readonly id: number; readonly login: string } | null = null,
): Promise<number> {
  const key = repoKey(repo);
  const count = await ports.past.restore(key, memoryId);
  const pull = await ports.evidence.pullOf(key, memoryId);
  if (pull === null) return count;
  const findings = await ports.evidence.findings(key, pull);
  const findingId = findings.find(({ id }) => id === memoryId)?.findingId;
  const wasDecided = findingId !== undefined && (await ports.decisions.restore(jobKey(repo, pull), findingId));
  if (count === 0 && !wasDecided) return 0;
  const at = ports.now();
  const who = by === null ? OPERATOR : { ...by, access: "write" as const, isBot: false, isFirstTime: false };
  const piece = { ...pieceOf(memoryId, "restored", who, at), key: `dashboard:${at}` };
  // This evidence outweighs earlier rejections, so that the next look does not restore them.
  await weighEvidence({ repo, pull, findings }, [piece], ports);
  return Math.max(1, count);
}

function pieceOf(memoryId: string, kind: EvidenceKind, by: EvidenceBy, at: number): Omit<Evidence, "key"> {
  return { memoryId, kind, stance: null, by, at, text: null, url: null, sha: null, withdrawnAt: null };
}
