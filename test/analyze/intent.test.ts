import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IntentInput, parseIntent } from "../../src/analyze/intent.ts";
import { runs } from "../property-runs.ts";
import { everywhere, expectBoundedIntent, PIECES } from "./long-intents.ts";

const EMPTY: IntentInput = {
  title: "",
  body: null,
  commits: [],
  labels: [],
  headRef: "main",
  author: { login: "alice" },
};
const read = (input: Partial<IntentInput>) => parseIntent({ ...EMPTY, ...input });

test("a whole pull request, read at once", () => {
  const intent = read({
    title: "[wip] [security-review] [Crypto] feat(api)!: rotate signing keys",
    body: "Closes #77\n\nBREAKING CHANGE: old tokens are refused\n",
    commits: [{ sha: "a", message: "feat(api)!: rotate signing keys\n\nRefs: acme/vault#3" }],
  });
  expect(intent).toEqual({
    type: "feat",
    otherType: null,
    scope: "api",
    subject: "rotate signing keys",
    breaking: [
      { where: "title", text: "feat(api)!: rotate signing keys" },
      { where: "body", text: "BREAKING CHANGE: old tokens are refused" },
      { where: "commit", text: "feat(api)!: rotate signing keys" },
    ],
    wip: true,
    noReview: false,
    styleOk: false,
    profile: null,
    focusAreas: ["security", "crypto"],
    reverts: false,
    issues: [
      { number: 77, keyword: "closes", closing: true, repo: null, source: "body" },
      { number: 3, keyword: "refs", closing: false, repo: "acme/vault", source: "commit" },
    ],
    bump: null,
  });
});

test("an empty title and a null body are an intent without words", () => {
  expect(read({})).toMatchObject({
    type: null,
    otherType: null,
    subject: "",
    breaking: [],
    focusAreas: [],
    issues: [],
    bump: null,
  });
});

test.each([
  ["[minimal-review] x", "quiet"],
  ["[minimal-review] [balanced-review] x", "balanced"],
  ["[STRICT-REVIEW] [minimal-review] x", "thorough"],
  ["x", null],
])("the most thorough review asked for wins: %s", (title, profile) => expect(read({ title }).profile).toBe(profile));

test("draft and wip are one state; no-review and style-ok are said", () => {
  expect(read({ title: "[draft] x" }).wip).toBe(true);
  expect(read({ title: "[no-review] [style-ok] x" })).toMatchObject({ wip: false, noReview: true, styleOk: true });
});

test("tags for machines and numbers are no focus", () => {
  expect(read({ title: "[ci skip] [skip actions] [1/3] [#1331] [3.x] [Mailer] Add constraint" }).focusAreas).toEqual([
    "mailer",
  ]);
});

test("a revert by git's title has the type revert", () => {
  expect(read({ title: 'Revert "feat: x"', body: "Reverts acme/api#12" })).toMatchObject({
    type: "revert",
    reverts: true,
  });
  expect(read({ title: "fix: y", body: "Reverts acme/api#12" })).toMatchObject({ type: "fix", reverts: true });
});

test("the changelog that a bump brings along is not our announcement", () => {
  const body = "Bumps foo.\n\n## BREAKING CHANGES\n\n- Node 14 is gone\n\nFixes #12";
  const bot = { headRef: "dependabot/npm_and_yarn/foo-2", author: { ...EMPTY.author, login: "dependabot[bot]" } };
  expect(read({ title: "Bump foo from 1.0.0 to 2.0.0", body, ...bot })).toMatchObject({
    breaking: [],
    issues: [],
    bump: { packageName: "foo", step: "major" },
  });
  expect(read({ title: "Bump foo from 1.0.0 to 2.0.0", body })).toMatchObject({
    breaking: [{ where: "body" }],
    issues: [{ number: 12 }],
    bump: null,
  });
});

describe("hostile text", () => {
  test("any strings give an intent, and the same strings the same one", () => {
    const words = fc.constantFrom(
      "feat",
      "!",
      ": ",
      "(",
      ")",
      "[",
      "]",
      "`",
      "```\n",
      "<!--",
      "-->",
      "\n",
      " ",
      "BREAKING CHANGE",
      "breaking change",
      "no ",
      "- [x] ",
      "- [ ] ",
      "# ",
      "? ",
      "yes",
      "fixes ",
      "#1",
      "a/b",
      'Revert "',
      "bump ",
      "from 1 to 2",
      "dependabot/npm_and_yarn/x",
      "gpg:",
      "-a-",
      "\u2028",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, text, (title, body) => {
        const input = { ...everywhere(title), body };
        expect(parseIntent(structuredClone(input))).toEqual(parseIntent(input));
      }),
      runs(2_000),
    );
  });

  const corpora = resolve(process.cwd(), "../shared/bad-inputs");
  test("the naughty strings and fuzzdb's payloads are titles like any other", (context) => {
    if (!existsSync(corpora)) {
      console.warn(`SKIPPED: ${corpora} is absent, so the naughty strings and fuzzdb were not read`);
      context.skip("the bad-input corpora are absent");
    }
    const texts = hostileStrings(corpora);
    expect(texts.length).toBeGreaterThan(1_500);
    for (const text of texts) {
      expect(typeof parseIntent(everywhere(text)).subject).toBe("string");
      expect(parseIntent({ ...EMPTY, title: `feat: ${text}` }).type).toBe("feat");
    }
  });

  // A megabyte each in intent.slow.test.ts.
  test.each(PIECES)("twenty kilobytes of %s are read", (_name, piece) => expectBoundedIntent(piece, 20_000));
});

function hostileStrings(folder: string): readonly string[] {
  const naughty = JSON.parse(readFileSync(join(folder, "naughty-strings/blns.json"), "utf8")) as string[];
  const fuzzdb = readdirSync(join(folder, "fuzzdb"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".txt"))
    .flatMap((name) => readFileSync(join(folder, "fuzzdb", name), "utf8").split("\n"));
  return [...naughty, ...fuzzdb];
}
