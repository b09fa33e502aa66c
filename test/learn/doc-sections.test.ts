import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { docSections } from "../../src/learn/documents/doc-sections.ts";
import { runs } from "../property-runs.ts";

const GUIDE = `---
title: Writing workers
tags: [workers, Python, queue]
---

# Writing workers

Workers take jobs from the queue.

## Retries

Retry only what is transient.

\`\`\`bash
pip install acme-workers
\`\`\`

\`\`\`python title="retry.py"
# not a heading
@retry(on=Timeout)
def charge(card):
    ...
\`\`\`

### Limits

Three times at most.

## Errors

See below.

### Limits

None.

Setext works too
----------------

Yes.
`;

test("a document is cut at its headings, and each section is named by its place", () => {
  expect(docSections(GUIDE).sections.map(({ name, headings, anchor }) => [name, headings.join(" > "), anchor])).toEqual(
    [
      ["writing-workers", "Writing workers", "writing-workers"],
      ["retries", "Writing workers > Retries", "retries"],
      ["retries/limits", "Writing workers > Retries > Limits", "limits"],
      ["errors", "Writing workers > Errors", "errors"],
      ["errors/limits", "Writing workers > Errors > Limits", "limits-1"],
      ["setext-works-too", "Writing workers > Setext works too", "setext-works-too"],
    ],
  );
});

test("a section knows its lines and its unchanged text", () => {
  const [, retries] = docSections(GUIDE).sections;
  expect(retries).toMatchObject({ startLine: 10, endLine: 23 });
  expect(retries?.text).toContain("# not a heading\n@retry(on=Timeout)");
});

test("languages come from code blocks, the language of the guide before the shell beside it", () => {
  const languages = new Map(docSections(GUIDE).sections.map(({ name, languages }) => [name, languages]));
  expect(languages.get("retries")).toEqual(["python", "shell"]);
  // A section without code is about what the document is about; "workers" and "queue" name no
  // language.
  expect(languages.get("errors")).toEqual(["python", "shell"]);
});

test("spellings of fences are distinguished from words that name no language", () => {
  const of = (info: string) => docSections(`\`\`\`${info}\na\n\`\`\`\n`).sections[0]?.languages;
  expect(of("ts")).toEqual(["typescript"]);
  expect(of("C++")).toEqual(["cpp"]);
  expect(of("{.python .numberLines}")).toEqual(["python"]);
  expect(of("language-rust,ignore")).toEqual(["rust"]);
  expect(of("console")).toEqual(["shell"]);
  expect(of("mermaid")).toEqual([]);
  expect(of("constructor")).toEqual([]);
  expect(of("")).toEqual([]);
});

test("headings in code blocks and in comments are not headings", () => {
  const text = "# One\n\n~~~\n# not\n```\n~~~\n\n<!--\n# nor this\n\n## or this\n-->\n\n## Two\n\ntext\n";
  expect(docSections(text).sections.map(({ name }) => name)).toEqual(["one", "two"]);
});

test("a heading without text joins the section below it", () => {
  const { sections } = docSections("# Title\n\n## Part\n\n### Detail\n\nWords.\n\n## Empty\n\n## Last\n\nMore.\n");
  expect(sections.map(({ name, text }) => [name, text])).toEqual([
    ["part/detail", "# Title\n\n## Part\n\n### Detail\n\nWords."],
    ["empty", "## Empty"],
    ["last", "## Last\n\nMore."],
  ]);
});

test("a long section is cut between paragraphs, and its code blocks stay whole", () => {
  const paragraph = `${"Words that matter to nobody in particular. ".repeat(12).trim()}\n`;
  const code = `\`\`\`go\n${"\tfmt.Println(total)\n".repeat(100)}\`\`\`\n`;
  const { sections } = docSections(`## Long\n\n${paragraph}\n${paragraph}\n${paragraph}\n${code}\n${paragraph}`);
  expect(sections.map(({ name }) => name)).toEqual(["long", "long~2", "long~3", "long~4"]);
  expect(sections[2]?.text).toBe(code.trim());
  expect(sections.filter(({ text }) => !text.startsWith("```")).every(({ text }) => text.length <= 1_200)).toBe(true);
  expect(sections.map(({ languages }) => languages)).toEqual([["go"], ["go"], ["go"], ["go"]]);
});

test("new sections elsewhere leave the names of the others alone", () => {
  const log = (versions: readonly string[]) =>
    `# Notes\n\n${versions.map((version) => `## ${version}\n\n### Fixed\n\n- a bug in ${version}\n`).join("\n")}`;
  const before = docSections(log(["1.1.0", "1.0.0"])).sections;
  const after = docSections(log(["1.2.0", "1.1.0", "1.0.0"])).sections;
  const text = (sections: typeof before, name: string) => sections.find((section) => section.name === name)?.text;
  expect(before.map(({ name }) => name)).toEqual(["110/fixed", "100/fixed"]);
  expect(text(after, "100/fixed")).toBe(text(before, "100/fixed"));
});

test("a document without a heading is one section, and one without words is none", () => {
  expect(docSections("Just words.\n").sections).toMatchObject([
    { name: "", headings: [], anchor: "", text: "Just words." },
  ]);
  expect(docSections("").sections).toEqual([]);
  expect(docSections("\n \n\t\n").sections).toEqual([]);
});

/** Markdown as it might be, and worse. */
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "# A",
        "## B",
        "## B",
        "### C c",
        "#",
        "####### x",
        "===",
        "---",
        "```",
        "```py",
        "~~~",
        "````",
        "<!--",
        "-->",
        "> q",
        "- i",
        "    # code",
        "\t",
        "",
        "",
      ),
      fc.lorem({ maxCount: 30 }),
      fc.string({ maxLength: 40, unit: "grapheme" }),
    ),
    { maxLength: 40 },
  )
  .map((lines) => lines.join("\n"));

const words = (text: string) => text.replace(/[\s\uFEFF]/g, "");

test("every word of a document is in exactly one section, in its order, and names are unique", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      const body = text.startsWith("---") ? `.\n${text}` : text;
      const { sections } = docSections(body);
      expect(words(sections.map((section) => section.text).join(""))).toBe(words(body));
      expect(new Set(sections.map(({ name }) => name)).size).toBe(sections.length);
      for (const { startLine, endLine, text: own } of sections) {
        const lines = body
          .split(/\r?\n/)
          .slice(startLine - 1, endLine)
          .join("\n");
        expect(words(lines)).toContain(words(own));
      }
    }),
    runs(300),
  );
});

test("extracting again gives the same sections", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      expect(docSections(text)).toEqual(docSections(text));
    }),
    { numRuns: 50 },
  );
});

test("what is written at the end leaves the sections before it alone", () => {
  fc.assert(
    fc.property(
      fc.array(fc.lorem({ maxCount: 40 }), { minLength: 1, maxLength: 8 }),
      fc.lorem(),
      (bodies, addition) => {
        const page = bodies.map((body, index) => `## Part ${index}\n\n${body}\n`).join("\n");
        const before = docSections(page).sections;
        const after = docSections(`${page}\n## Added\n\n${addition}\n`).sections;
        expect(after.slice(0, before.length)).toEqual(before);
      },
    ),
    { numRuns: 50 },
  );
});

test("hostile Markdown ends in time", () => {
  const hostile = [
    "x".repeat(1_000_000),
    "# \n".repeat(150_000),
    "#".repeat(500_000),
    "`".repeat(500_000),
    "```\n".repeat(100_000),
    "<!--".repeat(200_000),
    "a\n===\n".repeat(80_000),
    "> ".repeat(250_000),
    `---\n${"tags: [".repeat(50_000)}\n---\n`,
    `---\ntags:\n${" - ".repeat(100_000)}\n---\n`,
    `${"[".repeat(200_000)}${"](".repeat(100_000)}`,
    `# ${"<".repeat(400)}\n`.repeat(900),
    "a\u2028b\u0000\uFEFF\uD800".repeat(50_000),
  ];
  for (const text of hostile) {
    const { sections, skipped } = docSections(text);
    expect(sections.length).toBeLessThanOrEqual(1_000);
    expect(sections.every((section) => section.text.length <= 4_100)).toBe(true);
    if (sections.length === 1_000) expect(skipped.length).toBe(1);
  }
});

const inputs = resolve(process.cwd(), "../shared/bad-inputs/markdown");
test.skipIf(!existsSync(inputs))(
  "the collected bad Markdown is cut like any other (skipped where ../shared is absent)",
  () => {
    for (const name of readdirSync(inputs)) {
      const text = readFileSync(join(inputs, name), "utf8");
      for (const section of docSections(text).sections) expect(section.text.trim()).not.toBe("");
    }
  },
);
