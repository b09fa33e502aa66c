// Answers nothing: what would have been said is recorded.
import type { Replies } from "../../ports/talk.ts";
import type { Unposted } from "./reviews.ts";

/** `real` is only read from; each write is told to `record` instead. */
export function dryRunReplies(real: Replies, record: (unposted: Unposted) => void): Replies {
  return {
    react: () => Promise.resolve(true),
    answered: (repo, number, to, marker) => real.answered(repo, number, to, marker),
    reply: (_repo, _number, _to, body) => {
      record({ what: "answer", body, comments: [] });
      return Promise.resolve({ url: "about:dry-run" });
    },
    resolve: () => Promise.resolve("refused"),
  };
}
