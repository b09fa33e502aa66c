// Reactions that come in bursts are kept and shown, and weigh nothing: one press says little, a hundred in a minute say less.
import { type Evidence, isWriterAct } from "../domain/evidence.ts";

/** So many reactions within so many milliseconds are a burst: more than a team gives a finding, fewer than a crowd. */
export const BURST = 10;
export const BURST_MS = 10 * 60_000;

/**
 * Which evidence on a pull request is held, and why: all reactions of one person who gave a burst of them, over all
 * findings; and on one finding the reactions of those without write access where they are a burst. What people who may
 * write did is never held because of others: strangers could take their voice away.
 *
 * @param evidence of one pull request, in any order
 * @returns reasons by `MEMORY_ID KEY`
 */
export function heldEvidence(evidence: readonly Evidence[]): ReadonlyMap<string, string> {
  const reactions = evidence.filter(({ kind, by }) => (kind === "thumbs-up" || kind === "thumbs-down") && by !== null);
  const held = new Map<string, string>();
  const hold = (groups: Iterable<readonly Evidence[]>, reason: (count: number) => string) => {
    for (const group of groups) {
      const count = mostAtOnce(group.map(({ at }) => at));
      if (count >= BURST) for (const one of group) held.set(evidenceName(one), reason(count));
    }
  };
  const strangers = reactions.filter((one) => !isWriterAct(one));
  hold(
    Map.groupBy(strangers, ({ memoryId }) => memoryId).values(),
    (count) => `held: ${count} reactions within 10 minutes by accounts without write access`,
  );
  hold(
    Map.groupBy(reactions, ({ by }) => by?.id).values(),
    (count) => `held: ${count} reactions within 10 minutes by one person`,
  );
  return held;
}

/** What tells a piece of evidence from all others of its repository. */
export function evidenceName({ memoryId, key }: Pick<Evidence, "memoryId" | "key">): string {
  return `${memoryId} ${key}`;
}

/** The most of these times that lie within BURST_MS. */
function mostAtOnce(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[from] ?? at) > BURST_MS) from++;
    most = Math.max(most, index - from + 1);
  }
  return most;
}
