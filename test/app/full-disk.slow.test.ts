// A disk that fills while a review runs, and is emptied: a real file system of a few megabytes
// under a real server process.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, startAnthropic } from "../fakes/anthropic/server.ts";
import { drafted } from "../fakes/scripted-model.ts";
import { until } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const disk = mkdtempSync(join(tmpdir(), "kodiai-small-disk-"));
const filler = join(disk, "filler");
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status === 0;
if (!isMounted)
  console.warn("SKIPPED: test/app/full-disk.slow.test.ts needs the right to mount a small tmpfs (run as root)");

afterAll(() => {
  if (isMounted) spawnSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

let deployed: Deployment;
let anthropic: FakeAnthropic;
beforeAll(() => {
  if (isMounted) expect(() => fill()).not.toThrow();
  empty();
});
beforeEach(async () => {
  [deployed, anthropic] = [await deployment(isMounted ? disk : tmpdir()), await startAnthropic()];
});
afterEach(async () => {
  empty();
  await deployed.close();
  await anthropic.close();
});

/** To the last byte. */
function fill(): void {
  const file = openSync(filler, "a");
  for (let size = 1 << 20; size >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch {
      size >>= 1;
    }
  }
  closeSync(file);
}

function empty(): void {
  rmSync(filler, { force: true });
}

function rows<Row>(sql: string): readonly Row[] {
  const db = new Database(join(deployed.dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

test.runIf(isMounted)(
  "a disk that fills during a review and is emptied: the review is posted, and what it cost is in the book [R14]",
  async () => {
    const { world } = deployed;
    const code = `${Array.from({ length: 40 }, (_, at) => `total_${at} = read("total", ${at})`).join("\n")}\n`;
    const draft = drafted({ path: "src/total.py", quote: 'total_7 = read("total", 7)', confidence: 1 });
    let isFull = false;
    anthropic.script((call) => {
      // From the first answer on nothing can be written, neither its cost nor the review.
      if (!isFull) fill();
      isFull = true;
      return call.system.startsWith("You check drafted")
        ? says({ findings: [] })
        : says({ findings: [draft], ruleFindings: [], walkthrough: "Reads totals." });
    });
    const server = await deployed.start({
      ANTHROPIC_BASE_URL: anthropic.url,
      ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    });
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const pull = await world.pullRequest(repository, { title: "Read totals", files: { "src/total.py": code } });
    await until("the disk is full", () => isFull);
    await until("a write failed", () => server.log().includes("SQLITE_FULL"));
    const { reasons } = await notReady(server);
    expect(said(world, pull)).toEqual([]);

    empty();
    await until("the job ended", () => /"state":"(?:done|dead)"/.test(server.log()));
    // A sweep that ran meanwhile may have put a job of the same head in the place of the first.
    expect(rows("SELECT state FROM jobs WHERE lane = 'review' AND state <> 'superseded'")).toEqual([{ state: "done" }]);
    expect(said(world, pull)).toHaveLength(1);
    expect(summaryOf(world, pull).body).toMatch(/^\*\*1 \w+ finding open\*\*/);
    expect(rows<{ questions: number }>("SELECT count(*) AS questions FROM spending")).toEqual([
      { questions: anthropic.requests.length },
    ]);
    expect(rows("SELECT * FROM bookings")).toEqual([]);
    expect(reasons).toEqual(["the store cannot be asked: the disk is full"]);
    expect((await server.ready()).status).toBe(200);
    expect(world.violations).toEqual([]);
  },
);

/** Filled when GitHub is asked this, before it answers. */
const MOMENTS = [
  ["is read", { method: "GET", path: /\/pulls\/\d+\/files/ }],
  ["is summarised", { method: "POST", path: /\/issues\/\d+\/comments$/ }],
  ["is posted", { method: "POST", path: /\/reviews$/ }],
] as const;
/** Each is waited for as long as a server waits before it tries a job again: half a minute. */
const TRIED = process.env.NIGHTLY === "1" ? MOMENTS : MOMENTS.slice(-1);

test.runIf(isMounted)(
  "a disk that fills while a change is read or posted parks no review, and nothing is said twice [R14]",
  async () => {
    const { world } = deployed;
    const server = await deployed.start();
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    for (const [at, match] of TRIED) {
      let isFull = false;
      const happens = () => {
        fill();
        isFull = true;
      };
      world.fail({ match, happens });
      const before = server.log().length;
      const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
      await until(`the disk is full when the change ${at}`, () => isFull);
      await until("a write failed", () => server.log().slice(before).includes("SQLITE_FULL"));
      empty();
      await until("the job ended", () => /"state":"(?:done|dead)"/.test(server.log().slice(before)));
      expect(rows("SELECT state FROM jobs WHERE lane = 'review' ORDER BY id DESC LIMIT 1")).toEqual([
        { state: "done" },
      ]);
      expect(said(world, pull)).toHaveLength(1);
      expect(world.comments(pull).reviews).toHaveLength(1);
    }
    expect(world.violations).toEqual([]);
  },
);

const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
if (!canLimit) console.warn("SKIPPED: a disk that fails needs prlimit (Debian: util-linux)");

test.runIf(canLimit)("a disk that fails while a review is posted parks no review [R14]", async () => {
  const { world } = deployed;
  const server = await deployed.start();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  // Past its limit a process cannot write to any file: SQLite takes that for a failing disk.
  const pid = String(server.child.pid);
  const withWorker = () => [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")];
  const limit = (bytes: string) => {
    for (const one of withWorker()) spawnSync("prlimit", ["--pid", one, `--fsize=${bytes}:`]);
  };
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, happens: () => void limit("1") });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("a write failed", () => server.log().includes("SQLITE_IOERR_WRITE"));
  limit("unlimited");
  await until("the job ended", () => /"state":"(?:done|dead)"/.test(server.log()));
  // A sweep may have added a job here, too.
  const states = rows("SELECT state FROM jobs WHERE lane = 'review' AND state <> 'superseded'");
  expect(states).toEqual([{ state: "done" }]);
  expect(said(world, pull)).toHaveLength(1);
  expect(world.comments(pull).reviews).toHaveLength(1);
  expect(world.violations).toEqual([]);
});

test.runIf(isMounted)(
  "a server that starts on a full disk ends with 3, and starts once there is free space [R14]",
  async () => {
    fill();
    const server = await deployed.launch();
    expect(await server.ended()).toBe(3);
    expect(server.log()).toContain("KODIAI_DATA_DIR: the disk is full");
    // An empty file would look like one that lost its data, once the other file has rows.
    expect(readdirSync(deployed.dataDir)).toEqual([]);
    empty();
    const again = await deployed.start();
    expect((await again.ready()).status).toBe(200);
  },
);

/** A full disk is borne for seconds before it is reported. */
async function notReady(server: ServerProcess): ReturnType<ServerProcess["ready"]> {
  for (;;) {
    const ready = await server.ready();
    if (ready.status === 503) return ready;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
