import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { lowInformation } from "../../src/domain/low-information.ts";

test("a replacement without a word, a bare link and thanks say nothing", () => {
  expect(lowInformation("```suggestion\n\tfoo()\n```")).toBe("no words beside code and links");
  expect(
    lowInformation("https://stackoverflow.com/questions/7148419/subclass-dict-userdict-dict-or-abc"),
  ).not.toBeNull();
  expect(lowInformation("nit 👍")).not.toBeNull();
  expect(lowInformation("")).not.toBeNull();
});

test("a sentence says something, whatever code stands below it", () => {
  expect(lowInformation("This map grows without bound; evict the oldest entry.")).toBeNull();
  expect(
    lowInformation("Prefer `errors.Is` here, wrapped errors are missed.\n```go\nif err == io.EOF {\n```"),
  ).toBeNull();
});

test("hostile text is read in one pass", () => {
  for (const text of [
    "```\n".repeat(200_000),
    "`".repeat(1_000_000),
    "](".repeat(300_000),
    "https://".repeat(100_000),
  ]) {
    expect(() => lowInformation(text)).not.toThrow();
  }
});

const corpus = resolve(process.cwd(), "../shared/eval/retrieval/corpus.jsonl");
test.skipIf(!existsSync(corpus))(
  "on real comments it agrees with their labels (skipped where ../shared is absent)",
  () => {
    const rows = readFileSync(corpus, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { text: string; lowInfo: boolean });
    const told = rows.filter((row) => lowInformation(row.text) !== null);
    const right = told.filter((row) => row.lowInfo).length;
    expect(right / told.length).toBeGreaterThan(0.9);
    expect(right / rows.filter((row) => row.lowInfo).length).toBeGreaterThan(0.95);
  },
);
