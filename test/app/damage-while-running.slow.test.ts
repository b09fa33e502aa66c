// A page of a file rots while the server runs: the next look at the files, or the next question
// that meets it, finds it.
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { type Deployment, deployment } from "./server-process.ts";

let harness: Harness | Deployment;
afterEach(() => harness.close());

/** The first page of a table: of memory's records, or of the queue's jobs. */
function rot(name: "memory.db" | "queue.db" = "memory.db"): void {
  const path = join(harness.dataDir, name);
  const db = new Database(path);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const table = name === "memory.db" ? "records" : "jobs";
  const root = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").pluck().get(table) as number;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(2_048, 0xff), 0, 2_048, (root - 1) * 4_096);
  closeSync(file);
  // After another's write a connection believes none of the pages that it has read.
  if (name === "queue.db") db.exec("INSERT INTO probes (id, at) VALUES (1, 1) ON CONFLICT DO UPDATE SET at = at + 1");
  db.close();
  expect(statSync(path).size).toBeGreaterThan(root * 4_096);
}

async function reasons({ adminUrl }: Harness): Promise<readonly string[]> {
  const answer = await fetch(`${adminUrl()}/readyz`);
  return ((await answer.json()) as { readonly reasons: readonly string[] }).reasons;
}

test("both files are read while the server works, and a damaged page is reported with the fix [R15]", async () => {
  const at = await openHarness({ app: { waits: { settledMs: 0, verifyMs: 400 } } });
  harness = at;
  const logged = (text: string) => at.log.some((line) => line.includes(text));
  await until("both were whole", () => logged("the store is intact"));
  const repository = await at.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await at.world.pullRequest(repository, {
    title: "Add",
    files: { "src/a.ts": "export const a = 1;\n" },
  });
  await at.settled(pull);
  expect(await reasons(at)).toEqual([]);

  rot();
  await until("it is found", () => logged("memory.db is damaged"));
  await until("whoever asks is told", () => at.log.length > 0);
  expect(await reasons(at)).toEqual(["memory.db is damaged: see the log"]);
  expect(at.log.find((line) => line.includes("memory.db is damaged"))).toContain(
    "restore a backup (kodiai restore DIR)",
  );
});

test("damage found by a review has the files read at once, and health checks report it [R15]", async () => {
  const at = await openHarness();
  harness = at;
  const repository = await at.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const files = { "ops/backup.py": BACKUP };
  await at.settled(await at.world.pullRequest(repository, { title: "Add", files }));
  expect(await reasons(at)).toEqual([]);
  rot();
  const { state } = await at.settled(
    await at.world.pullRequest(repository, { title: "Add more", files: { "ops/again.py": BACKUP } }),
  );
  expect(state).toBe("done");
  await until("it is found", () => at.log.some((line) => line.includes("memory.db is damaged")));
  expect(await reasons(at)).toEqual(["memory.db is damaged: see the log"]);
});

test("damage of queue.db that a job meets ends the process, and the next start says that it does not serve", async () => {
  const deployed = await deployment();
  harness = deployed;
  const { world } = deployed;
  const server = await deployed.start();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, happens: () => rot("queue.db") });
  await world.pullRequest(repository, { title: "Add", files: { "ops/backup.py": BACKUP } });
  expect(await server.ended()).toBe(3);
  expect(server.log()).toContain("SQLITE_CORRUPT");

  const again = await deployed.launch();
  await until("it says why", () => again.log().includes("Kodiai is unavailable"));
  const { status, reasons: why } = await again.ready();
  expect(status).toBe(503);
  expect(why.join()).toContain("queue.db is damaged");
  expect(await again.deliver("ping", {})).toBe(503);
});
