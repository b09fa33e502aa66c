// The list of promises is kept honest: each has a test that exists, or stands among what is not promised yet.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mutantsMarkdown } from "../scripts/mutants-markdown.ts";
import { promisesMarkdown, readPromises } from "../scripts/promises-markdown.ts";
import { testTitles } from "./test-titles.ts";

const [promisesText, measuredText, threatsText] = [
  "test/promises.json",
  "chaos/measured.json",
  "test/threats.json",
].map((file) => readFileSync(file, "utf8")) as [string, string, string];
const promises = readPromises(promisesText, measuredText, threatsText);

describe("the list of promises", () => {
  test("holds all of them in order", () => {
    expect([...promises.promises.keys()]).toEqual(Array.from({ length: 33 }, (_, index) => `R${index + 1}`));
    expect([...promises.threats.keys()]).toEqual(Array.from({ length: 31 }, (_, index) => `T${index + 1}`));
  });

  test("names files that exist and hold a test of that very title", () => {
    const missing = [...promises.promises, ...promises.threats].flatMap(([id, { tests }]) =>
      tests
        .filter(([file, title]) => !file.startsWith("test/") || !testTitles(file).has(title))
        .map(([file, title]) => `${id}: ${file} has no test ${JSON.stringify(title)}`),
    );
    expect(missing).toEqual([]);
  });

  test("refuses a promise without a test or a reason, and a figure that was not measured", () => {
    const read = (promise: object, figures: object = {}) =>
      readPromises(JSON.stringify({ promises: { R1: promise } }), JSON.stringify({ figures }));
    expect(() => read({ promise: "All is well.", tests: [] })).toThrow("R1 has neither a test nor a reason");
    const tests = [["test/app.test.ts", "x"]];
    expect(() => read({ promise: "All is well.", tests, figures: ["speed"] })).toThrow("was not measured");
  });

  test("every measured figure is beside its subject", () => {
    const named = [...promises.promises.values(), ...promises.threats.values()].flatMap(({ figures = [] }) => figures);
    expect([...promises.figures.keys()].filter((name) => !named.includes(name))).toEqual([]);
  });

  test("refuses a threat without a test or an admission", () => {
    const threats = JSON.stringify({ threats: { T1: { threat: "Harm", promise: "None is done.", tests: [] } } });
    const none = [JSON.stringify({ promises: {} }), JSON.stringify({ figures: {} })] as const;
    expect(() => readPromises(...none, threats)).toThrow("T1 has neither a test nor a reason");
  });

  test("refuses a figure without the place where it was measured", () => {
    const figure = { what: "speed", value: "1 s", date: "2026-11-22", command: "npm run bench" };
    expect(() =>
      readPromises(JSON.stringify({ promises: {} }), JSON.stringify({ figures: { speed: figure } })),
    ).toThrow("speed has no machine");
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

test("docs/internals/guarantees.md is what the list says", () => {
  const page = `${promisesMarkdown(promises)}\n${mutantsMarkdown(readFileSync("chaos/mutants/measured.json", "utf8"))}`;
  expect(readFileSync("docs/internals/guarantees.md", "utf8")).toBe(page);
});

test("a mutant that survived, or no longer exists, is not shown as measured", () => {
  const measured = (id: string, verdict: string) =>
    JSON.stringify({ date: "", machine: "", command: "", mutants: { [id]: { verdict, seconds: 1 } } });
  expect(() => mutantsMarkdown(measured("no dedupe", "SURVIVED"))).toThrow("no dedupe was not noticed");
  expect(() => mutantsMarkdown(measured("no such thing", "red"))).toThrow("there is no such mutant");
  expect(mutantsMarkdown(measured("no dedupe", "red"))).toMatch(
    /\| no sanitizer +\| text by others does nothing +\| not measured \|/,
  );
});
