// A run's tables find their place in the page, and nothing else of it is touched.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { intoPage } from "../../bench/update-readme-tables.ts";

test("a run replaces its own place in the page, again and again, and a page without one is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-page-"));
  const path = join(folder, "README.md");
  const place = (name: string, of: string) => `<!-- run ${name} -->\n\n${of}\n\n<!-- end of run -->\n`;
  const page = (of: string) =>
    `# How fast\n\n${place("100000 in 1", "old $& tables")}\nSaid.\n\n${place("1000000 in 50", of)}\nEnd.\n`;
  writeFileSync(path, page("nothing yet"));

  intoPage(path, "1000000 in 50", "| row |\n");
  intoPage(path, "1000000 in 50", "| row $1 |\n");

  expect(readFileSync(path, "utf8")).toBe(page("| row $1 |"));
  expect(() => intoPage(path, "1000000 in 1", "| row |")).toThrow("has no place for 1000000 in 1");
  rmSync(folder, { recursive: true });
});
