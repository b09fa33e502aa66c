import type { Repo } from "../../src/domain/job.ts";
import { type MemoryRecord, memoryId } from "../../src/domain/memory.ts";
import type { SaidComment } from "../../src/learn/remember/from-comment.ts";

export const REPO: Repo = {
  host: "github.com",
  id: 42,
  ownerId: 7,
  owner: "acme",
  name: "payments",
  visibility: "private",
};

export const AT = Date.UTC(2026, 3, 14, 9, 30);

export function givenComment(with_: Partial<SaidComment> = {}): SaidComment {
  return {
    sourceId: "1843320011",
    text: "This retries on every error. A declined card must not be charged twice, so only retry on timeouts.",
    replies: ["Good catch, done in 3f2a1bc."],
    path: "src/charge/retry.cc",
    language: "C++",
    hunk: "@@ -10,4 +10,6 @@ void Charge::retry() {\n   while (tries < 3) {\n+    submit(card);\n+    ++tries;",
    category: "correctness",
    severity: null,
    url: "https://github.com/acme/payments/pull/12#discussion_r1843320011",
    author: "octocat",
    isBot: false,
    sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    pull: 12,
    at: AT,
    ...with_,
  };
}

export function givenRecord(with_: Partial<MemoryRecord> = {}): MemoryRecord {
  const sourceId = with_.sourceId ?? "1843320011";
  const corpus = with_.corpus ?? "review_comment";
  return {
    id: memoryId("github.com/42", corpus, sourceId),
    repo: "github.com/42",
    repoName: "acme/payments",
    ownerId: 7,
    visibility: "private",
    corpus,
    sourceId,
    text: "Only retry on timeouts: a declined card must not be charged twice.",
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: "correctness",
    path: "src/charge/retry.cc",
    language: "cpp",
    symbol: null,
    chunkType: null,
    hunk: "@@ -10,4 +10,6 @@\n+    submit(card);",
    outcome: null,
    provenance: { url: null, author: "octocat", authorIsBot: false, sha: null, pull: 12, at: AT },
    stale: false,
    ...with_,
  };
}
