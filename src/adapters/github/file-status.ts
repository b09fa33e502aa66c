import type { FileStatus } from "../../domain/pull-request.ts";

/** GitHub's word for what happened to a file, in ours. */
export function fileStatus(word: string): FileStatus {
  switch (word) {
    case "added":
    case "removed":
    case "renamed":
    case "copied":
      return word;
    default:
      return "modified";
  }
}
