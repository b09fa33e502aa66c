// Takes back the declines of a memory in the dashboard, like `/kodiai restore` without a comment.

import { jobKey, type Repo } from "../../domain/job.ts";
import type { Evidence } from "../../domain/memory/evidence.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Decisions } from "../../ports/conversation.ts";
import type { PastRejections, Rejecting } from "../../ports/rejections.ts";
import { type WeighPorts, weighEvidence } from "../people/weigh-evidence.ts";

export interface RestorePorts extends WeighPorts {
  readonly past: Rejecting & PastRejections;
  readonly decisions: Pick<Decisions, "restore">;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Not a possible GitHub login. */
const OPERATOR = { id: 0, login: "operator[dashboard]", access: "admin", isBot: false, isFirstTime: false } as const;

/**
 * Findings like it are reported again, from the next review of each pull request on.
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
  const piece: Evidence = {
    memoryId,
    key: `dashboard:${at}`,
    kind: "restored",
    stance: null,
    by: who,
    at,
    text: null,
    url: null,
    sha: null,
    withdrawnAt: null,
  };
  // This evidence outweighs earlier rejections, so that the next look does not restore them.
  await weighEvidence({ repo, pull, findings }, [piece], ports);
  return Math.max(1, count);
}
