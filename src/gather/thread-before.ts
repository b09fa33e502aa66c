// Of a thread, what stood there when somebody wrote to us: comments that were added or changed since are left out, because
// whoever asked did not see them, and whoever changed them may not ask.
import type { ThreadComment } from "../domain/conversation.ts";

/** The comment that asked. */
export interface Asking {
  readonly id: number;
  /** ISO 8601 with seconds, UTC. */
  readonly at: string;
}

/**
 * @param thread oldest first
 * @returns what may be used, in the same order, without the asking comment; and how many were left out
 */
export function threadBefore(
  thread: readonly ThreadComment[],
  asking: Asking,
): { readonly comments: readonly ThreadComment[]; readonly leftOut: number } {
  const others = thread.filter(({ id }) => id !== asking.id);
  const comments = others.filter((comment) => stoodThen(comment, asking));
  return { comments, leftOut: others.length - comments.length };
}

/** Times have whole seconds: an edit in the very second of the question counts as later. */
function stoodThen({ id, createdAt, updatedAt }: ThreadComment, asking: Asking): boolean {
  if (id > asking.id || createdAt > asking.at) return false;
  return updatedAt === createdAt || updatedAt < asking.at;
}
