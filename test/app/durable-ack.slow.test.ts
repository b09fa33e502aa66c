// What "accepted" means: on disk before it is said; and what is said when the disk does not keep
// it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "./app-harness.ts";
import { type Deployment, deployment, opened } from "./server-process.ts";
import { canTrace, failing, tracing, unsyncedAnswers } from "./strace.ts";

let deployed: Deployment;
beforeEach(async () => {
  deployed = await deployment();
});
afterEach(() => deployed.close());

const kept = (id: string) => {
  const db = new Database(join(deployed.dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare("SELECT outcome FROM deliveries WHERE id = ?").pluck().get(id);
  } finally {
    db.close();
  }
};

test("the check of a trace sees an answer that came too early", () => {
  const write = '7 pwrite64(20</d/queue.db-wal>, "x", 4096, 0) = 4096';
  const sync = "7 fdatasync(20</d/queue.db-wal>) = 0";
  const answer = '7 writev(21<socket:[5]>, [{iov_base="HTTP/1.1 202 Accepted\\r\\n"',
    _ = "";
  expect(unsyncedAnswers([write, sync, answer, write, sync, answer, _].join("\n"))).toEqual([]);
  expect(unsyncedAnswers([write, answer, sync].join("\n"))).toHaveLength(2);
  expect(unsyncedAnswers([write, sync, answer, answer].join("\n"))).toHaveLength(1);
  const request = '7 read(21<socket:[5]>, "POST /api/github/webhooks HTTP/1.1\\r\\n"..., 65536) = 900';
  expect(unsyncedAnswers([request, write, sync, answer, request, write, sync, answer].join("\n"))).toEqual([]);
  expect(unsyncedAnswers([write, sync, request, answer, write, sync, request, answer].join("\n"))).toHaveLength(2);
  const late = ["7 fdatasync(20</d/queue.db-wal> <unfinished ...>", answer, "7 <... fdatasync resumed>) = 0"];
  expect(unsyncedAnswers([write, ...late].join("\n"))).toHaveLength(2);
  expect(unsyncedAnswers([write, "7 fdatasync(20</d/queue.db-wal>) = -1 EIO", answer].join("\n"))).toHaveLength(2);
  expect(unsyncedAnswers("")).toEqual(["no answer"]);
});

describe.runIf(canTrace())("seen at the level of the system", () => {
  test("a delivery is synced to disk before 202 is written, after a restart as well [R1]", async () => {
    for (const round of [1, 2]) {
      const file = join(deployed.dataDir, `trace-${round}`);
      const server = await deployed.start({}, tracing(file));
      for (let number = 1; number <= 5; number += 1)
        expect(await server.deliver("ping", { zen: number }, `${round}-${number}`)).toBe(202);
      // Server and tracer: one that loses only its tracer lives on.
      process.kill(-(server.child.pid ?? 0), "SIGKILL");
      await server.ended();
      await until("the trace is written", () => readFileSync(file, "utf8").split('"HTTP/1.1 202').length > 5);
      expect(unsyncedAnswers(readFileSync(file, "utf8"))).toEqual([]);
      for (let number = 1; number <= 5; number += 1) expect(kept(`${round}-${number}`)).toBe("ignored");
    }
  });

  test.each(["ENOSPC", "EROFS"])(
    "a disk that answers %s: 503 and not ready, and both end by themselves with the trouble",
    async (error) => {
      const server = await deployed.start();
      expect(await server.deliver("ping", {}, "before")).toBe(202);
      const log = join(deployed.dataDir, "queue.db-wal");
      const trouble = await failing(server.child.pid ?? 0, log, `pwrite64:error=${error}`);
      expect(await server.deliver("pull_request", opened(1, 1), "during")).toBe(503);
      const red = await server.ready();
      expect(red.status).toBe(503);
      expect(red.reasons).toContain("the last delivery could not be stored");
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await trouble.stop();
      expect(await server.deliver("pull_request", opened(1, 1), "during")).toBe(202);
      let status = 0;
      const look = setInterval(async () => (status = (await server.ready()).status), 100);
      await until("it is ready again", () => status === 200).finally(() => clearInterval(look));
      expect([kept("before"), kept("during")]).toEqual(["ignored", "review"]);
      server.child.kill("SIGTERM");
      expect(await server.ended()).toBe(0);
    },
  );

  test("a sync that fails ends the process, and what it was for was never accepted [R14]", async () => {
    const server = await deployed.start();
    const log = join(deployed.dataDir, "queue.db-wal");
    await failing(server.child.pid ?? 0, log, "fdatasync,fsync:error=EIO");
    expect(await server.deliver("ping", {}, "lost")).not.toBe(202);
    expect(await server.ended()).toBe(3);
    expect(server.log()).toContain("a write could not be synced to disk");
    const again = await deployed.start();
    expect(await again.deliver("ping", {}, "lost")).toBe(202);
  });
});
