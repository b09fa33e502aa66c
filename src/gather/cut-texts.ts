// Cuts what the author of a pull request wrote about it to what people write, so that every later step has a bound.
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequest } from "../domain/pull-request.ts";
import { counted } from "../domain/text/counted.ts";
import { cutText } from "../domain/text/cut-text.ts";

/** UTF-16 units. A description of GitHub has at most 65,536 characters and a title 256; a commit's message may have any length. */
const MOST = { title: 1_000, description: 65_536, message: 8_000, messages: 200_000 };

/** @returns the pull request with its texts cut, and what was cut */
export function cutTexts(pull: PullRequest): { readonly pull: PullRequest; readonly degraded: readonly Degraded[] } {
  let left = MOST.messages;
  const commits = pull.commits.map(({ sha, message }) => {
    const read = cutText(message, Math.min(MOST.message, left));
    left -= read.length;
    return { sha, message: read };
  });
  const short = commits.filter(({ message }, at) => message !== pull.commits[at]?.message).length;
  const title = cutText(pull.title, MOST.title);
  const body = pull.body === null ? null : cutText(pull.body, MOST.description);
  const reasons = [
    ...(short === 0 ? [] : [`the messages of ${counted(short, "commit")} were read only in part: they are too long`]),
    ...(title === pull.title ? [] : ["the title was read only in part: it is too long"]),
    ...(body === pull.body ? [] : ["the description was read only in part: it is too long"]),
  ];
  return {
    pull: { ...pull, title, body, commits },
    degraded: reasons.map((reason) => ({ part: "description", reason })),
  };
}
