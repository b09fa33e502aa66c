// What people declined, and the code that findings were about, in a memory file of its own.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFinding, REPO, rejectionsContract, SHAPE, SPACE, wren } from "../contracts/rejections.ts";
import { openSqliteShelf } from "./open-shelf.ts";

rejectionsContract("SQLite", openSqliteShelf);

test("a file from which a finding was forgotten holds nothing of what was said against it, to the last byte", async () => {
  const { memory, past: kept, folder, close } = await openSqliteShelf();
  const [one, two] = [aFinding(1, "fnd_0000000000aa"), aFinding(2, "fnd_0000000000bb")];
  const rows = [one, two].map((record) => ({ record, vector: null }));
  await memory.remember(rows, SPACE);
  await kept.reject(REPO, one.id, wren({ reason: "a-reason-of-its-own" }));
  await kept.reject(REPO, two.id, wren({ reason: "b-reason-of-its-own" }));
  await kept.keep(REPO, { said: [{ memoryId: one.id, rule: null, shape: SHAPE }], standing: [], fixed: [] }, 9);
  await memory.forget(REPO, [one.id]);
  await memory.forgetRepository(REPO);
  const bytes = ["memory.db", "memory.db-wal"]
    .map((name) => readFileSync(join(folder, name)).toString("latin1"))
    .join("");
  expect(bytes).not.toContain("reason-of-its-own");
  await close();
});
