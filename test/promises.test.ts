// The list of promises is kept honest: each has a test that exists, or stands among what is not promised yet.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { promisesMarkdown, readPromises } from "../scripts/promises-markdown.ts";

const promises = readPromises(readFileSync("test/promises.json", "utf8"), readFileSync("chaos/measured.json", "utf8"));

describe("the list of promises", () => {
  test("holds all of them in order", () => {
    expect([...promises.promises.keys()]).toEqual(Array.from({ length: 33 }, (_, index) => `R${index + 1}`));
  });

  test("names files that exist and hold a test of that very title", () => {
    const missing = [...promises.promises].flatMap(([id, { tests }]) =>
      tests
        .filter(([file, title]) => !file.startsWith("test/") || !holds(file, title))
        .map(([file, title]) => `${id}: ${file} has no test ${JSON.stringify(title)}`),
    );
    expect(missing).toEqual([]);
  });

  test("refuses a promise without a test or a reason, and a figure that nobody measured", () => {
    const read = (promise: object, figures: object = {}) =>
      readPromises(JSON.stringify({ promises: { R1: promise } }), JSON.stringify({ figures }));
    expect(() => read({ promise: "All is well.", tests: [] })).toThrow("R1 has neither a test nor a reason");
    const tests = [["test/app.test.ts", "x"]];
    expect(() => read({ promise: "All is well.", tests, figures: ["speed"] })).toThrow("nobody measured");
  });

  test("refuses a figure of which nobody says where it was measured", () => {
    const figure = { what: "speed", value: "1 s", date: "2026-11-22", command: "npm run bench" };
    expect(() =>
      readPromises(JSON.stringify({ promises: {} }), JSON.stringify({ figures: { speed: figure } })),
    ).toThrow("speed does not tell its machine");
  });

  test("a promise without a test is not among the promised", () => {
    const page = promisesMarkdown(
      readPromises(
        JSON.stringify({ promises: { R1: { promise: "Nothing is lost.", tests: [], notYet: "everything" } } }),
        JSON.stringify({ figures: {} }),
      ),
    );
    expect(page.split("## Not yet promised")[0]).not.toContain("Nothing is lost.");
    expect(page).toContain("- R1 Nothing is lost. Missing: everything.");
  });
});

test("docs/promises.md is what the list says", () => {
  expect(readFileSync("docs/promises.md", "utf8")).toBe(promisesMarkdown(promises));
});

function holds(file: string, title: string): boolean {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [`"${title.replaceAll('"', '\\"')}"`, `'${title}'`, `\`${title}\``].some((one) => text.includes(one));
}
