import type { Repo } from "../../src/domain/job.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import type { SaidComment } from "../../src/learn/remember/from-comment.ts";
import { aMemory } from "../builders/memory-record.ts";
import { aRepo } from "../builders/pull-request.ts";

export const REPO: Repo = aRepo({ name: "payments" });

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
  return aMemory({
    repoName: "acme/payments",
    text: "Only retry on timeouts: a declined card must not be charged twice.",
    category: "correctness",
    path: "src/charge/retry.cc",
    language: "cpp",
    hunk: "@@ -10,4 +10,6 @@\n+    submit(card);",
    ...with_,
  });
}
