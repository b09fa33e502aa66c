// Large changes find room one after the other, small ones always.

import { expect, test } from "vitest";
import type { Changes } from "../../src/domain/changes.ts";
import { AtCapacity } from "../../src/domain/errors.ts";
import type { PullRequests } from "../../src/ports.ts";
import { largeReviews } from "../../src/server/sweeps/large-reviews.ts";

const file = { path: "a.ts", previousPath: null, status: "added", additions: 1, deletions: 0, patch: "" } as const;
const SMALL: Changes = { kind: "listing", files: [file], total: 1 };
const LONG: Changes = { kind: "listing", files: [{ ...file, deletions: 9_999 }], total: 1 };
const MANY: Changes = { kind: "listing", files: Array.from({ length: 500 }, () => file), total: 500 };

function harness() {
  const large = largeReviews(1);
  const open = (changes: Changes) => {
    const { pulls, done } = large.admit({ changes: async () => changes } as unknown as PullRequests);
    return { read: () => pulls.changes({} as never, {} as never, () => true), done };
  };
  return { large, open };
}

test("a large change waits until the one before it is done, and a small one never does", async () => {
  const { large, open } = harness();
  const [first, second, small] = [open(LONG), open(MANY), open(SMALL)];
  expect(await first.read()).toBe(LONG);
  // It has its room, however often it reads.
  expect(await first.read()).toBe(LONG);
  expect(large.hasCapacity()).toBe(false);
  await expect(second.read()).rejects.toBeInstanceOf(AtCapacity);
  expect(await small.read()).toBe(SMALL);
  // Whoever found none, or needed none, leaves none behind.
  second.done();
  small.done();
  expect(large.hasCapacity()).toBe(false);
  first.done();
  first.done();
  expect(large.hasCapacity()).toBe(true);
  expect(await open(MANY).read()).toBe(MANY);
  expect(large.hasCapacity()).toBe(false);
});
