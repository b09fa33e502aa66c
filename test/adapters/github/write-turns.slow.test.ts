// Two processes on one store and a GitHub that notes when each write arrives: by a clock that only
// the test moves.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type WriteTurns, writeTurns } from "../../../src/adapters/github/write/write-path.ts";
import { processMark } from "../../../src/adapters/process-mark.ts";
import { Transient } from "../../../src/domain/errors.ts";
import { storedInstallationPace } from "../../../src/store/reviews/writes.ts";
import { sqliteInMemory } from "../../store/databases.ts";

/**
 * Time stands still until nobody has anything to do, and then jumps to the next moment that
 * somebody waits for.
 */
function clock() {
  let at = 1_000_000;
  const waiting: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => at,
    wait: (ms: number) => new Promise<void>((wake) => waiting.push({ until: at + ms, wake })),
    async runUntil(done: Promise<unknown>): Promise<void> {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      done.then(end, end);
      for (let steps = 0; steps < 100_000; steps += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isDone) return;
        const next = waiting.toSorted((a, b) => a.until - b.until)[0];
        if (next === undefined) continue;
        waiting.splice(waiting.indexOf(next), 1);
        at = Math.max(at, next.until);
        next.wake();
      }
      throw new Error("no end in sight");
    },
  };
}

interface Write {
  /** Which of the two processes. */
  readonly process: 0 | 1;
  readonly installation: number;
  /** Between the turn and the request: a busy machine, a last look at the head. */
  readonly before: number;
  /** Until GitHub has answered. */
  readonly takes: number;
  readonly fails: boolean;
}

async function world() {
  const time = clock();
  const pace = storedInstallationPace(await sqliteInMemory(time.now));
  const processes = [0, 1].map(() => writeTurns(pace, time.wait)) as [WriteTurns, WriteTurns];
  const arrivals: { readonly installation: number; readonly at: number; readonly end: number; readonly no: number }[] =
    [];
  const send = ({ process, installation, before, takes, fails }: Write, no: number) =>
    processes[process].take(installation, async (keep) => {
      await time.wait(before);
      await keep();
      const at = time.now();
      await time.wait(takes);
      arrivals.push({ installation, at, end: time.now(), no });
      if (fails) throw new Transient("the answer was lost");
      return no;
    });
  return { time, pace, arrivals, send, processes };
}

const write = fc.record({
  process: fc.constantFrom(0 as const, 1 as const),
  installation: fc.constantFrom(7, 8),
  // A process may stand still for longer than its turn lasts.
  before: fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 3_000 }) }, fc.integer({ min: 30_000, max: 70_000 })),
  takes: fc.nat({ max: 5_000 }),
  fails: fc.boolean(),
});

test("no write of an installation begins earlier than a second after the end of the one before, however late each was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 2, maxLength: 8 }), async (writes) => {
      const { time, arrivals, send } = await world();
      const all = Promise.allSettled(writes.map(send));
      await time.runUntil(all);
      const ends = await all;
      const isSent = (no: number) => arrivals.some((one) => one.no === no);
      for (const [no, { before, fails }] of writes.entries()) {
        expect(ends[no]?.status).toBe(isSent(no) && !fails ? "fulfilled" : "rejected");
        // Within its turn nobody is turned away.
        expect(isSent(no) || before >= 31_000).toBe(true);
      }
      for (const installation of [7, 8]) {
        const own = arrivals.filter((one) => one.installation === installation);
        for (const [index, one] of own.entries()) {
          if (index > 0) expect(one.at - (own[index - 1]?.end ?? 0)).toBeGreaterThanOrEqual(1_000);
        }
        // Those of one process go in the order in which they came.
        for (const process of [0, 1]) {
          const order = own.map(({ no }) => no).filter((no) => writes[no]?.process === process);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("a job that is delayed between its turn and its request keeps the next one waiting", async () => {
  const { time, arrivals, send } = await world();
  const common = { installation: 7, takes: 50, fails: false };
  const delayed = send({ ...common, process: 0, before: 4_000 }, 0);
  const other = send({ ...common, process: 1, before: 0 }, 1);
  await time.runUntil(Promise.all([delayed, other]));
  expect(arrivals.map(({ no }) => no)).toEqual([0, 1]);
  expect((arrivals[1]?.at ?? 0) - (arrivals[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_050);
});

test("a process that paused for longer than its turn writes nothing in another's turn [R8]", async () => {
  const { time, arrivals, send } = await world();
  const common = { installation: 7, takes: 50, fails: false };
  const frozen = send({ ...common, process: 0, before: 31_500 }, 0);
  const other = send({ ...common, process: 1, before: 900 }, 1);
  const all = Promise.allSettled([frozen, other]);
  await time.runUntil(all);
  expect((await all)[0]).toMatchObject({ status: "rejected", reason: expect.any(Transient) });
  expect(arrivals.map(({ no }) => no)).toEqual([1]);
});

test("installations do not wait for each other", async () => {
  const { time, arrivals, send } = await world();
  const common = { process: 0, before: 0, takes: 1_000, fails: false } as const;
  const begun = time.now();
  await time.runUntil(Promise.all([7, 8, 9].map((installation, no) => send({ ...common, installation }, no))));
  expect(arrivals.map(({ at }) => at - begun)).toEqual([0, 0, 0]);
});

test("the turn of a dead process is free a second later, that of a paused one when its time is over", async () => {
  const { time, arrivals, send, processes } = await world();
  const db = await sqliteInMemory(time.now);
  const [boot, namespace] = processMark()?.split(" ") ?? [];
  // No process has this number.
  const dead = storedInstallationPace(db, `${boot} ${namespace} 4194305 1`);
  const living = storedInstallationPace(db, processMark());
  expect(await dead.takeTurn(7, 31_000)).not.toBeNull();
  const begun = time.now();
  const next = writeTurns(living, time.wait).take(7, () => Promise.resolve(time.now() - begun));
  await time.runUntil(next);
  // Where the system tells processes apart; else the turn runs out.
  expect(await next).toBe(processMark() === null ? 31_000 : 1_000);

  void processes[0].take(7, () => new Promise(() => {}));
  await time.runUntil(send({ process: 1, installation: 7, before: 0, takes: 10, fails: false }, 0));
  expect(arrivals).toHaveLength(1);
});

test("a turn that cannot be given back costs the write nothing", async () => {
  const { time, pace } = await world();
  let asked = 0;
  const locked = {
    ...pace,
    endTurn: () => {
      asked += 1;
      return Promise.reject(new Transient("the database is locked"));
    },
  };
  const written = writeTurns(locked, time.wait).take(7, () => Promise.resolve("posted"));
  await time.runUntil(written);
  expect(await written).toBe("posted");
  expect(asked).toBe(3);
});
