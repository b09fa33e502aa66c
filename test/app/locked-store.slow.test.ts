// Another process holds the write lock of the queue for seconds: deliveries wait or are refused,
// none is lost, and everything else is answered meanwhile. NIGHTLY=1 holds it five times for 10 s,
// else once for 6.5 s.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Deployment, deployment, opened } from "./server-process.ts";

const [TIMES, HELD_MS] = process.env.NIGHTLY === "1" ? [5, 10_000] : [1, 6_500];
const EVERY_MS = 100;
/**
 * On a machine without a free core: GitHub has hung up by then, counts it as failed, and whatever
 * we say reaches nobody.
 */
const LATE = "too late";
/** GitHub gives a receiver ten seconds: docs.github.com, "Best practices for using webhooks". */
const PATIENCE_MS = 10_000;

interface Heard {
  readonly status: number | "cut off";
  readonly isLate: boolean;
}

let deployed: Deployment;
beforeEach(async () => {
  deployed = await deployment();
});
afterEach(() => deployed.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  "a process that holds the lock delays deliveries, loses none and blocks no other [R13]",
  async () => {
    const server = await deployed.start();
    const db = new Database(join(deployed.dataDir, "queue.db"));
    const sent: { readonly id: string; readonly heard: Promise<Heard> }[] = [];
    const health: number[] = [];
    let load = true;
    const sending = (async () => {
      for (let number = 1; load; number += 1) {
        const id = `locked-${number}`;
        const began = performance.now();
        const heard = server.deliver("pull_request", opened(number, 1), id).then((status): Heard => {
          return { status: status ?? "cut off", isLate: performance.now() - began >= PATIENCE_MS };
        });
        sent.push({ id, heard });
        await pause(EVERY_MS);
      }
    })();
    for (let time = 0; time < TIMES; time += 1) {
      db.exec("BEGIN IMMEDIATE");
      for (let held = 0; held < HELD_MS; held += 500) {
        health.push((await fetch(`${server.url}/healthz`)).status);
        await pause(500);
      }
      db.exec("ROLLBACK");
      await pause(500);
    }
    load = false;
    await sending;
    const heard = await Promise.all(sent.map((one) => one.heard));
    const statuses = heard.map(({ status, isLate }) => (isLate ? LATE : status));
    const keeps = db.prepare("SELECT 1 FROM deliveries WHERE id = ?").pluck();
    const lost = sent.filter(({ id }, at) => heard[at]?.status === 202 && keeps.get(id) === undefined);
    const lag = /kodiai_event_loop_lag_seconds ([\d.e-]+)$/m.exec(
      await (await fetch(`${server.adminUrl}/metrics`)).text(),
    );
    console.log(`lock held ${TIMES} × ${HELD_MS} ms: ${tally(statuses)}; event loop late at p99 ${lag?.[1]} s`);
    expect(lost).toEqual([]);
    expect(new Set(statuses.filter((one) => one !== LATE))).toEqual(new Set([202, 503]));
    expect(new Set(health)).toEqual(new Set([200]));
    expect(await server.deliver("ping", {})).toBe(202);
    expect((await server.ready()).status).toBe(200);
    db.close();
  },
  TIMES * 300_000,
);

test("a probe does not wait until the lock of another process is released", async () => {
  const server = await deployed.start();
  const probe = async () => (await fetch(`${server.adminUrl}/healthz`)).status;
  expect(await probe()).toBe(200);
  const db = new Database(join(deployed.dataDir, "queue.db"));
  db.exec("BEGIN IMMEDIATE");
  let isRefused = false;
  const refused = server.deliver("pull_request", opened(1, 1), "held").finally(() => {
    isRefused = true;
  });
  const probes: number[] = [];
  while (!isRefused) probes.push(await probe());
  expect(await refused).toBe(503);
  expect(new Set(probes)).toEqual(new Set([200]));
  // Each waited for a second of the five when it waited with the delivery.
  expect(probes.length).toBeGreaterThan(12);
  db.exec("ROLLBACK");
  db.close();
});

function tally(statuses: readonly (number | string)[]): string {
  return [...new Set(statuses)].map((one) => `${statuses.filter((it) => it === one).length} × ${one}`).join(", ");
}
