import { expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { readinessCheck } from "../../src/server/admin-server.ts";

function open() {
  const world = {
    clock: 0,
    draining: false,
    failedAgo: null as number | null,
    used: 1,
    damage: null as string | null,
    error: null as Error | null,
  };
  let probes = 0;
  const check = readinessCheck({
    inbox: {
      async probe() {
        probes += 1;
        if (world.error !== null) throw world.error;
      },
    },
    isDraining: () => world.draining,
    failedAgo: () => world.failedAgo,
    damage: () => world.damage,
    jobs: () => null,
    memory: () => ({ used: world.used, most: 100 }),
    now: () => world.clock,
  });
  return { world, check, probes: () => probes };
}

test("ready means that a delivery could be stored, and each reason against it is reported", async () => {
  const { world, check } = open();
  expect(await check()).toEqual({ ready: true, reasons: [] });
  Object.assign(world, { clock: 1_000, draining: true, used: 96, error: new Error("database or disk is full") });
  expect(await check()).toEqual({
    ready: false,
    reasons: ["the process is stopping", "the store cannot be written", "the process is near its memory limit"],
  });
  Object.assign(world, { clock: 2_000, draining: false, used: 1, error: null });
  expect((await check()).ready).toBe(true);
});

test("a lock of a moment is no reason, one of five seconds is", async () => {
  const { world, check } = open();
  world.error = new Transient("the database is locked");
  expect((await check()).ready).toBe(true);
  world.clock = 4_999;
  expect((await check()).ready).toBe(true);
  world.clock = 6_000;
  expect((await check()).reasons).toEqual(["the store is locked"]);
  Object.assign(world, { clock: 7_000, error: null });
  expect((await check()).ready).toBe(true);
});

test("an unreachable database is reported with the reason", async () => {
  const { world, check } = open();
  world.error = new Transient("the database cannot be reached now (ECONNREFUSED)");
  await check();
  world.clock = 6_000;
  const reasons = ["the store cannot be asked: the database cannot be reached now (ECONNREFUSED)"];
  expect((await check()).reasons).toEqual(reasons);
});

test("the store is asked at most once a second, and a clock that is set back does not stop that", async () => {
  const { world, check, probes } = open();
  for (let times = 0; times < 50; times += 1) await check();
  expect(probes()).toBe(1);
  world.clock = -3_600_000;
  await check();
  expect(probes()).toBe(2);
});

test("a delivery that could not be stored counts for ten seconds, since none follows meanwhile", async () => {
  const { world, check } = open();
  world.failedAgo = 9_999;
  expect((await check()).reasons).toEqual(["the last delivery could not be stored"]);
  world.failedAgo = 10_000;
  expect((await check()).ready).toBe(true);
});

test("a file damaged while the server ran is reported", async () => {
  const { world, check } = open();
  world.damage = "queue.db is damaged: see the log";
  expect(await check()).toEqual({ ready: false, reasons: ["queue.db is damaged: see the log"] });
});
