// Clocks on the wall are set: by NTP after an outage, by administrators, by machines that wake up. What waits, waits for as long as
// it was to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openStore } from "../../../src/wire/store.ts";
import { reviewJob } from "../contracts/queue.ts";

const MINUTE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "steady-clock-"));
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test("whoever sets the clock on the wall back and forth starts no job too early, and lets none starve", async () => {
  const start = Date.now();
  // The clock on the wall alone: what has passed since the machine started goes on.
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  const store = openStore(folder);
  const { queue } = store;
  const set = (minutes: number) => vi.setSystemTime(start + minutes * MINUTE_MS);
  await queue.add(reviewJob(1, "a"), Date.now());
  await queue.beat(Date.now());
  for (const minutes of [-60, -10, 0, 10, 60, -60]) {
    set(minutes);
    const lease = await queue.lease(Date.now());
    if (lease === null) throw new Error(`a job starved when the clock was set by ${minutes} minutes`);
    // In a minute, or at once: an hour more or less on the wall makes neither of the other.
    await queue.end(lease, Date.now(), { state: "retry", at: Date.now() + MINUTE_MS, reason: "502" });
    for (const other of [60, -60, minutes]) {
      set(other);
      expect(await queue.lease(Date.now())).toBeNull();
      expect(Math.abs(((await queue.nextAt()) ?? 0) - Date.now() - MINUTE_MS)).toBeLessThan(MINUTE_MS / 2);
    }
    await queue.drop(lease.job.key, "tried", Date.now());
    await queue.add(reviewJob(1, "a"), Date.now());
  }
  // Nobody is taken for dead because an hour seems to have passed.
  const held = await queue.lease(Date.now());
  set(60);
  expect(await queue.beat(Date.now())).toBe(0);
  expect(held !== null && (await queue.holds(held))).toBe(true);
  await store.close();
});

test("a clock that is set while a delivery waits to be kept puts off none of its jobs, nor those of the push after it", async () => {
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start + 45 * MINUTE_MS });
  const store = openStore(join(folder, "set-meanwhile"));
  const { queue, inbox } = store;
  const received = (sha: string) => {
    const job = reviewJob(1, sha);
    return { delivery: { id: job.delivery, event: "pull_request", receivedAt: Date.now() }, outcome: job, beside: [] };
  };
  const [first, second] = [received("a"), received("b")];
  vi.setSystemTime(start);
  await inbox.take([first]);
  await queue.accept(second.delivery, second.outcome);
  expect((await queue.nextAt()) ?? 0).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(await store.jobs.list(["waiting"], 10)).toHaveLength(1);
  await store.close();
});
