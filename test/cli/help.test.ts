import { expect, test } from "vitest";
import { helpMarkdown } from "../../scripts/cli-markdown.ts";
import { helpOf, overview } from "../../src/cli/help.ts";
import { VERBS } from "../../src/cli/verbs.ts";
import { verb } from "./kodiai.ts";

const names = Object.keys(VERBS);

test("the overview has one line for each verb", () => {
  for (const name of names)
    expect(
      overview()
        .split("\n")
        .filter((line) => line.startsWith(`  ${name} `)),
    ).toHaveLength(1);
});

test("the help of a verb lists its own options, and only these", () => {
  for (const [name, { options }] of Object.entries(VERBS)) {
    const [, listed = ""] = (helpOf(name) ?? "").split("\noptions:\n");
    const flags = [...listed.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag);
    expect(flags, name).toEqual(Object.keys(options));
  }
});

test("no verb has an option that Node takes for itself, wherever it stands", () => {
  for (const [name, { options }] of Object.entries(VERBS))
    expect(
      Object.keys(options).filter((option) => option.startsWith("env-file")),
      name,
    ).toEqual([]);
});

test("what a verb does not list it refuses, with the nearest option that it has", async () => {
  const refused = await verb(["serve", "--show-prompt"], { cwd: "." });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("'--show-prompt'") });
  const near = await verb(["jobs", "--sate", "done"], { cwd: "." });
  expect(near).toMatchObject({ code: 2, err: expect.stringContaining("did you mean --state?") });
});

test("a word that is not a verb has no page", async () => {
  for (const word of ["", "no-such", "constructor", "--repo"]) expect(helpOf(word)).toBeNull();
  expect(await verb(["help", "reviw"], { cwd: "." })).toMatchObject({
    code: 2,
    err: 'kodiai: unknown command "reviw"; did you mean review?\n',
  });
});

test("the document has a section for each verb, with its options; explain refers to review for those of it", () => {
  const review = Object.keys(VERBS.review.options);
  for (const [name, { options }] of Object.entries(VERBS)) {
    const [, section = ""] = helpMarkdown().split(new RegExp(`^## ${name}$`, "m"));
    const [own = ""] = section.split("\n## ");
    const named = Object.keys(options).filter((option) => name !== "explain" || !review.includes(option));
    for (const option of named) expect(own).toContain(`\`--${option}`);
  }
});
