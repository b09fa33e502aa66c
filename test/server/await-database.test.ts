import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { awaitDatabase } from "../../src/server/await-answer.ts";

const log = pino({ level: "silent" });
const at = { host: "127.0.0.1", port: 0 };
const away = new Transient("the database cannot be reached now (ECONNREFUSED)");

test("a database that answers is not waited for", async () => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.resolve();
  };
  // The address is not of this machine, so that listening there would fail; a pause would take a
  // turn of the event loop.
  const answered = awaitDatabase(ask, { host: "203.0.113.1", port: 1, log }).then(() => "at once");
  expect(await Promise.race([answered, nextTurn("later")])).toBe("at once");
  expect(asked).toBe(1);
});

test("after a while it is given up, with what was wrong last", async () => {
  let asked = 0;
  const ask = () => Promise.reject(++asked === 1 ? new Transient("starting up") : away);
  await expect(awaitDatabase(ask, { ...at, log, mostMs: 1_000 })).rejects.toBe(away);
  expect(asked).toBeGreaterThan(1);
});

test("a permanent failure ends the wait at once, and so does a job that is no longer wanted", async () => {
  let asked = 0;
  const wrong = new Error("no such database");
  const ask = () => Promise.reject(++asked === 1 ? away : wrong);
  await expect(awaitDatabase(ask, { ...at, log })).rejects.toBe(wrong);
  const unwanted = AbortSignal.timeout(20);
  await expect(awaitDatabase(() => Promise.reject(away), { ...at, log, unwanted })).rejects.toBe(away);
});
