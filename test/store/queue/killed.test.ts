// A process that is killed between two statements of a transaction: all of it is there afterwards,
// or nothing.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { storedQueue } from "../../../src/store/queue/queue.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import type { Database } from "../../../src/store/sql.ts";
import { testDatabase } from "../../postgres.ts";

const PROCESS = fileURLToPath(new URL("killed-process.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "kodiai-killed-"));
const given = await testDatabase([]);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await given?.drop();
});

interface Place {
  readonly name: string;
  readonly address: string;
  open(): Promise<Database>;
}

const path = join(folder, "queue.db");
const PLACES: readonly Place[] = [
  { name: "SQLite", address: path, open: () => openQueueFile(path) },
  ...(given === null
    ? []
    : [
        {
          name: "PostgreSQL",
          address: given.url,
          async open() {
            const db = openPostgres(given.url);
            await migrate(db, [QUEUE_PART], "the test database");
            return db;
          },
        },
      ]),
];

/** How it ended, and what it said before. */
function run(address: string, work: string, when: string): Promise<{ signal: string | null; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROCESS, address, work, when], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (text) => {
      said += String(text);
    });
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve({ signal, said: said.trim() }));
  });
}

/** After a restart. */
async function asItIs<T>(place: Place, look: (db: Database) => Promise<T>): Promise<T> {
  const db = await place.open();
  try {
    return await look(db);
  } finally {
    await db.close();
  }
}

const counted = (db: Database) =>
  db.one(`SELECT (SELECT count(*) FROM deliveries) AS deliveries, (SELECT count(*) FROM jobs) AS jobs`);

describe.each(PLACES)("on $name", (place) => {
  test("deliveries that came together are all kept, each with its job, or none is", async () => {
    await asItIs(place, counted);
    // Between the deliveries and their jobs, and before the commit.
    for (const when of ["INSERT INTO jobs", "COMMIT"]) {
      expect(await run(place.address, "take", when)).toEqual({ signal: "SIGKILL", said: "" });
      expect(await asItIs(place, counted)).toEqual({ deliveries: 0, jobs: 0 });
    }
    // After the commit, before GitHub has its answer: it delivers again, and nothing is kept twice.
    expect(await run(place.address, "take", "after")).toEqual({ signal: "SIGKILL", said: "" });
    expect(await asItIs(place, counted)).toEqual({ deliveries: 3, jobs: 3 });
    expect(await run(place.address, "take", "never")).toEqual({ signal: null, said: "[false,false,false]" });
    expect(await asItIs(place, counted)).toEqual({ deliveries: 3, jobs: 3 });
  });

  test("a job whose end was not committed is the dead process's, and the next process takes it back", async () => {
    for (const when of ["UPDATE jobs", "COMMIT"]) {
      expect(await run(place.address, "end", when)).toEqual({ signal: "SIGKILL", said: "" });
      await asItIs(place, async (db) => {
        const states = () => db.all("SELECT state, attempt, outcome FROM jobs WHERE token > 0");
        expect(await states()).toEqual([{ state: "running", attempt: 1, outcome: null }]);
        // It left no mark (see processMark), so it would have to be silent for a while.
        await db.run("DELETE FROM instances");
        expect(await storedQueue(db).heartbeat()).toBe(1);
        expect(await states()).toEqual([{ state: "waiting", attempt: 0, outcome: null }]);
      });
    }
  });
});
