// SIGTERM at random moments under load: while it starts, once or twice, the process ends with 0, loses nothing that it
// accepted and leaves its files whole. SLOW=1 tries 200 moments, else two.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BACKUP } from "./given.ts";
import { type Deployment, deployment, opened, type ServerProcess } from "./server-process.ts";
import { until } from "./stage.ts";

const SLOW = process.env.SLOW === "1";
const SEED = 20_261_122;

let deployed: Deployment;
beforeEach(async () => {
  deployed = await deployment();
});
afterEach(() => deployed.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A whole and checked file without a log beside it; null when the process never came to making one. */
function queueFile(): Database.Database | null {
  const path = join(deployed.dataDir, "queue.db");
  if (!existsSync(path)) return null;
  const log = `${path}-wal`;
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  const db = new Database(path);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  return db;
}

/** mulberry32: the same moments each time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function load(server: ServerProcess, round: number, accepted: string[], isOver: () => boolean): Promise<void> {
  for (let number = 1; !isOver(); number += 1) {
    const id = `${round}-${number}`;
    const status = await server.deliver("pull_request", opened(round * 1_000 + number, 1), id);
    if (status === 202) accepted.push(id);
    if (status === null) await pause(5);
  }
}

test(
  "at any moment under load",
  async () => {
    const random = randomOf(SEED);
    const accepted: string[] = [];
    for (let round = 0; round < (SLOW ? 200 : 2); round += 1) {
      const server = await deployed.launch();
      let over = false;
      const loading = load(server, round, accepted, () => over);
      // Every other moment lies in the start, which takes about a second.
      const isStarting = round % 2 === 0;
      if (!isStarting) await until("it listens", () => server.log().includes("Kodiai is listening"));
      else await until("it began", () => server.child.pid !== undefined && existsSync(`/proc/${server.child.pid}`));
      await pause(300 + random() * 1_200);
      server.child.kill("SIGTERM");
      if (random() < 0.5) {
        await pause(random() * 100);
        server.child.kill("SIGTERM");
      }
      expect({ round, ended: await server.ended(), log: server.log() }).toMatchObject({ round, ended: 0 });
      over = true;
      await loading;
      queueFile()?.close();
    }
    const db = queueFile();
    const keeps = db?.prepare("SELECT 1 FROM deliveries WHERE id = ?").pluck();
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.filter((id) => keeps?.get(id) === undefined)).toEqual([]);
    db?.close();
  },
  SLOW ? 40 * 60_000 : 120_000,
);

test("while it stops it refuses deliveries and says that it is not ready, and the review that runs comes to its end", async () => {
  const { world } = deployed;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const server = await deployed.start();
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, delay: 1_500, onlyHeaders: true, headers: {} });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  const isPosting = () => world.requests.some(({ method, path }) => method === "POST" && path.endsWith("/reviews"));
  await until("the review is being posted", isPosting);
  server.child.kill("SIGTERM");
  await until("it stops", () => server.log().includes("stopping"));
  expect(await server.deliver("ping", {}, "late")).toBe(503);
  const { status, reasons } = await server.ready();
  expect({ status, reasons }).toEqual({ status: 503, reasons: ["the process is stopping"] });
  expect(await server.ended()).toBe(0);
  expect(world.comments(pull).reviews).toHaveLength(1);
  const db = queueFile();
  expect(db?.prepare("SELECT state, count(*) FROM jobs WHERE lane = 'review' GROUP BY state").raw().all()).toEqual([
    ["done", 1],
  ]);
  expect(db?.prepare("SELECT 1 FROM deliveries WHERE id = 'late'").get()).toBeUndefined();
  db?.close();
});
