// The declines of a memory are taken back in the dashboard: as `/kodiai restore` does, without a comment that asks for it.

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

/** No login of GitHub's looks like that. */
const OPERATOR = { id: 0, login: "operator[dashboard]", access: "admin", isBot: false, isFirstTime: false } as const;

/**
 * Findings like it are said again, from the next review of each pull request on.
 *
 * @param by somebody of whom GitHub said just now that they may write there; null for whoever runs Kodiai
 * @returns how many declines were taken back; 0 where nobody declined it
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
  // What people said against it is over from now on, and is not heard again with the next look.
  await weighEvidence({ repo, pull, findings }, [piece], ports);
  return Math.max(1, count);
}
