import { expect, test } from "vitest";
import type { ThreadComment } from "../../src/domain/conversation.ts";
import { threadBefore } from "../../src/gather/gather.ts";

const ASKED = { id: 50, at: "2026-11-20T10:00:05Z" };

function comment(id: number, createdAt: string, updatedAt = createdAt): ThreadComment {
  const author = { id: 3, login: "mona", isBot: false };
  return { id, author, isOurs: false, body: `comment ${id}`, createdAt, updatedAt, path: "src/a.ts", hunk: null };
}

test("text from before the request is used; later or changed text is left out and counted", () => {
  const thread = [
    comment(10, "2026-11-20T09:00:00Z"),
    comment(20, "2026-11-20T09:00:00Z", "2026-11-20T09:30:00Z"),
    comment(30, "2026-11-20T09:00:00Z", "2026-11-20T10:00:05Z"),
    comment(40, "2026-11-20T10:00:05Z"),
    comment(41, "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z"),
    comment(50, "2026-11-20T10:00:05Z"),
    comment(60, "2026-11-20T10:00:05Z"),
    comment(61, "2026-11-20T10:00:06Z"),
  ];
  const { comments, leftOut } = threadBefore(thread, ASKED);
  expect(comments.map(({ id }) => id)).toEqual([10, 20, 40]);
  expect(leftOut).toBe(4);
});
