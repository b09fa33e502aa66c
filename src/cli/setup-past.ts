// Reading what was said in a repository's past: what it will take, and whether to.
import type { PastSize } from "../ports/registration.ts";

/** Pull requests whose reviews are read by an import that nobody limits: see import-history.ts. */
const MOST_PULLS = 1_000;
const PAGE = 100;
/** Between two requests (wire/github.ts), and for GitHub's answer: an assumption that the estimate names as such. */
const SECONDS_A_REQUEST = 0.1 + 0.3;
/** GitHub gives an App 5,000 an hour at least, and the last fifth is left alone. */
const REQUESTS_AN_HOUR = 4_000;
/** A comment with its hunk, as it is embedded: an assumption. */
const TOKENS_A_COMMENT = 300;

/** What an import will take. */
export interface PastEstimate {
  readonly comments: number;
  readonly requests: number;
  readonly minutes: number;
  /** 0 with the built-in embedder. */
  readonly usd: number;
}

/** @param usdPerMillionTokens of the embedder */
export function pastEstimate(
  { lineComments, conversation, pulls }: PastSize,
  usdPerMillionTokens: number,
): PastEstimate {
  const comments = lineComments + conversation;
  const requests = Math.ceil(lineComments / PAGE) + Math.ceil(conversation / PAGE) + Math.min(pulls, MOST_PULLS);
  const waits = Math.floor(requests / REQUESTS_AN_HOUR) * 60;
  return {
    comments,
    requests,
    minutes: Math.max(1, Math.ceil((requests * SECONDS_A_REQUEST) / 60 + waits)),
    usd: (comments * TOKENS_A_COMMENT * usdPerMillionTokens) / 1_000_000,
  };
}

/** "1,240 comments, 1,013 requests to GitHub, about 7 minutes, no cost (embedded on this machine)". */
export function estimateText({ comments, requests, minutes, usd }: PastEstimate): string {
  const number = (value: number) => value.toLocaleString("en");
  const cost = usd === 0 ? "no cost (embedded on this machine)" : `about USD ${usd.toFixed(2)} for embeddings`;
  return `${number(comments)} comments, ${number(requests)} requests to GitHub, about ${number(minutes)} ${minutes === 1 ? "minute" : "minutes"}, ${cost}`;
}
