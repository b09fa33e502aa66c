// Large changes wait for one another, small ones for nobody, and whoever is not wanted any more for nothing.
import { expect, test } from "vitest";
import type { Changes, PullRequests } from "../../src/ports.ts";
import { largeReviews } from "../../src/server/large-reviews.ts";

const file = { path: "a.ts", previousPath: null, status: "added", additions: 1, deletions: 0, patch: "" } as const;
const SMALL: Changes = { kind: "listing", files: [file], total: 1 };
const LONG: Changes = { kind: "listing", files: [{ ...file, deletions: 9_999 }], total: 1 };
const MANY: Changes = { kind: "listing", files: Array.from({ length: 500 }, () => file), total: 500 };

function stage() {
  const large = largeReviews(1);
  return (changes: Changes, signal = new AbortController().signal) => {
    const { pulls, done } = large.admit({ changes: async () => changes } as unknown as PullRequests, signal);
    const state = { read: false };
    const reading = pulls.changes({} as never, {} as never).then((read) => {
      state.read = true;
      return read;
    });
    return { state, reading, done };
  };
}

/** Everything that can go on has gone on. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test("a large change waits until the one before it is done, and they go in the order in which they came", async () => {
  const open = stage();
  const all = [LONG, MANY, LONG].map((changes) => open(changes));
  const small = open(SMALL);
  const read = () => all.map(({ state }) => state.read);
  await settled();
  expect([read(), small.state.read]).toEqual([[true, false, false], true]);
  small.done();
  await settled();
  expect(read()).toEqual([true, false, false]);
  for (const at of [0, 1]) {
    all[at]?.done();
    // Twice is once.
    all[at]?.done();
    await settled();
    expect(read()).toEqual([true, at >= 0, at >= 1]);
  }
  expect(await all[2]?.reading).toBe(LONG);
});

test("whoever is not wanted any more waits no longer, and takes nobody's room", async () => {
  const open = stage();
  const first = open(LONG);
  const overtaken = new AbortController();
  const second = open(LONG, overtaken.signal);
  const third = open(LONG);
  await settled();
  overtaken.abort();
  await settled();
  expect([second.state.read, third.state.read]).toEqual([true, false]);
  second.done();
  await settled();
  expect(third.state.read).toBe(false);
  first.done();
  await settled();
  expect(third.state.read).toBe(true);
});
