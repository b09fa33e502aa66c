// Why something could not be done is told to everybody who reads the pull request; where Kodiai
// runs, to nobody of them.
import { expect, test } from "vitest";
import { plainAnswer } from "../../src/domain/conversation.ts";
import { checkEnd } from "../../src/publish/publish.ts";
import { renderAnswer } from "../../src/publish/render-comment.ts";
import { renderSummary } from "../../src/publish/render-summary.ts";
import { REPO } from "../review/review-builders.ts";
import { sampleReview } from "./sample-review.ts";

const INNER = [
  "GitHub did not answer: connect ECONNREFUSED 127.0.0.1:45321",
  "request to https://ghes.acme.internal:8443/api/v3 failed, reason: getaddrinfo ENOTFOUND ghes.acme.internal",
  "Proxy response (407) from squid:3128 when HTTP Tunneling",
  "Connect Timeout Error (attempted addresses: 10.0.12.7:443, fd12:3456::1:443, timeout: 10000ms)",
  "ENOENT: no such file or directory, open '/srv/kodiai/data/memory.db'",
];
const WORDS = /127\.0|45321|acme\.internal|8443|squid|10\.0\.12|fd12|\/srv/;

test.each(INNER)("%j names no place in a summary, an answer or a check", (reason) => {
  const degraded = [{ part: "guidance", reason }];
  const review = sampleReview({ degraded });
  const summary = renderSummary(review, review.findings);
  expect(summary).toContain("guidance");
  expect(summary).not.toMatch(WORDS);

  const comment = {
    place: "conversation",
    id: 7,
    rootId: null,
    url: "https://github.com/acme/shop/pull/7#issuecomment-7",
    at: "2026-06-01T10:00:00Z",
    path: null,
    hunk: null,
    author: { id: 3, login: "mona" },
  } as const;
  const answer = { ...plainAnswer("done", "Yes.", ""), degraded };
  expect(renderAnswer(answer, { comment, repo: REPO })).not.toMatch(WORDS);

  const { summary: reported } = checkEnd({ kind: "skipped", reason }, "never", new Set());
  expect(reported).not.toMatch(WORDS);
});
