import { expect, test } from "vitest";
import { receive } from "../../src/receive/receive.ts";
import { opened } from "../app/server-process.ts";

const meaningOf = (payload: object, id = "d1", event = "pull_request") =>
  receive({ id, event, payload }, { host: "github.com", reviewerLogin: null }).dedupKey;

test("the same event means the same under another delivery id, and names only the pull request it is about", () => {
  const meaning = meaningOf(opened(7, 1));
  expect(meaning).toMatch(/^github\.com\/4711#7@[0-9a-f]{32}$/);
  expect(meaningOf(opened(7, 1), "d2")).toBe(meaning);
});

test("another pull request, head, trigger, moment or base is another event", () => {
  const first = opened(7, 1);
  const others = [
    opened(8, 1),
    opened(7, 1, { head: { sha: "f".repeat(40) } }),
    { ...first, action: "reopened" },
    opened(7, 1, { updated_at: "2026-01-01T00:00:01Z" }),
    opened(7, 1, { base: { ref: "release" } }),
    { ...first, before: "e".repeat(40) },
  ];
  const all = [first, ...others].map((payload) => meaningOf(payload));
  expect(new Set(all).size).toBe(7);
});

test("without a time, only the very same payload means the same", () => {
  const { updated_at: _, ...pull } = (opened(7, 1) as { pull_request: Record<string, unknown> }).pull_request;
  const payload = { ...opened(7, 1), pull_request: pull };
  expect(meaningOf(payload)).toBe(meaningOf(structuredClone(payload)));
  expect(meaningOf({ ...payload, number: 7 })).not.toBe(meaningOf(payload));
  expect(meaningOf({ ...payload, before: { odd: true } })).toMatch(/@/);
});

test("what makes no review and no command may be said as often as one likes", () => {
  expect(meaningOf({ ...opened(7, 1), action: "closed" })).toBeNull();
  expect(meaningOf({}, "d1", "ping")).toBeNull();
});
