// What people tried and what did not count, for the owner: bursts that are held, and acts of those who may not write.
import { type Evidence, isWriterAct } from "../domain/memory/evidence.ts";
import type { RepoKey } from "../domain/memory.ts";
import { held } from "../learn/learn.ts";
import type { EvidenceShelf } from "../ports/feedback.ts";

export interface HeldActs {
  /** By pull request: how many acts are held there, and why. */
  readonly bursts: readonly { readonly pull: number; readonly acts: number; readonly reason: string }[];
  /** Acts of people without write access, of bots and of nobody known, and of how many accounts. */
  readonly weightless: { readonly acts: number; readonly accounts: number };
}

/** @throws Transient when memory cannot be read now */
export async function heldActs(repo: RepoKey, shelf: Pick<EvidenceShelf, "pulls" | "evidence">): Promise<HeldActs> {
  const bursts: { pull: number; acts: number; reason: string }[] = [];
  const strangers: Evidence[] = [];
  for (const pull of await shelf.pulls(repo)) {
    const evidence = await shelf.evidence(repo, pull);
    const byReason = Map.groupBy(held(evidence).values(), (reason) => reason);
    for (const [reason, acts] of byReason) bursts.push({ pull, acts: acts.length, reason });
    strangers.push(...evidence.filter((one) => one.by !== null && !isWriterAct(one)));
  }
  const accounts = new Set(strangers.map(({ by }) => by?.id)).size;
  return { bursts, weightless: { acts: strangers.length, accounts } };
}

/** Lines for a terminal. */
export function heldLines({ bursts, weightless: { acts, accounts } }: HeldActs): readonly string[] {
  const nobody = "feedback: nothing of people without write access";
  const strangers = `feedback: ${acts} acts of ${accounts} accounts without write access weigh nothing`;
  return [
    acts === 0 ? nobody : strangers,
    ...bursts.map(({ pull, acts: count, reason }) => `burst on #${pull}: ${count} acts, ${reason}`),
  ];
}
