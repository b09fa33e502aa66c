import { expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import type { Arrival } from "../../src/ports/inbox.ts";
import { committer } from "../../src/server/take-delivery.ts";

const arrival = (id: string): Arrival => ({
  delivery: { id, event: "ping", receivedAt: 1, meaning: null },
  outcome: { kind: "ignored", delivery: id, reason: "a test" },
  beside: [],
});

interface World {
  readonly taken: string[][];
  locked: boolean;
  broken: Error | null;
  /** Deliveries that find room in one transaction. */
  most: number;
  clock: number;
}

function open() {
  const world: World = { taken: [], locked: false, broken: null, most: 64, clock: 0 };
  const seen = new Set<string>();
  const inbox = {
    async take(batch: readonly Arrival[]) {
      if (world.locked) throw new Transient("the database is locked");
      if (world.broken !== null) throw world.broken;
      if (batch.length > world.most) throw new Transient("the disk is full");
      const ids = batch.map(({ delivery }) => delivery.id);
      if (ids.includes("poison")) throw new Error("cannot be kept");
      world.taken.push(ids);
      return ids.map((id) => !seen.has(id) && seen.add(id) !== undefined);
    },
    probe: () => Promise.resolve(),
  };
  return { world, commits: committer(inbox, () => world.clock) };
}

test("what comes in at the same time is kept in one transaction, and each learns whether it is new", async () => {
  const { world, commits } = open();
  const all = ["a", "b", "a", "c"].map((id) => commits.commit(arrival(id)));
  expect(await Promise.all(all)).toEqual([true, true, false, true]);
  expect(world.taken).toEqual([["a", "b", "a", "c"]]);
});

test("no delivery waits behind more than a transaction's worth of others", async () => {
  const { world, commits } = open();
  await Promise.all(Array.from({ length: 200 }, (_, index) => commits.commit(arrival(String(index)))));
  expect(world.taken.map((batch) => batch.length)).toEqual([64, 64, 64, 8]);
});

test("a lock is waited for without blocking others, and waiting deliveries are stored when it is released", async () => {
  const { world, commits } = open();
  world.locked = true;
  const waiting = [commits.commit(arrival("a")), commits.commit(arrival("b"))];
  await new Promise((resolve) => setTimeout(resolve, 60));
  world.locked = false;
  expect(await Promise.all(waiting)).toEqual([true, true]);
  expect(commits.failedAgo()).toBeNull();
});

test("after five seconds of a lock nothing is kept, and its sender must come again [R1]", async () => {
  const { world, commits } = open();
  world.locked = true;
  const waiting = commits.commit(arrival("a"));
  await new Promise((resolve) => setTimeout(resolve, 40));
  world.clock = 5_000;
  await expect(waiting).rejects.toThrow(Transient);
  world.clock = 5_700;
  expect(commits.failedAgo()).toBe(700);
  world.locked = false;
  expect(await commits.commit(arrival("b"))).toBe(true);
  expect(world.taken).toEqual([["b"]]);
});

test("one that cannot be kept takes no other with it", async () => {
  const { world, commits } = open();
  const all = ["a", "poison", "b"].map((id) => commits.commit(arrival(id)));
  expect(await Promise.allSettled(all)).toMatchObject([{ value: true }, { status: "rejected" }, { value: true }]);
  expect(world.taken).toEqual([["a"], ["b"]]);
});

test("a store that saves nothing is reported to all, and is cleared with the first that is saved again", async () => {
  const { world, commits } = open();
  world.broken = new Error("database or disk is full");
  await expect(commits.commit(arrival("a"))).rejects.toThrow("disk is full");
  world.clock = 700;
  expect(commits.failedAgo()).toBe(700);
  world.broken = null;
  expect(await commits.commit(arrival("a"))).toBe(true);
  expect(commits.failedAgo()).toBeNull();
});

test("on a full disk one delivery is stored where many find no space", async () => {
  const { world, commits } = open();
  world.most = 1;
  const all = ["a", "b"].map((id) => commits.commit(arrival(id)));
  expect(await Promise.all(all)).toEqual([true, true]);
  expect(world.taken).toEqual([["a"], ["b"]]);
});
