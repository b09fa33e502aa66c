import { type MemoryRecord, memoryId } from "../../src/domain/memory.ts";

export interface SaidBy extends Partial<Omit<MemoryRecord, "provenance">> {
  readonly provenance?: Partial<MemoryRecord["provenance"]>;
}

/**
 * A reviewer's comment as memory holds it, of acme/shop (42, of owner 7) and with everything
 * unknown that may be; `more` says the rest.
 */
export function aMemory({ provenance, ...more }: SaidBy = {}): MemoryRecord {
  const { repo = "github.com/42", corpus = "review_comment", sourceId = "1843320011" } = more;
  return {
    id: memoryId(repo, corpus, sourceId),
    repo,
    repoName: "acme/shop",
    ownerId: 7,
    visibility: "private",
    corpus,
    sourceId,
    text: "Close the connection when the handshake fails, or the pool runs dry.",
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: null,
    path: null,
    language: "unknown",
    symbol: null,
    chunkType: null,
    hunk: null,
    flaggedCode: null,
    fixedCode: null,
    outcome: null,
    decided: null,
    described: null,
    sharing: null,
    stale: false,
    ...more,
    provenance: {
      url: null,
      author: "octocat",
      authorIsBot: false,
      sha: null,
      pull: 12,
      at: Date.UTC(2026, 3, 14, 9, 30),
      ...provenance,
    },
  };
}
