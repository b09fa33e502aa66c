// The six packages that the product is built on are imported as values, and what is imported is called.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { loadSqliteVec } from "../src/adapters/sqlite/sqlite-vec.ts";

const SOURCES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join("src", name), "utf8"));

/** Names that a file imports from the package as values and then calls, constructs, or asks members of. */
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
  ["better-sqlite3", ["Database"]],
  ["voyageai", ["GeneratedVoyageAIClient"]],
  ["@anthropic-ai/sdk", ["Anthropic", "jsonSchemaOutputFormat"]],
] as const)("%s does real work", (name, must) => {
  const used = new Set(SOURCES.flatMap((source) => usedOf(source, name)));
  expect(used.size).toBeGreaterThan(0);
  for (const one of must) expect(used).toContain(one);
});

test("sqlite-vec does real work", () => {
  // Loaded where it is needed, so that without it only the vectors are missing.
  expect(SOURCES.some((source) => source.includes('createRequire(import.meta.url)("sqlite-vec")'))).toBe(true);
  const db = new Database(":memory:");
  expect(loadSqliteVec(db, null)).toBeNull();
  const distance = db.prepare("SELECT vec_distance_cosine(vec_f32('[1, 0]'), vec_f32('[0, 1]'))").pluck().get();
  expect(distance).toBeCloseTo(1, 6);
  db.close();
});

test("each package has one line that says why it, and no line is about another", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const wanted = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  });
  const rows = readFileSync("docs/dependencies.md", "utf8").matchAll(/^\| (?!package|-)([^|]+?) +\|/gm);
  const told = [...rows]
    .flatMap(([, cell = ""]) => cell.replace(/\([^)]*\)/g, "").split(", "))
    .map((name) => name.trim());
  const covers = (name: string, one: string) =>
    name.split(" ")[0] === one || (name.endsWith("*") && one.startsWith(name.slice(0, -1)));
  for (const one of wanted)
    expect(
      told.filter((name) => covers(name, one)),
      one,
    ).toHaveLength(1);
  for (const name of told)
    expect(
      wanted.some((one) => covers(name, one)),
      name,
    ).toBe(true);
});
