// Before memory is searched: did the last replay of this repository show that it helps?

import { noGain } from "../domain/figures/replay-result.ts";
import { repoKey } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Embedder, Replays } from "../ports/memory.ts";

export interface ReplayedPorts {
  /** What replays came to; null or absent: nothing is known. */
  readonly replays?: Pick<Replays, "of"> | null;
  readonly embedder: Pick<Embedder, "space"> | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Why memory should stay out, for the gate; null where nothing speaks for that, or it cannot be read. Never rejects. */
export async function unhelpfulMemory(
  { repo, config }: Pick<PullRequestContext, "repo" | "config">,
  { replays, embedder, now }: ReplayedPorts,
): Promise<string | null> {
  if (replays === undefined || replays === null) return null;
  const model = config.knowledge.embeddings === "off" ? null : (embedder?.space.model ?? null);
  try {
    return noGain(await replays.of(repoKey(repo)), now(), model);
  } catch {
    return null;
  }
}
