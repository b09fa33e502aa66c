// Reads from GitHub and posts nothing: KODIAI_DRY_RUN shows what Kodiai would post.

import type { Checks } from "../../ports/checks.ts";
import type { Replies } from "../../ports/conversation.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { Memory } from "../../ports/memory.ts";
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
    // Of an earlier dry run there is none.
    editSummary: () => Promise.resolve(null),
    showQuiet: () => Promise.resolve(),
    endQuiet: () => Promise.resolve(),
    showNotice: () => Promise.resolve(),
  };
}

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

/** Reads from `real`. Discards writes: what is not posted may not be stored as posted. */
export function dryRunMemory(real: Memory): Memory {
  return {
    ...real,
    remember: () => Promise.resolve({ added: 0, updated: 0, refused: [] }),
    forget: () => Promise.resolve(0),
    forgetRepository: () => Promise.resolve(0),
  };
}

/** The same for feedback: read, and not stored. */
export function dryRunEvidence(real: EvidenceStore): EvidenceStore {
  return {
    ...real,
    add: () => Promise.resolve(0),
    withdraw: () => Promise.resolve(),
    decide: () => Promise.resolve(0),
    keepFixes: () => Promise.resolve(),
  };
}
