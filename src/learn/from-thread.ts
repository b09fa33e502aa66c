// A conversation of the past becomes a memory, or says why not. Only what people who may write to the repository said is
// remembered; a bot's comment only where one of them decided about it.
import type { PastComment, PastThread } from "../domain/history.ts";
import type { Repo } from "../domain/job.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { type CommentRules, fromComment, type NotRemembered } from "./from-comment.ts";
import { inferOutcome } from "./infer-outcome.ts";

export interface ThreadRules extends CommentRules {
  /** Whether an account may write to the repository, by its id. */
  readonly mayDecide: (accountId: number) => boolean;
  /** Our own account, whose findings are remembered as such; null when there is none. */
  readonly ownLogin: string | null;
}

/** @returns the memory with its outcome, or the reason why there is none */
export function fromThread(thread: PastThread, repo: Repo, rules: ThreadRules): MemoryRecord | NotRemembered {
  const { root, replies } = thread;
  const sourceId = sourceOf(root);
  const outcome = inferOutcome(thread, rules.mayDecide);
  const reason = notOurs(root, outcome !== null && outcome !== "outdated", rules);
  if (reason !== null) return { kind: "not-remembered", sourceId, reason };
  const heard = replies.filter(({ author }) => !author.isBot && rules.mayDecide(author.id));
  const record = fromComment(
    {
      sourceId,
      text: root.body,
      replies: heard.map(({ body }) => body),
      path: root.path,
      language: null,
      hunk: root.hunk,
      category: null,
      severity: null,
      url: root.url,
      author: root.author.login,
      isBot: root.author.isBot,
      sha: root.sha,
      pull: root.pull,
      at: root.at,
    },
    repo,
    rules,
  );
  return "kind" in record ? record : { ...record, outcome };
}

/** GitHub counts comments on lines, comments of conversations and reviews each for themselves. */
function sourceOf({ place, id }: PastComment): string {
  return place === "line" ? String(id) : `${place}-${id}`;
}

/** A comment to a bot: one line that begins with its name or a slash. */
const TO_A_BOT =
  /^\s{0,20}(?:\/[a-z]|@[\w-]{0,40}(?:bot|kodiai|coderabbitai|copilot|dependabot)\b)[^\n]{0,300}\s{0,20}$/i;

function notOurs(
  { author, body }: PastComment,
  isDecided: boolean,
  { mayDecide, ownLogin }: ThreadRules,
): string | null {
  if (ownLogin !== null && author.login === ownLogin) return "our own finding, remembered as such";
  if (author.isBot) return isDecided ? null : "by a bot, and nobody with write access decided about it";
  if (!mayDecide(author.id)) return "by somebody without write access";
  return TO_A_BOT.test(body.slice(0, 400)) && body.length <= 400 ? "a command to a bot" : null;
}
