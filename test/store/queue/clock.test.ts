// Clocks on the wall are set: by NTP after an outage, by administrators, by machines that wake up.
// What waits, waits for as long as it was to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedInbox } from "../../../src/store/queue/deliveries.ts";
import { storedJobAdmin } from "../../../src/store/queue/job-admin.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";

const MINUTE_MS = 60_000;
const folders: string[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The path of a queue.db that does not exist yet. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "queue-clock-"));
  folders.push(folder);
  return join(folder, "queue.db");
}

test("a wall clock that is set back and forth starts no job too early, and lets none starve [R20]", async () => {
  const start = Date.now();
  // The clock on the wall alone: what has passed since the machine started goes on.
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  const db = await openQueueFile(newFile());
  const queue = storedQueue(db);
  const set = (minutes: number) => vi.setSystemTime(start + minutes * MINUTE_MS);
  await queue.add(reviewJob(1, "a"), Date.now());
  await queue.heartbeat();
  for (const minutes of [-60, -10, 0, 10, 60, -60]) {
    set(minutes);
    const lease = await queue.lease();
    if (lease === null) throw new Error(`a job starved when the clock was set by ${minutes} minutes`);
    // In a minute, or at once: an hour more or less on the wall makes neither of the other.
    await queue.end(lease, { state: "retry", inMs: MINUTE_MS, reason: "502" });
    for (const other of [60, -60, minutes]) {
      set(other);
      expect(await queue.lease()).toBeNull();
      const [waiting] = await storedJobAdmin(db).list(["waiting"], 1);
      expect(Math.abs((waiting?.dueInMs ?? 0) - MINUTE_MS)).toBeLessThan(MINUTE_MS / 2);
    }
    await queue.drop(lease.job.key, "tried");
    await queue.add(reviewJob(1, "a"), Date.now());
  }
  // No process is taken for dead because an hour seems to have passed.
  const held = await queue.lease();
  set(60);
  expect(await queue.heartbeat()).toBe(0);
  expect(held !== null && (await queue.leaseState(held))).toBe("held");
  await db.close();
});

test("a clock that is set while a delivery waits to be kept puts off none of its jobs, nor those of the push after it", async () => {
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start + 45 * MINUTE_MS });
  const db = await openQueueFile(newFile());
  const queue = storedQueue(db);
  const received = (sha: string) => {
    const job = reviewJob(1, sha);
    return {
      delivery: { id: job.delivery, event: "pull_request", receivedAt: Date.now(), meaning: null },
      outcome: job,
      beside: [],
    };
  };
  const [first, second] = [received("a"), received("b")];
  vi.setSystemTime(start);
  await storedInbox(db).take([first]);
  await queue.accept(second.delivery, second.outcome);
  expect(await storedJobAdmin(db).list(["waiting"], 10)).toMatchObject([{ dueInMs: 0 }]);
  await db.close();
});
