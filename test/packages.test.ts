// The packages that the product is built on are imported as values, and what is imported is called.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySearch, ROWS_IN_DATABASE } from "../src/search/memory-search.ts";
import { usearchExact } from "../src/search/vector-index.ts";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedRows } from "../src/store/memory/search-rows.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { memoryRecord, scopeOf } from "./adapters/contracts/memory.ts";

const SOURCES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join("src", name), "utf8"));

/**
 * Names that a file imports from the package as values and then calls, constructs, or asks members
 * of.
 */
function usedOf(source: string, name: string): readonly string[] {
  const from = new RegExp(`^import (?!type )([^;]+?) from "${name}(?:/[^"]*)?";`, "gm");
  return [...source.matchAll(from)].flatMap(([statement, clause = ""]) => {
    const names = clause
      .replace(/[{}]/g, ",")
      .split(",")
      .map((part) => part.trim().replace(/^\* as |^\w+ as /, ""))
      .filter((part) => part !== "" && !part.startsWith("type "));
    const rest = source.replace(statement, "");
    return names.filter((one) => new RegExp(`\\b${one}\\b\\s*[(.]|instanceof ${one}\\b|extends ${one}\\b`).test(rest));
  });
}

test.each([
  ["probot", ["Probot", "ProbotOctokitClass"]],
  ["@octokit/rest", ["Octokit"]],
  ["better-sqlite3", ["BetterSqlite"]],
  ["voyageai", ["GeneratedVoyageAIClient"]],
  ["@anthropic-ai/sdk", ["Anthropic", "jsonSchemaOutputFormat"]],
] as const)("%s does real work", (name, must) => {
  const used = new Set(SOURCES.flatMap((source) => usedOf(source, name)));
  expect(used.size).toBeGreaterThan(0);
  for (const one of must) expect(used).toContain(one);
});

test.each([
  // Each without the other: a small repository is searched in the database, one of more than 2,000
  // memories in memory.
  ["sqlite-vec", 500, { vectors: "installed" }, null],
  ["usearch", ROWS_IN_DATABASE + 100, {}, usearchExact()],
] as const)("%s does real work", async (_, count, opening, exact) => {
  // The nearest is the last that was written, so that no order of the rows would find it.
  const space = { model: "production-size", dimension: 1024 };
  const vectorOf = (seed: number) =>
    Float32Array.from({ length: space.dimension }, (_, at) => Math.sin(seed * (at + 1)));
  const rows = Array.from({ length: count }, (_, at) => ({ record: memoryRecord(), vector: vectorOf(at + 1) }));
  const folder = mkdtempSync(join(tmpdir(), "kodiai-packages-"));
  const path = join(folder, "memory.db");
  const written = await openMemoryFile(path);
  await storedMemory(written, () => Promise.resolve()).remember(rows, space);
  const db = openSqlite(path, { now: Date.now, isReader: true, ...opening });
  const search = memorySearch(storedRows(db), { memoryBytes: 1e9, rowsInDatabase: ROWS_IN_DATABASE, exact });
  const [hits = []] = await search.nearest(scopeOf(), [vectorOf(rows.length)], space, 1, {}, () => {});
  expect(hits.map(({ id }) => id)).toEqual([rows.at(-1)?.record.id]);
  await db.close();
  await written.close();
  rmSync(folder, { recursive: true });
});

test("each package has one line that says why it, and no line is about another", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const wanted = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  });
  const rows = readFileSync("docs/internals/dependencies.md", "utf8").matchAll(/^\| (?!package|-)([^|]+?) +\|/gm);
  const reported = [...rows]
    .flatMap(([, cell = ""]) => cell.replace(/\([^)]*\)/g, "").split(", "))
    .map((name) => name.trim());
  const covers = (name: string, one: string) =>
    name.split(" ")[0] === one || (name.endsWith("*") && one.startsWith(name.slice(0, -1)));
  for (const one of wanted)
    expect(
      reported.filter((name) => covers(name, one)),
      one,
    ).toHaveLength(1);
  for (const name of reported)
    expect(
      wanted.some((one) => covers(name, one)),
      name,
    ).toBe(true);
});
