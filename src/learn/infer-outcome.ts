// What became of a comment of the past: what people answered and what GitHub tells about its line, as voices that are judged
// like those on our own findings. Whoever may not write to the repository has none.
import type { Evidence } from "../domain/evidence.ts";
import type { PastThread } from "../domain/history.ts";
import type { Outcome } from "../domain/memory.ts";
import { readReply } from "../domain/read-reply.ts";
import { judge } from "./outcome-of.ts";

/**
 * The outcome of a thread; null where nothing is known. Who says that it is done vouches for the line as GitHub does that
 * tells it changed. Reactions come as numbers without names, and anybody may give one: they decide nothing.
 *
 * @param mayDecide whether an account may write to the repository, by its id
 */
export function inferOutcome(thread: PastThread, mayDecide: (accountId: number) => boolean): Outcome | null {
  const { outcome } = judge(voicesOf(thread, mayDecide), { severity: null, category: null });
  return outcome === "posted" ? null : outcome;
}

function voicesOf(
  { root, replies, isChanged, isResolved }: PastThread,
  mayDecide: (accountId: number) => boolean,
): Evidence[] {
  const { sha } = root;
  const bare = { memoryId: "", stance: null, by: null, text: null, url: null, sha, withdrawnAt: null } as const;
  const deciders = replies.filter(({ author }) => !author.isBot && mayDecide(author.id));
  const words = deciders.flatMap(({ id, body, at, author }): Evidence[] => {
    const { stance, saysDone } = readReply(body);
    const by = { id: author.id, login: author.login, access: "write", isBot: false, isFirstTime: false } as const;
    const reply: Evidence = { ...bare, key: `reply:${id}`, kind: "reply", stance, by, text: body, at };
    return saysDone ? [reply, { ...bare, key: `code:${id}`, kind: "lines-changed", by, at }] : [reply];
  });
  // GitHub does not tell when: what it tells holds now.
  const at = Math.max(root.at, ...deciders.map((reply) => reply.at));
  const changed: Evidence = { ...bare, key: "code:now", kind: "lines-changed", at };
  const resolved: Evidence = { ...bare, key: "thread:now", kind: "resolved", at };
  return [...words, ...(isChanged ? [changed] : []), ...(isResolved ? [resolved] : [])];
}
