// One pull request that was closed: what people said on it becomes memory at once, as an import would read it. Reading it
// again changes nothing: ids come from GitHub's.

import type { Repo } from "../domain/job.ts";
import { EMPTY_TALLY, type HistoryTally } from "../domain/memory/past-reviews.ts";
import type { Skipped } from "../domain/omissions.ts";
import { commentKeeper, type KeepingPorts } from "./keep-comments.ts";

export interface ImportedPull {
  readonly kind: "imported";
  readonly pull: number;
  readonly tally: HistoryTally;
}

/** @throws Transient when GitHub or memory cannot answer now; the same call again completes it */
export async function importPull(
  { repo, pull, ownLogin }: { readonly repo: Repo; readonly pull: number; readonly ownLogin: string | null },
  ports: KeepingPorts,
): Promise<ImportedPull | Skipped> {
  const { past } = ports;
  const open = await past.openPulls();
  if (open.has(pull)) return { kind: "skipped", reason: "the pull request is open again" };
  const keep = commentKeeper({ repo, open, ownLogin }, ports);
  const said = [await past.linesOf(pull), await past.conversationOf(pull), await past.reviewsOf(pull)];
  return { kind: "imported", pull, tally: await keep(said.flat(), EMPTY_TALLY) };
}

/** How it ended, in one line. */
export function importedLine({ pull, tally }: ImportedPull): string {
  const { comments, added, updated, unchanged, leftOut } = tally;
  const left = leftOut.reduce((sum, [, count]) => sum + count, 0);
  return `imported #${pull}: ${comments} comments read: ${added} added, ${updated} updated, ${unchanged} unchanged, ${left} left out`;
}
