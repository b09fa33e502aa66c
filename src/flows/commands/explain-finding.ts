// Why a finding was reported or held back: what its review recorded, and what people did since.
import type { Finding, HeldBack } from "../../domain/finding.ts";
import { jobKey, type Repo } from "../../domain/job.ts";
import { findingMemoryId, MEMORY_ID, type MemoryRecord, repoKey } from "../../domain/memory.ts";
import { ownScope } from "../../domain/retrieval.ts";
import type { PlacedFinding, Review } from "../../domain/review.ts";
import type { ReviewRecords } from "../../ports/conversation.ts";
import type { Recall } from "../../ports/memory.ts";

interface ExplainPorts {
  readonly records: Pick<ReviewRecords, "latest" | "finding"> | null;
  readonly recall: Pick<Recall, "records"> | null;
  /** Reviews that this process wrote but did not store, newest first. */
  readonly recent: readonly Review[];
}

interface ExplainedFinding {
  readonly kind: "explained";
  readonly state: "said" | "held back" | "remembered";
  /** Null when only memory has it. */
  readonly finding: Finding | null;
  /** Where it was posted, and why there; null when it was not posted, or that is unknown. */
  readonly placed: Pick<PlacedFinding, "place" | "reason"> | null;
  readonly heldBack: Omit<HeldBack, "finding"> | null;
  readonly memory: MemoryRecord | null;
}

interface UnknownFinding {
  readonly kind: "unknown";
  readonly reason: string;
}

const REMEMBERED = { kind: "explained", state: "remembered", placed: null, heldBack: null } as const;

/**
 * @param id `fnd_…` of a finding, or `mem_…` of its memory
 * @param pull the pull request of the finding; null: a review of this process
 */
export async function explainFinding(
  repo: Repo,
  id: string,
  pull: number | null,
  ports: ExplainPorts,
): Promise<ExplainedFinding | UnknownFinding> {
  if (MEMORY_ID.test(id)) return fromMemory(repo, id, ports);
  const key = pull === null ? null : jobKey(repo, pull);
  const latest = key === null ? null : await ports.records?.latest(key);
  const memory = pull === null ? null : await remembered(repo, findingMemoryId(repoKey(repo), pull, id), ports);
  for (const review of [...ports.recent, ...(latest ? [latest] : [])]) {
    const explained = inReview(review, id, memory);
    if (explained !== null) return explained;
  }
  const finding = key === null ? null : ((await ports.records?.finding(key, id)) ?? null);
  if (finding !== null || memory !== null) return { ...REMEMBERED, finding, memory };
  const reason =
    pull === null
      ? "no review that was written here has it; name the pull request that it was found on"
      : `no review of pull request ${pull} that is kept here has it, and memory has not`;
  return { kind: "unknown", reason };
}

async function remembered(repo: Repo, id: string, { recall }: ExplainPorts): Promise<MemoryRecord | null> {
  const [record] = (await recall?.records(ownScope(repo), [id])) ?? [];
  return record ?? null;
}

async function fromMemory(repo: Repo, id: string, ports: ExplainPorts): Promise<ExplainedFinding | UnknownFinding> {
  const memory = await remembered(repo, id, ports);
  if (memory === null) return { kind: "unknown", reason: `${repo.owner}/${repo.name} has no memory ${id}` };
  const findingId = /\/(fnd_[0-9a-f]{12})$/.exec(memory.sourceId)?.[1] ?? null;
  const { pull } = memory.provenance;
  if (findingId !== null && pull !== null) {
    const explained = await explainFinding(repo, findingId, pull, ports);
    if (explained.kind === "explained") return { ...explained, memory };
  }
  return { ...REMEMBERED, finding: null, memory };
}

function inReview(review: Review, id: string, memory: MemoryRecord | null): ExplainedFinding | null {
  const reported = review.findings.find(({ finding }) => finding.id === id);
  if (reported !== undefined) {
    const { finding, place, reason } = reported;
    return { kind: "explained", state: "said", finding, placed: { place, reason }, heldBack: null, memory };
  }
  const held = review.heldBack.find(({ finding }) => finding.id === id);
  if (held === undefined) return null;
  const { finding, ...heldBack } = held;
  return { kind: "explained", state: "held back", finding, placed: null, heldBack, memory };
}
