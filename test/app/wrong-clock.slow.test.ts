// A machine starts with a clock that is more than a year ahead: nothing that its users want to keep
// is removed as too old.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "./app-harness.ts";
import { BACKUP, said } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const SHIFT = fileURLToPath(new URL("../../chaos/clock-shift.mjs", import.meta.url));
const DAY_S = 24 * 60 * 60;

let deployed: Deployment;
let folder: string;
beforeEach(async () => {
  deployed = await deployment();
  folder = mkdtempSync(join(tmpdir(), "kodiai-clock-"));
});
afterEach(async () => {
  await deployed.close();
  rmSync(folder, { recursive: true });
});

/** Starts the server with a clock that is so many days ahead. */
function startAhead(days: number): Promise<ServerProcess> {
  const file = join(folder, "clock");
  writeFileSync(file, String(days * DAY_S));
  return deployed.start({ NODE_OPTIONS: `--import=${SHIFT}`, CHAOS_CLOCK: file });
}

function kept(): unknown {
  const db = new Database(join(deployed.dataDir, "queue.db"));
  try {
    return db
      .prepare(
        `SELECT (SELECT count(*) FROM deliveries) AS deliveries, (SELECT count(*) FROM reviews) AS reviews,
           (SELECT count(*) FROM spending) AS spending`,
      )
      .get();
  } finally {
    db.close();
  }
}

test("a start with a clock 420 days ahead removes nothing and says so; with the right clock what is old goes [R20]", async () => {
  const { world, dataDir } = deployed;
  const first = await deployed.start();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("it is reviewed", () => said(world, pull).length === 1 && first.log().includes('"state":"done"'));
  first.child.kill("SIGTERM");
  await first.ended();
  const db = new Database(join(dataDir, "queue.db"));
  const spend = db.prepare(
    "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES (?,?,?,?,?,?)",
  );
  spend.run("github.com/1", Date.now(), "review", 1, 1, 0.5);
  db.close();
  const before = kept();

  const ahead = await startAhead(420);
  await until("it looked for what is old", () => /no expired rows are deleted|expired rows deleted/.test(ahead.log()));
  expect(kept()).toEqual(before);
  const answer = await fetch(`${ahead.adminUrl}/readyz`);
  expect(await answer.json()).toEqual({
    ok: true,
    reasons: [],
    notes: [
      expect.stringMatching(/^no expired rows are deleted: the clock shows \d{4}-\d\d-\d\d, 4(?:19|20) days after/),
    ],
  });
  ahead.child.kill("SIGTERM");
  await ahead.ended();

  const old = new Database(join(dataDir, "queue.db"));
  old.prepare("UPDATE spending SET at = at - ?").run(401 * DAY_S * 1000);
  old.close();
  const right = await deployed.start();
  await until("it removed what is old", () => right.log().includes("expired rows deleted"));
  expect(kept()).toEqual({ ...(before as object), spending: 0 });
});
