import { describe, expect, test } from "vitest";
import { breakingSources } from "../../src/analyze/breaking.ts";
import { intentProse } from "../../src/analyze/intent-prose.ts";
import { parseTitle } from "../../src/analyze/title.ts";

const find = (input: { title?: string; body?: string; commits?: string[] }) =>
  breakingSources({
    title: parseTitle(input.title ?? "Update the client"),
    body: intentProse(input.body ?? ""),
    commits: (input.commits ?? []).map((message) => intentProse(message)),
  });
const inBody = (body: string) => find({ body }).length > 0;

describe("titles", () => {
  test.each([
    "feat!: v14",
    "fix(deps)!: send@^1.0.0",
    "api!: drop the old route",
    "BREAKING CHANGE: drop EOL Node.js v18",
    "[BREAKING CHANGE] Ignore added_tokens",
    "[BC Break] Remove the facade",
  ])("%s", (title) => {
    expect(find({ title })).toEqual([{ where: "title", text: expect.stringMatching(/\S/) }]);
  });

  test.each([
    "docs: list the breaking changes of v5",
    "Fix line breaking in tables",
    "ci: detect breaking changes",
    "Stop!",
  ])("announces nothing: %s", (title) => expect(find({ title })).toEqual([]));
});

describe("bodies announce", () => {
  test.each([
    "This is a breaking change to the player API.",
    "Breaking API response format",
    "BREAKING CHANGE: Drop support for NodeJS v14, v16",
    "BREAKING-CHANGE: `createWebhooksApi()` has been removed",
    "BREAKING CHANGES: examples have been removed for GHAE",
    "**BREAKING CHANGE**: the default changed",
    'BREAKING (internals): `optin` is now "defaulted" rather than "optional".',
    "Some text.\n\n## Breaking changes\n\n- `foo` is now `bar`\n",
    "**Breaking changes:**\n\nThe port is required.",
    "- [x] Breaking change (fix or feature that would cause existing functionality to change)",
    "## Does this PR introduce a breaking change?\n\n- [x] Yes\n- [ ] No\n",
    "Does this PR introduce a breaking change? Yes, see below.",
    "| Breaking change? | Yes |",
    "If you call `open`, this is a breaking change.",
    "This is not a bug fix, it is a breaking change.",
    "Fixes #12 and is a breaking change.",
    "This breaks backwards compatibility of the wire format.",
    "The cache is backward-incompatible with v1.",
  ])("%s", (body) => expect(inBody(body)).toBe(true));
});

describe("bodies announce nothing", () => {
  test.each([
    "This is not a breaking change",
    "This is a non-breaking change.",
    "to the public trait is non-breaking: external implementors do not",
    "to be a nonbreaking change",
    "the default value is still a string, so it's not a breaking change, and",
    "This is not a backwards compatibility breaking change, as I added the",
    "This is not a backwards compatibility\nbreaking change",
    "No breaking changes.",
    "There are no deprecations or breaking changes",
    "This doesn't introduce any breaking changes",
    "I don’t think this is a breaking change.",
    "Without breaking changes for callers",
    "Breaking change: No",
    "Breaking changes: none",
    "**Breaking change**: N/A",
    "BREAKING CHANGE: none",
    "| Breaking change? | No |",
    "| BC breaks? | no |",
    "Breaking changes are not expected here",
    "## Breaking changes\n\nNone\n\n## Tests",
    "## Breaking changes\n\n## Tests\n\nAdded some.",
    "## Breaking changes",
    "3. Breaking changes\n\nNone.",
    "## Does this PR introduce a breaking change?\n\n- [ ] Yes\n- [x] No\n",
    "## Does this PR introduce a breaking change?\n\n- [ ] Yes\n- [ ] No\n",
    "Does this PR introduce a breaking change? No.",
    // The templates of dependency-cruiser and PowerShell, as filled in by their users.
    "- [x] New feature (non-breaking change which adds functionality)\n- [ ] Breaking change (fix or feature that would cause existing\nfunctionality to change)\n\n## Checklist",
    "- **[Breaking changes](https://github.com/PowerShell/PowerShell/blob/master/.github/CONTRIBUTING.md#making-breaking-changes)**\n    - [x] None\n    - **OR**\n    - [ ] [Experimental feature(s) needed](https://example.com)",
    "Changing the signature of\n`extractDepcruiseConfig` would constitute a breaking change - and",
    "- [x] feature switches it in the configuration (otherwise it would be a\nbreaking change) -",
    "Made configurable to prevent\nbreaking changes + the current representation",
    "This will allow to catch\nbreaking changes in public API earlier",
    "Fixes the breaking change of #12",
    "- [x] I didn't break anyone :smile:",
    "`breaking change`",
    "```\nBREAKING CHANGE: x\n```",
    "> BREAKING CHANGE: quoted",
    "<!-- Describe any BREAKING CHANGE: here -->",
    "<!--\n## Breaking changes\nSay what breaks.\n-->",
    "* style(package): line break removed",
    "a groundbreaking change",
    "breaking build as an example",
  ])("%s", (body) => expect(find({ body })).toEqual([]));
});

describe("commits", () => {
  test("the mark in a header and the footer count, each with its words", () => {
    const commits = ["feat!: drop old", "fix: x\n\nLong text.\n\nBREAKING CHANGE: the port is required\nRefs: #1"];
    expect(find({ commits })).toEqual([
      { where: "commit", text: "feat!: drop old" },
      { where: "commit", text: "BREAKING CHANGE: the port is required" },
    ]);
  });

  test.each([
    'Revert "feat!: drop old"',
    "fixup! feat: x",
    "fix: x\n\nBREAKING CHANGE: none",
    "fix: x\n\nThis was a breaking change in 2.0, now fixed",
  ])("announces nothing: %s", (message) => expect(find({ commits: [message] })).toEqual([]));
});

test("texts are at most 120 characters, places at most 20, for any body", () => {
  const line = `BREAKING CHANGE: ${"😀".repeat(200)}`;
  const sources = find({
    body: Array.from({ length: 300 }, (_, index) => `${line} ${index}\n\nBREAKING CHANGE: ${index}`).join("\n"),
  });
  expect(sources.length).toBe(20);
  for (const { text } of sources) {
    expect(text.length).toBeLessThanOrEqual(120);
    expect(text.isWellFormed()).toBe(true);
  }
});
