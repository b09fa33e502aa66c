// Turns to write to an installation, between processes whose clocks differ.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../../../src/store/migrate.ts";
import { QUEUE_PART } from "../../../src/store/queue/schema.ts";
import { storedInstallationPace } from "../../../src/store/reviews/writes.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";

test("of two processes whose clocks are a little apart, one has the turn [R20]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-turns-"));
  const opened = [5, 0, -3_600_000].map((by) => openSqlite(join(folder, "queue.db"), { now: () => 1_000_000 + by }));
  for (const db of opened) await migrate(db, [QUEUE_PART], "queue.db");
  const [ahead, behind, later] = opened.map((db) => storedInstallationPace(db));
  expect(await ahead?.takeTurn(7, 31_000)).not.toBeNull();
  expect(await behind?.takeTurn(7, 31_000)).toBeNull();
  // Set back by more than any turn lasts: nothing waits for what was written an hour ahead.
  expect(await later?.takeTurn(7, 31_000)).not.toBeNull();
  for (const db of opened) await db.close();
  rmSync(folder, { recursive: true });
});
