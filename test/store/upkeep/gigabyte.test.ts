// How long a gigabyte takes: copied beside a server, and made a store again. NIGHTLY=1 only.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openMemoryFile } from "../../../src/store/memory/memory-file.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import { openQueueFile } from "../../../src/store/queue/clock.ts";
import { backUpStore } from "../../../src/store/upkeep/backup.ts";
import { restoreStore } from "../../../src/store/upkeep/restore.ts";
import { memoryRecord, SPACE } from "../../adapters/contracts/memory.ts";

const MEMORIES = 170_000;
const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: a gigabyte; NIGHTLY=1 takes it");
const root = mkdtempSync(join(tmpdir(), "kodiai-gigabyte-"));
afterAll(() => rmSync(root, { recursive: true }));

/** As in reviews: a vocabulary of 20,000 words, the frequent ones often; from a seed. */
function text(seed: number, words: number): string {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: words }, () => `word${Math.floor(20_000 * next() ** 3)}`).join(" ");
}

/** Half a gigabyte of written reviews and deliveries. */
async function fillQueue(path: string): Promise<void> {
  const db = await openQueueFile(path);
  const findings = text(1, 2_000);
  for (let from = 0; from < 26_000; from += 1_000)
    await db.transaction(async (tx) => {
      for (let n = from; n < from + 1_000; n += 1)
        await tx.run(
          `INSERT INTO reviews (key, head_sha, base_sha, review, written_at, settled_at, outcome)
           VALUES ($1, 'a', 'b', $2, 1, 2, 'posted')`,
          [`github.com/42#${n + 100}`, `{"kind":"review","findings":[],"walkthrough":"${n} ${findings}"}`],
        );
    });
  for (let from = 0; from < 400_000; from += 10_000)
    await db.transaction(async (tx) => {
      for (let n = from; n < from + 10_000; n += 1)
        await tx.run(
          "INSERT INTO deliveries (id, event, received_at, outcome) VALUES ($1, 'pull_request', 1, 'review')",
          [`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`],
        );
    });
  await db.close();
}

/** Half a gigabyte of memories with their terms. */
async function fillMemory(path: string): Promise<void> {
  const db = await openMemoryFile(path);
  const memory = storedMemory(db, () => Promise.resolve());
  for (let from = 0; from < MEMORIES; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      record: memoryRecord({ sourceId: `#7/f${from + at}`, text: text(from + at, 110) }),
      vector: null,
    }));
    await memory.remember(rows, SPACE);
  }
  await db.close();
}

async function timed(what: string, work: () => unknown): Promise<void> {
  const began = performance.now();
  await work();
  console.warn(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

test.runIf(NIGHTLY)(
  "a gigabyte is copied, and made a store again",
  async () => {
    const [home, copy, there] = ["home", "copy", "there"].map((name) => join(root, name)) as [string, string, string];
    mkdirSync(home);
    const [queue, memory] = [join(home, "queue.db"), join(home, "memory.db")];
    await fillQueue(queue);
    await fillMemory(memory);
    const mb = [queue, memory].map((path) => Math.round(statSync(path).size / 1e6));
    console.warn(`queue.db ${mb[0]} MB, memory.db ${mb[1]} MB`);
    await timed("backed up", () => backUpStore(home, copy, 1));
    await timed("restored", () => restoreStore(copy, there, 2));
    const db = await openMemoryFile(join(there, "memory.db"));
    expect(await db.one("SELECT count(*) AS n FROM contents")).toEqual({ n: MEMORIES });
    await db.close();
  },
  1_200_000,
);
