// Reads from GitHub and posts nothing: KODIAI_DRY_RUN shows what Kodiai would post.

import type { Checks } from "../../ports/checks.ts";
import type { Replies } from "../../ports/conversation.ts";
import type { CommentToPost, Reviews } from "../../ports.ts";

/** What would have been posted. */
export type Unposted = {
  readonly what: "review" | "file comment" | "summary" | "answer" | "check run";
  readonly body: string;
  /** With their places; a comment on a file as a whole has no line. */
  readonly comments: readonly (Pick<CommentToPost, "path" | "body"> & Partial<CommentToPost>)[];
};

/** `real` is only read from; each write goes to `record` instead. */
export function dryRunReviews(real: Reviews, record: (unposted: Unposted) => void): Reviews {
  const withheld = (what: Unposted["what"], body: string, comments: Unposted["comments"] = []) => {
    record({ what, body, comments });
    return Promise.resolve({ url: "about:dry-run" });
  };
  return {
    head: (repo, number) => real.head(repo, number),
    postedFindings: (repo, number, headSha) => real.postedFindings(repo, number, headSha),
    outsideDiff: (repo, number, comments) => real.outsideDiff(repo, number, comments),
    postReview: (_repo, _number, _sha, body, comments) => withheld("review", body, comments),
    postFileComment: (_repo, _number, _sha, path, body) => withheld("file comment", "", [{ path, body }]),
    putSummary: (_repo, _number, body) => withheld("summary", body),
    showProgress: () => Promise.resolve(),
    endProgress: () => Promise.resolve(),
  };
}

// Posts no answers: each one goes to `record`.

/** `real` is only read from; each write goes to `record` instead. */
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

// Check runs of a dry run: recorded, not created.

/** Ids that GitHub never assigns. */
let last = 0;

/** Each end goes to `record`; GitHub is not called. */
export function dryRunChecks(record: (unposted: Unposted) => void): Checks {
  return {
    begin: () => Promise.resolve(--last),
    async end(_repo, _id, { conclusion, title, annotations }) {
      const comments = annotations.map(({ path, message }) => ({ path, body: message }));
      record({ what: "check run", body: `${conclusion}: ${title}`, comments });
    },
  };
}
