// From a signed request to the committed job, over HTTP: verified once, handed to Probot, answered
// when its handler has committed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { loggedError } from "../../src/server/serve.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { opened, signedPost } from "./server-process.ts";

const FORMER = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";
/** Words of a pull request, which are for its readers. */
const CANARY = "the-words-of-a-private-pull-request";
const lines: string[] = [];

let harness: Harness;
/** The queue's file, as another process has it open. */
let file: Database.Database;
beforeAll(async () => {
  harness = await openHarness({
    app: {
      formerSecret: { secret: FORMER, until: Date.now() + 60 * 60_000 },
      workers: 0,
      log: pino(
        { level: "trace", serializers: { err: loggedError, error: loggedError } },
        { write: (line: string) => void lines.push(line) },
      ),
    },
  });
  file = new Database(join(harness.dataDir, "queue.db"));
});
beforeEach(() => void lines.splice(0));
afterEach(() => expect(lines.join("")).not.toContain(CANARY));
afterAll(async () => {
  file.close();
  await harness.close();
});

let serial = 0;

/** A pull request that nobody has sent before. */
function pullRequest(more: object = {}): object {
  serial += 1;
  return { ...opened(serial, 1, { body: CANARY }), ...more };
}

function send(payload: object | string, { event = "pull_request", id = `delivery-${serial}`, secret = "" } = {}) {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  return signedPost(harness.url(), secret || harness.world.appCredentials.webhookSecret, { event, body, id });
}

/** All that the store has of a delivery. */
function kept(id = `delivery-${serial}`) {
  const jobs = file.prepare("SELECT lane FROM jobs WHERE job LIKE ? ORDER BY id").pluck().all(`%"${id}"%`);
  return { outcome: harness.outcomeOf(id)?.outcome ?? null, jobs };
}

const NOTHING = { outcome: null, jobs: [] };
const REVIEW = { outcome: "review", jobs: ["review"] };

test("a delivery and its jobs are on disk when 202 is answered [R1]", async () => {
  expect(await send(pullRequest())).toBe(202);
  expect(kept()).toEqual(REVIEW);
  expect(await send(pullRequest({ action: "closed" }))).toBe(202);
  expect(kept()).toEqual({ outcome: "cancel", jobs: ["upkeep", "upkeep"] });
});

test("a delivery is taken with the former secret, and with no other", async () => {
  expect(await send(pullRequest(), { secret: FORMER })).toBe(202);
  expect(kept()).toEqual(REVIEW);
  expect(await send(pullRequest(), { secret: "f".repeat(64) })).toBe(401);
  expect(kept()).toEqual(NOTHING);
});

test.each(["", "{", `{"a": "${CANARY}"`, "null", "[]", `"${CANARY}"`, `{"a": "${CANARY}"}}`])(
  "a signed body that is no JSON object is refused, for any event: %j",
  async (body) => {
    serial += 1;
    for (const event of ["pull_request", "fork"]) expect(await send(body, { event })).toBe(400);
    expect(kept()).toEqual(NOTHING);
  },
);

test("an event named as Probot names its own is refused", async () => {
  expect(await send(pullRequest(), { event: "error" })).toBe(400);
  expect(await send(pullRequest(), { event: "__proto__" })).toBe(400);
});

test.each([
  ["an installation without a number", { installation: { id: "text" } }],
  ["no installation", { installation: null }],
  ["an action that is no text", { action: { toString: 1 } }],
  ["an action that is a list", { action: [{ toString: 1 }] }],
])("a delivery with %s is taken and ignored", async (_, odd) => {
  expect(await send(pullRequest(odd))).toBe(202);
  expect(kept()).toEqual({ outcome: "ignored", jobs: [] });
});

test("where the handler fails, 503 is answered, nothing is stored, and the log has the error without the payload [R1]", async () => {
  file.exec("CREATE TRIGGER refuse BEFORE INSERT ON jobs BEGIN SELECT RAISE(ABORT, 'no jobs today'); END");
  expect(await send(pullRequest())).toBe(503);
  expect(kept()).toEqual(NOTHING);
  file.exec("DROP TRIGGER refuse");
  const [line = "", ...others] = lines.filter((one) => one.includes('"level":50'));
  expect(line).toContain("no jobs today");
  expect(line).toContain(`"id":"delivery-${serial}"`);
  expect(others).toEqual([]);
  expect(await send(opened(serial, 1))).toBe(202);
  expect(kept()).toEqual(REVIEW);
});

test("a delivery that comes twice makes one job", async () => {
  const payload = pullRequest();
  expect(await Promise.all([send(payload), send(payload)])).toEqual([202, 202]);
  expect(await send(payload)).toBe(202);
  expect(kept()).toEqual(REVIEW);
  expect(await send(payload, { id: "redelivered" })).toBe(202);
  expect(kept("redelivered")).toEqual({ outcome: "ignored", jobs: [] });
});

test("deliveries that come in at the same time are committed together", async () => {
  // Somebody who reads keeps the log: no checkpoint empties it meanwhile.
  const reader = new Database(join(harness.dataDir, "queue.db"), { readonly: true });
  reader.exec("BEGIN; SELECT 1 FROM jobs");
  const before = commits();
  file.exec("BEGIN IMMEDIATE");
  const all = Array.from({ length: 30 }, (_, at) => send({ zen: CANARY }, { event: "ping", id: `at-once-${at}` }));
  // Their handlers wait for the lock: the answer to each comes after it.
  await until("they are received", () => lines.filter((line) => line.includes("Webhook received")).length === 30);
  file.exec("COMMIT");
  expect(await Promise.all(all)).toEqual(Array(30).fill(202));
  // One that tries whether the lock is free, then all others; a sign of life may come between.
  expect(commits() - before).toBeLessThan(6);
  reader.close();
  expect(harness.outcomeOf("at-once-29")?.outcome).toBe("ignored");
});

/**
 * Transactions in the write-ahead log: their last frames hold the size of the file.
 * sqlite.org/fileformat2.html#the_write_ahead_log
 */
function commits(): number {
  const log = readFileSync(join(harness.dataDir, "queue.db-wal"));
  if (log.length === 0) return 0;
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) !== 0) count += 1;
  return count;
}
