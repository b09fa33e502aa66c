// A comment of ours, read back: which finding it is about, where it stood, and the code above it.

import type { OwnComment } from "../../domain/pull-request.ts";
import { parseFindingMarker } from "../../domain/review/marker.ts";
import type { GitHub } from "./clients.ts";

type ReviewComment = Awaited<ReturnType<GitHub["rest"]["pulls"]["listReviewComments"]>>["data"][number];

/** Code points of a title: as many as publish writes. */
const TITLE = /\*\*([^*\n]{1,400})\*\*/;

/** Null for a comment that is about no finding. */
export function ownComment(comment: ReviewComment): OwnComment | null {
  const findingId = parseFindingMarker(comment.body);
  if (findingId === null) return null;
  const isFile = comment.subject_type === "file";
  const line = isFile ? null : (comment.original_line ?? comment.line ?? null);
  return {
    findingId,
    url: comment.html_url,
    path: comment.path,
    side: comment.side === "LEFT" ? "LEFT" : "RIGHT",
    startLine: line === null ? null : (comment.original_start_line ?? line),
    line,
    hunk: isFile ? "" : comment.diff_hunk,
    title: TITLE.exec(comment.body)?.[1] ?? "",
  };
}
