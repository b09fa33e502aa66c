import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildRetrievalQuery, type QuerySignals } from "../../../src/retrieve/query/build-query.ts";
import { given } from "../retrieve-builders.ts";

const SILENT: QuerySignals = { intent: { type: null, focusAreas: [] }, languages: [], risks: [], author: null };

function build(
  title: string,
  more: { body?: string | null; paths?: readonly string[]; maxChars?: number } & Partial<QuerySignals> = {},
) {
  const { body = null, paths = [], maxChars, ...signals } = more;
  const subject = { pull: { title, body }, files: paths.map((path) => ({ path })), issues: [] };
  return buildRetrievalQuery(subject, { ...SILENT, ...signals }, maxChars);
}

describe("what the query says", () => {
  test("a title alone is exactly the title [000-01]", () => {
    expect(build("Fix null pointer in user service")).toEqual({
      text: "Fix null pointer in user service",
      dropped: [],
    });
  });

  test("a real pull request gives every part in order, one a line", () => {
    const { context, signals } = given({
      title: "fix(auth)!: rotate refresh tokens [security-review]",
      body: "  Old tokens stayed valid after a rotation.  ",
      files: { "src/auth/token.cpp": " int a;\n+int b;", "src/auth/token.py": " a = 1\n+b = 2" },
    });
    expect(buildRetrievalQuery(context, signals).text.split("\n")).toEqual([
      "fix(auth)!: rotate refresh tokens [security-review]",
      "Old tokens stayed valid after a rotation.",
      "[fix]",
      "Languages: C++, Python",
      "Risk: touches authentication or authorization code",
      "Author: regular",
      ...(signals.intent.focusAreas.length > 0 ? [`Focus: ${signals.intent.focusAreas.join(", ")}`] : []),
      "src/auth/token.cpp",
      "src/auth/token.py",
    ]);
  });

  test("the title comes first before anything else", () => {
    expect(build("Cache prices", { body: "Because they are slow", paths: ["a.ts"] }).text.split("\n")[0]).toBe(
      "Cache prices",
    );
  });

  test("the body gives its first 200 characters, trimmed, and nothing when it is empty [000-03]", () => {
    const body = `\n  ${"word ".repeat(100)}`;
    expect(build("T", { body }).text).toBe(`T\n${"word ".repeat(40).trim()}`);
    expect(build("T", { body: "   \n" }).text).toBe("T");
    expect(build("T", { body: null }).text).toBe("T");
  });

  test("a template's instructions to the author are not part of the body's excerpt", () => {
    const body = "<!-- Thanks for contributing!\nPlease fill in -->Prices were rounded down.<!-- never closed";
    expect(build("T", { body }).text).toBe("T\nPrices were rounded down.");
  });

  test("the type is in brackets and is left out when the title has none [000-04]", () => {
    expect(build("T", { intent: { type: "fix", focusAreas: [] } }).text).toBe("T\n[fix]");
    expect(build("T").text).not.toContain("[");
  });

  test("five languages by the names people use, three risks parted by semicolons", () => {
    const languages = ["C++", "C#", "F#", "Objective-C", "Go", "Rust"].map((name) => ({ name }));
    const risks = ["a, b", "c", "d", "e"].map((text) => ({ text }));
    expect(build("T", { languages, risks }).text).toBe("T\nLanguages: C++, C#, F#, Objective-C, Go\nRisk: a, b; c; d");
  });

  test.each(["first-time", "regular", "core"] as const)("a %s author is named, an unknown one is not", (tier) => {
    expect(build("T", { author: { tier } }).text).toBe(`T\nAuthor: ${tier}`);
    expect(build("T").text).toBe("T");
  });

  test("focus areas reach the query", () => {
    expect(build("T", { intent: { type: null, focusAreas: ["security", "billing"] } }).text).toBe(
      "T\nFocus: security, billing",
    );
  });

  test("fifteen paths at most, last", () => {
    const paths = Array.from({ length: 20 }, (_, i) => `a/${i}.ts`);
    expect(
      build("T", { paths, author: { tier: "core" } })
        .text.split("\n")
        .slice(-15),
    ).toEqual(paths.slice(0, 15));
  });

  test.each(["code", "fix bug"])("the weak title %j never goes alone when languages and paths are known", (title) => {
    const { text } = build(title, { languages: [{ name: "C++" }], paths: ["src/price.cpp"] });
    expect(text).toBe(`${title}\nLanguages: C++\nsrc/price.cpp`);
  });
});

describe("when it does not fit", () => {
  const paths = Array.from(
    { length: 15 },
    (_, i) => `src/very/long/path/to/deeply/nested/module-${i}/implementation.ts`,
  );
  const full = {
    body: "This is a detailed description of the changes being made. ".repeat(5),
    intent: { type: "feat" as const, focusAreas: [] },
    languages: ["TypeScript", "Python", "Go"].map((name) => ({ name })),
    risks: ["touches authentication or authorization code", "changes dependency manifests"].map((text) => ({ text })),
    author: { tier: "core" as const },
    paths,
  };

  test("paths are dropped first, from the last, and never in half; the dropped parts are reported", () => {
    const { text, dropped } = build("A title of moderate length", full);
    expect(text.length).toBeLessThanOrEqual(600);
    const shown = text.split("\n").filter((line) => line.startsWith("src/"));
    expect(shown.length).toBeGreaterThan(0);
    expect(paths.slice(0, shown.length)).toEqual(shown);
    expect(dropped).toEqual([`paths after the first ${shown.length} of 15`]);
  });

  test("then author, risks, languages, type and body, so that the title stays longest", () => {
    expect(build("A title of moderate length", { ...full, maxChars: 290 }).dropped).toEqual([
      "paths",
      "author",
      "risks",
    ]);
    expect(build("A title of moderate length", { ...full, maxChars: 240 }).dropped).toEqual([
      "paths",
      "author",
      "risks",
      "languages",
    ]);
    expect(build("A title of moderate length", { ...full, maxChars: 30 }).text).toBe("A title of moderate length");
  });

  test("800 is the ceiling for any requested length [000-09]", () => {
    expect(build("T", { ...full, maxChars: 5000 }).text.length).toBeLessThanOrEqual(800);
    expect(build("T", { ...full, maxChars: 5000 }).text.length).toBeGreaterThan(600);
  });

  test("a title that alone is too long ends before a surrogate pair [000-09]", () => {
    const { text } = build("🚀".repeat(400), { maxChars: 601 });
    expect(text).toBe("🚀".repeat(300));
  });

  test("no input makes it throw, exceed its length, break a pair or change its mind [000-01]", () => {
    const words = fc.string({ unit: "binary", maxLength: 900 });
    fc.assert(
      fc.property(
        words,
        fc.option(words),
        fc.array(words, { maxLength: 20 }),
        fc.double(),
        (title, body, paths, maxChars) => {
          const signals = { languages: paths.map((name) => ({ name })), risks: paths.map((text) => ({ text })) };
          const once = build(title, { body, paths, maxChars, ...signals });
          expect(once.text.length).toBeLessThanOrEqual(800);
          if (Number.isFinite(maxChars)) expect(once.text.length).toBeLessThanOrEqual(Math.max(0, maxChars));
          const wellFormed = [title, body ?? "", ...paths].every((text) => text.isWellFormed());
          if (wellFormed) expect(once.text.isWellFormed()).toBe(true);
          expect(build(title, { body, paths, maxChars, ...signals })).toEqual(once);
        },
      ),
    );
  });

  test("a body of a million open comments is read in linear time", () => {
    expect(build("T", { body: "<!--".repeat(1_000_000) }).text).toBe("T");
  });
});
