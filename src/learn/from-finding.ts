// A posted finding becomes a memory: posted, and not more than that. Nobody has said yet whether it was right.
import type { Finding } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";
import { findingSource, type MemoryRecord, memoryId, repoKey } from "../domain/memory.ts";
import { cutHunk } from "./cut-hunk.ts";

/** Where and when a finding was posted. */
export interface PostedWhere {
  readonly repo: Repo;
  readonly pull: number;
  readonly headSha: string;
  /** Of the comment, or of the review or summary that holds it. */
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Our account: `kodiai[bot]`. */
  readonly author: string | null;
  /** Canonical id, `unknown` when it could not be told. */
  readonly language: string;
  /** The diff around the finding's lines, or null. */
  readonly hunk: string | null;
}

/**
 * The memory of a finding. Its source is the finding on its pull request: posted again there it is the same memory, on
 * another pull request it is another, since it may be answered differently.
 */
export function fromFinding(finding: Finding, where: PostedWhere): MemoryRecord {
  const { repo } = where;
  const key = repoKey(repo);
  const sourceId = findingSource(where.pull, finding.id);
  return {
    id: memoryId(key, "finding", sourceId),
    repo: key,
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
    corpus: "finding",
    sourceId,
    text: finding.body.trim() === "" ? finding.title : `${finding.title}\n\n${finding.body}`,
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: finding.severity,
    category: finding.category,
    path: finding.path,
    language: where.language,
    symbol: null,
    chunkType: null,
    hunk: where.hunk === null ? null : cutHunk(where.hunk),
    outcome: "posted",
    provenance: {
      url: where.url,
      author: where.author,
      authorIsBot: true,
      sha: where.headSha,
      pull: where.pull,
      at: where.at,
    },
    stale: false,
  };
}
