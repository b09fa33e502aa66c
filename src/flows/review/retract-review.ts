// A bad review is taken back: its comments are folded away, the summary says so, and nothing of it stays in memory.
import type { Repo } from "../../domain/job.ts";
import { memoryId, repoKey } from "../../domain/memory.ts";
import type { Retractions } from "../../ports/checks.ts";
import type { Embedder, Memory } from "../../ports/memory.ts";
import { type Retracted, retract } from "../../publish/publish.ts";

export interface RetractPorts {
  readonly retractions: Retractions;
  /** Null where nothing was ever remembered. */
  readonly remembered: { readonly memory: Memory; readonly embedder: Embedder } | null;
}

interface RetractRequest {
  readonly repo: Repo;
  readonly number: number;
  /** GitHub's; null takes the newest. */
  readonly reviewId: number | null;
  /** True changes nothing. */
  readonly rehearse: boolean;
}

/** What was, or would be, done. */
export interface TakenBack extends Retracted {
  /** Memories that went, or would go. */
  readonly forgotten: number;
}

/**
 * Takes one review back.
 *
 * @throws Transient when GitHub or memory cannot answer now; the same call again completes it
 */
export async function retractReview(
  request: RetractRequest,
  ports: RetractPorts,
): Promise<TakenBack | { readonly nothing: string }> {
  const done = await retract(request, ports.retractions, request.rehearse);
  if ("nothing" in done) return done;
  if (ports.remembered === null) return { ...done, forgotten: 0 };
  const ids = await memoriesOf(done, request, ports.remembered);
  const forgotten = request.rehearse ? ids.length : await ports.remembered.memory.forget(repoKey(request.repo), ids);
  return { ...done, forgotten };
}

/** By the comments, and by the head for findings that had none: those of the summary. */
async function memoriesOf(
  { headSha, hidden, left }: Retracted,
  { repo, number }: RetractRequest,
  { memory, embedder }: NonNullable<RetractPorts["remembered"]>,
): Promise<readonly string[]> {
  const key = repoKey(repo);
  const said = new Set([...hidden, ...left].flatMap(({ findingIds }) => findingIds.map((id) => `#${number}/${id}`)));
  const ids: string[] = [];
  for (const [sourceId, known] of await memory.known(key, "finding", embedder.space, null)) {
    const isOfHead = known.sha === headSha && sourceId.startsWith(`#${number}/`);
    if (said.has(sourceId) || isOfHead) ids.push(memoryId(key, "finding", sourceId));
  }
  return ids;
}
