// A store that does not answer when GitHub asks us to wait, by a clock that only the test moves.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installationLimits } from "../../../src/adapters/github/clients.ts";
import { Transient } from "../../../src/domain/errors.ts";
import { storedInstallationPace } from "../../../src/store/reviews/writes.ts";
import { sqliteInMemory } from "../../store/databases.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two processes on one store; the way of the first to it can be broken. */
async function world() {
  const store = storedInstallationPace(await sqliteInMemory(() => Date.now()));
  const way = { isBroken: false };
  const broken = {
    closedFor: (id: number) => store.closedFor(id),
    close: (id: number, forMs: number) =>
      way.isBroken ? Promise.reject(new Transient("the database is away")) : store.close(id, forMs),
  };
  return { reported: installationLimits(broken), other: installationLimits(store), way };
}

test("a process that was asked to wait waits even if the store does not answer, and the others do as soon as it does [R8]", async () => {
  const { reported, other, way } = await world();
  way.isBroken = true;
  await reported.close(7, 60_000);
  expect([await reported.closedFor(7), await reported.closedFor(8), await other.closedFor(7)]).toEqual([60_000, 0, 0]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await other.closedFor(7)).toBe(0);
  way.isBroken = false;
  await vi.advanceTimersByTimeAsync(250);
  expect(await other.closedFor(7)).toBe(await reported.closedFor(7));
  expect(await reported.closedFor(7)).toBe(49_750);
  await vi.advanceTimersByTimeAsync(49_750);
  expect([await reported.closedFor(7), await other.closedFor(7)]).toEqual([0, 0]);
});

test("a longer wait stays, and a store that is unreachable for longer than the wait gets no update", async () => {
  const { reported, other, way } = await world();
  await other.close(7, 30_000);
  expect(await reported.closedFor(7)).toBe(30_000);
  way.isBroken = true;
  await reported.close(7, 40_000);
  await reported.close(7, 5_000);
  expect(await reported.closedFor(7)).toBe(40_000);
  await vi.advanceTimersByTimeAsync(41_000);
  way.isBroken = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await reported.closedFor(7), await other.closedFor(7), vi.getTimerCount()]).toEqual([0, 0, 0]);
});
