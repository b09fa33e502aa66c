import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { expirySweep } from "../../src/server/sweeps/maintenance.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

function open(lastUsed: number | null) {
  const world = { lastUsed, expired: [] as number[] };
  const sweep = expirySweep(
    {
      expire: async (now) => world.expired.push(now),
      signs: { lastUsed: async () => world.lastUsed, progress: () => Promise.reject(new Error("nobody asks")) },
    },
    pino({ level: "silent" }),
  );
  const round = async () => {
    sweep.wake();
    await sweep.stop();
  };
  return { world, sweep, round };
}

test.each([
  ["an empty store", null],
  ["a store that was in use a week ago", NOW - 7 * DAY],
  ["a store that was in use by a clock that was ahead", NOW + 400 * DAY],
])("of %s what is old is removed", async (_, lastUsed) => {
  const { world, sweep, round } = open(lastUsed);
  await round();
  expect(world.expired.length).toBeGreaterThan(0);
  expect(sweep.held()).toBeNull();
});

test("what a wrong clock wrote since does not make it right, and the right clock goes on", async () => {
  const { world, sweep, round } = open(NOW - 8 * DAY);
  await round();
  world.lastUsed = NOW;
  vi.setSystemTime(NOW + DAY);
  await round();
  expect(world.expired).toEqual([]);
  expect(sweep.held()).toMatch(
    /^no expired rows are deleted: the clock shows 2026-06-02, 9 days after .* \(2026-05-24\)/,
  );
  vi.setSystemTime(NOW - 8 * DAY);
  await round();
  expect(world.expired).toEqual([NOW - 8 * DAY]);
  expect(sweep.held()).toBeNull();
});

test("a server that runs for months without anything to do goes on removing", async () => {
  const { world, round } = open(NOW);
  for (let day = 1; day <= 60; day += 1) {
    vi.setSystemTime(NOW + day * DAY);
    await round();
  }
  expect(world.expired.at(-1)).toBe(NOW + 60 * DAY);
});
