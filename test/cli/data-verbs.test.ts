// Verbs that look after a data folder, over real files.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/wire/store.ts";
import { memoryRecord, SPACE, vectorAt } from "../adapters/contracts/memory.ts";
import { verb } from "./kodiai.ts";

let root: string;
const run = (...words: string[]) => verb(words, { cwd: root });
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "kodiai-data-"));
  const store = await openStore(join(root, "data"));
  const provenance = { url: null, author: "wren", authorIsBot: false, sha: null, pull: 7, at: 1 };
  const record = memoryRecord({ corpus: "review_comment", text: "Retry the handshake", provenance });
  await store.memory.remember([{ record, vector: vectorAt(0) }], SPACE);
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true }));

test("mistakes are reported with the correct usage, and change nothing", async () => {
  const [none, more, person, odd, nowhere] = await Promise.all([
    run("backup"),
    run("restore", "a", "b"),
    run("erase", "--data-dir", "data"),
    run("export-data", "--user", "wren; drop", "--data-dir", "data"),
    run("erase", "--user", "wren", "--data-dir", "elsewhere"),
  ]);
  expect(none).toMatchObject({ code: 2, err: "kodiai backup: name the folder: kodiai backup DIR\n" });
  expect(more).toMatchObject({ code: 2, err: 'kodiai restore: unexpected argument "b"\n' });
  expect(person).toMatchObject({
    code: 2,
    err: "kodiai erase: name the person: --user LOGIN, --user ID or --user ADDRESS\n",
  });
  expect(odd).toMatchObject({ code: 2, err: expect.stringContaining("is not a GitHub login") });
  expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("there is no store in elsewhere") });
  expect(existsSync(join(root, "elsewhere"))).toBe(false);
});

test("a store is copied, a person is exported and erased, and the copy forgets them too", async () => {
  const reported = await run("backup", "copy", "--data-dir", "data", "--json");
  expect(JSON.parse(reported.out)).toMatchObject({ version: 1, files: [{ name: "queue.db" }, { name: "memory.db" }] });
  expect(await run("backup", "copy", "--data-dir", "data")).toMatchObject({
    code: 3,
    err: "kodiai backup: could not finish: copy is not empty\n",
  });

  const exported = await run("export-data", "--user", "@Wren", "--data-dir", "data");
  expect(JSON.parse(exported.out)).toMatchObject({ kept: "memory.db/contents", row: { author: "wren" } });
  expect((await run("export-data", "--user", "wren", "--output", "wren.jsonl", "--data-dir", "data")).out).toBe("");
  expect(readFileSync(join(root, "wren.jsonl"), "utf8")).toBe(exported.out);

  expect((await run("erase", "--user", "wren", "--dry-run", "--data-dir", "data")).out).toBe(
    "1 row about this person; nothing was changed\n",
  );
  expect((await run("erase", "--user", "wren", "--data-dir", "data")).out).toBe(
    "0 rows removed, 1 anonymised (1 login, 0 ids)\n",
  );
  expect((await run("export-data", "--user", "wren", "--data-dir", "data")).out).toBe("");
  const restored = await run("restore", "copy", "--data-dir", "there");
  expect(restored).toMatchObject({
    code: 0,
    out: expect.stringMatching(/deleted again: 0; repositories to check on GitHub: 1\n$/),
  });
});
