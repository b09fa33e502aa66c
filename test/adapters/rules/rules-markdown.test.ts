import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import { rulesMarkdown } from "../../../scripts/rules-markdown.ts";
import type { LineRule } from "../../../src/adapters/rules/rule.ts";
import { EVERY_RULE } from "../../../src/adapters/rules/rules.ts";

test("the page has a section for every rule", () => {
  const page = rulesMarkdown();
  const html = micromark(page, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  for (const { id } of EVERY_RULE) {
    expect(html.split(`<h4>${id}</h4>`)).toHaveLength(2);
  }
  expect(html).toContain("<h3>Security</h3>");
});

test("invisible characters of examples are written out, and fences inside them do not end the block", () => {
  const rule: LineRule = {
    id: "hidden-text",
    title: "Hidden | text",
    severity: "major",
    category: "security",
    confidence: 1,
    why: "It is hidden.",
    fix: "Remove it.",
    inTests: true,
    check: () => [],
  };
  const page = rulesMarkdown([rule], () => [{ path: "a.md", code: "```\nif (\u202eadmin)\n```" }]);
  expect(page).toContain("````md\n```\nif (\\u{202e}admin)\n```\n````");
  expect(page).not.toContain("\u202e");
  expect(page).toContain("**Hidden | text** (major");
});
