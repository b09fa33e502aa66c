// The Markdown that was really sent to GitHub, byte for byte, and that none of it acts.
import type { GitHubWorld } from "../fakes/github/github.ts";
import { expectInert } from "./posted-review.ts";

interface SentBody {
  readonly body?: string;
  readonly comments?: readonly { readonly body: string }[];
  readonly output?: { readonly summary?: string; readonly text?: string };
}

/**
 * Of reviews, comments, replies, summaries and check runs, in the order in which they were sent.
 */
export function sentMarkdown({ requests }: Pick<GitHubWorld, "requests">): readonly string[] {
  return requests
    .filter(({ method, path }) => method !== "GET" && !path.endsWith("/access_tokens"))
    .flatMap(({ body }) => {
      const { body: text, comments = [], output = {} } = (body ?? {}) as SentBody;
      return [text, ...comments.map((one) => one.body), output.summary, output.text];
    })
    .filter((text) => text !== undefined && text !== null);
}

/** What our own section about an update, and an answer to somebody, look like. */
const OURS = ["table", "blockQuote"];

/** @returns how many texts were looked at */
export function expectSentInert(world: Pick<GitHubWorld, "requests">): number {
  const sent = sentMarkdown(world).map((body) =>
    body.replace(/^@[a-z\d-]+\s/i, "").replace(/\s*<!-- kodiai:answer [^>]*-->\s*/, ""),
  );
  expectInert(sent, OURS);
  return sent.length;
}
