// Reads like GitHub and posts nothing: KODIAI_DRY_RUN shows what Kodiai would say before it may speak.
import type { Reviews } from "../../ports.ts";

/** What would have been posted. */
export type Unposted = {
  readonly what: "review" | "file comment" | "summary";
  readonly body: string;
  readonly comments: number;
};

/** `real` is only read from; each write is told to `record` instead. */
export function dryRunReviews(real: Reviews, record: (unposted: Unposted) => void): Reviews {
  const withheld = (what: Unposted["what"], body: string, comments: number) => {
    record({ what, body, comments });
    return Promise.resolve({ url: "about:dry-run" });
  };
  return {
    head: (repo, number) => real.head(repo, number),
    postedFindings: (repo, number, headSha) => real.postedFindings(repo, number, headSha),
    postReview: (_repo, _number, _sha, body, comments) => withheld("review", body, comments.length),
    postFileComment: (_repo, _number, _sha, _path, body) => withheld("file comment", body, 1),
    putSummary: (_repo, _number, _marker, body) => withheld("summary", body, 0),
  };
}
