import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurn } from "../../src/wire/job-ports.ts";

/** Turns that others had while this was done. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const others = async () => {
    for (;;) {
      await turn();
      if (isOver) return;
      turns += 1;
    }
  };
  const waiting = others();
  await work();
  isOver = true;
  await waiting;
  return turns;
}

test("new work continues at once: a thousand small steps yield to no other", async () => {
  const pause = inTurn(60_000);
  await pause();
  const turns = await turnsDuring(async () => {
    for (let step = 0; step < 1_000; step += 1) await pause();
  });
  expect(turns).toBe(0);
});

test("once the thread was held for long enough others have their turn, whichever of two works asks first", async () => {
  const pause = inTurn(0);
  const steps = async () => {
    for (let step = 0; step < 5; step += 1) await pause();
  };
  expect(await turnsDuring(steps)).toBeGreaterThanOrEqual(4);
  expect(await turnsDuring(() => Promise.all([steps(), steps()]).then(() => {}))).toBeGreaterThanOrEqual(4);
});
