// New evidence -> what became of the findings it is about. The one way by which people change what memory thinks of a finding.
import { EVIDENCE_TEXT, type Evidence, type EvidenceBy, type EvidenceKind } from "../domain/evidence.ts";
import { repoKey } from "../domain/memory.ts";
import { threadMemories, weigh } from "../learn/learn.ts";
import type { Decision, EvidenceShelf, RememberedFinding } from "../ports/feedback.ts";
import { isWriter, type Order } from "./command-order.ts";

export interface WeighPorts {
  readonly evidence: EvidenceShelf;
  readonly redact: (text: string) => Promise<string>;
}

/**
 * Writes evidence down, without secrets, and sets the outcomes that follow from all there is on the pull request.
 *
 * @param evidence may be empty: what is known is weighed again
 * @returns how much was new, and how many outcomes changed
 * @throws Transient
 */
export async function weighEvidence(
  at: {
    readonly repo: Parameters<typeof repoKey>[0];
    readonly pull: number;
    readonly findings: readonly RememberedFinding[];
  },
  evidence: readonly Evidence[],
  { evidence: shelf, redact }: WeighPorts,
): Promise<{ readonly added: number; readonly changed: number }> {
  const repo = repoKey(at.repo);
  const clean = await Promise.all(
    evidence.map(async (one) => ({ ...one, text: one.text === null ? null : await redact(one.text) })),
  );
  const added = await shelf.add(repo, clean);
  const weighed = weigh(await shelf.evidence(repo, at.pull), at.findings);
  const decisions = [...weighed].map(([memoryId, { outcome, decided }]): Decision => ({ memoryId, outcome, decided }));
  return { added, changed: await shelf.decide(repo, decisions) };
}

/**
 * What a command says about the finding of its thread, as evidence. Never throws: the command is obeyed either way, and
 * memory may be off.
 *
 * @param text as the person wrote it, "" for none
 * @returns for the note of the answer: "" when all went well
 */
export async function noteCommand(
  { job, level, ports }: Order,
  findingId: string,
  said: { readonly kind: EvidenceKind; readonly text: string },
): Promise<string> {
  const { repo, number, comment } = job;
  const [memoryId] = threadMemories(repo, number, { commentIds: [], findingId });
  if (memoryId === undefined) return "";
  const by: EvidenceBy = { ...comment.author, access: level, isBot: false, isFirstTime: false };
  const now = ports.now();
  const piece: Evidence = {
    memoryId,
    key: `command:${comment.place}-${comment.id}`,
    kind: said.kind,
    stance: null,
    by,
    at: Date.parse(comment.at) || now,
    text: said.text === "" ? null : said.text.slice(0, EVIDENCE_TEXT),
    url: comment.url,
    sha: job.headSha,
    withdrawnAt: null,
  };
  try {
    const findings = await ports.evidence.findings(repoKey(repo), number);
    const { added } = await weighEvidence({ repo, pull: number, findings }, [piece], ports);
    return added === 0 || isWriter({ level }) ? "" : "; shown, and weighs nothing without write access";
  } catch (error) {
    return `; not noted in memory: ${error instanceof Error ? error.message : String(error)}`;
  }
}
