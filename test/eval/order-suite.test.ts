import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type OrderVerdict, orderVerdicts, readOrderCases, suite } from "../../eval/suites/order.ts";
import { postgresStore } from "../../eval/temporary-store.ts";
import { testDatabase } from "../postgres.ts";

const OWN = "eval/order";
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

const notRight = (verdicts: readonly OrderVerdict[]) =>
  verdicts
    .filter(({ kind }) => kind !== "right")
    .map(({ id, kind, remark }) => (kind === "wrong" ? id : `${id}: ${remark}`))
    .sort();

test("the embedded store keeps every law of the order", async () => {
  const { cases } = await readOrderCases(OWN);
  expect(notRight(await orderVerdicts(cases))).toEqual([]);
});

const database = await testDatabase();

test.skipIf(database === null)("PostgreSQL keeps the same laws", async () => {
  const { cases } = await readOrderCases(OWN);
  try {
    expect(notRight(await orderVerdicts(cases, () => postgresStore(database?.url ?? "")))).toEqual([]);
  } finally {
    await database?.drop();
  }
});

const DAY = "2026-03-01T00:00:00Z";
const TEXT = "Closing the pool twice hands one connection to two requests; close it once, where it was opened.";
const memory = (id: string, over: object = {}) => ({ id, text: TEXT, path: "old/pool.go", createdAt: DAY, ...over });
const law = (id: string, expected: readonly unknown[], over: object = {}) => ({
  ...{ id, group: "pool", title: "fix(pool): close the connection pool once", body: "" },
  files: [{ path: "src/pool.go", patch: "@@ -1 +1,2 @@\n package pool\n+  pool.close(connection)" }],
  memories: [memory("a"), memory("b")],
  expect: expected,
  ...over,
});

async function measured(lines: readonly string[]) {
  const data = await mkdtemp(join(tmpdir(), "order-"));
  folders.push(data);
  await writeFile(join(data, "cases.jsonl"), lines.join("\n"));
  const { cases } = await readOrderCases(data);
  return { data, verdicts: await orderVerdicts(cases) };
}

test("equal memories are equal and neither is before the other, though one is listed first", async () => {
  const { verdicts } = await measured(
    [
      law("equal", [["a", "equal", "b"]]),
      law("a first", [["a", "before", "b"]]),
      law("b first", [["b", "before", "a"]]),
      law("both there", [
        ["a", "present"],
        ["b", "present"],
      ]),
      law("not there", [["a", "absent"]]),
    ].map((one) => JSON.stringify(one)),
  );
  expect(verdicts.map(({ kind }) => kind)).toEqual(["right", "wrong", "wrong", "right", "wrong"]);
  expect(verdicts[1]?.remark).toMatch(/^expected a before b; found .*a -?[\d.]+/);
});

test("a malformed row is unanswered, by its id, and the others are asked", async () => {
  const present = [["a", "present"]];
  const { data, verdicts } = await measured([
    "{ not JSON",
    JSON.stringify({ id: "no memories", group: "broken" }),
    JSON.stringify(law("nobody", [["z", "present"]])),
    JSON.stringify(law("key", present, { config: { retrieval: { fusion: "magic" } } })),
    JSON.stringify(law("dimension", present, { query: { vector: [1, 0] }, memories: [memory("a", { vector: [1] })] })),
    JSON.stringify(law("zeros", present, { query: { vector: [0, 0] } })),
    JSON.stringify(law("patch", present, { files: [{ path: "a.go", patch: "@@@ -1 -1 +1 @@@" }] })),
    "null",
    JSON.stringify(law("asked", present)),
  ]);
  const seen = verdicts.map(({ id, kind }) => `${kind} ${id}`);
  expect(seen).toEqual([
    "unanswered cases.jsonl:1",
    "unanswered no memories",
    "unanswered nobody",
    "unanswered key",
    "unanswered dimension",
    "unanswered zeros",
    "unanswered patch",
    "unanswered cases.jsonl:8",
    "right asked",
  ]);
  expect(verdicts.every(({ kind, remark }) => kind === "right" || remark !== "")).toBe(true);
  const before = process.env.KODIAI_TEST_DATABASE_URL;
  delete process.env.KODIAI_TEST_DATABASE_URL;
  try {
    const { rows, notes } = await suite({ data, flags: new Map() });
    expect(rows[0]).toMatchObject({ name: "default", n: 9, metrics: { right: 1, total: 9, unanswered: 8 } });
    expect(rows.map(({ name }) => name)).toEqual(["default", "malformed", "broken", "pool"]);
    expect(notes?.[0]).toBe("unanswered: cases.jsonl:1: not JSON");
  } finally {
    if (before !== undefined) process.env.KODIAI_TEST_DATABASE_URL = before;
  }
});

test("a configuration is a retrieval section, a knowledge section, or a whole one", async () => {
  const vectors = { query: { vector: [1, 0, 0, 0, 0, 0, 0, 0] }, expect: [["a", "absent"]] };
  const off = memory("a", { text: "Walnut, harbour, violin.", vector: [1, 0, 0, 0, 0, 0, 0, 0] });
  const byWords = { retrieval: { method: "keyword" } };
  const configs = [{}, byWords.retrieval, byWords, { knowledge: byWords }];
  const { verdicts } = await measured(
    configs.map((config, at) =>
      JSON.stringify(law(String(at), [], { ...vectors, memories: [off, memory("b")], config })),
    ),
  );
  expect(verdicts.map(({ kind }) => kind)).toEqual(["wrong", "right", "right", "right"]);
});
