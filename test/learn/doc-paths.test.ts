import { expect, test } from "vitest";
import { isDocPath } from "../../src/learn/documents/from-file.ts";

test("texts for people and agents are documents", () => {
  const paths = [
    "README.md",
    "packages/core/README.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/retries.mdx",
    "docs/adr/0007-use-queues.md",
    "doc/architecture/decisions/0001-record.md",
    "AGENTS.md",
    "CLAUDE.md",
    ".github/copilot-instructions.md",
    ".github/instructions/go.instructions.md",
    ".cursor/rules/style.mdc",
    "wiki/Home.md",
    "README.zh-CN.md",
  ];
  expect(paths.filter((path) => !isDocPath(path))).toEqual([]);
});

test("forms, licences, lists of changes and other files are not", () => {
  const paths = [
    "LICENSE.md",
    "CHANGELOG.md",
    "docs/CHANGELOG.md",
    ".github/ISSUE_TEMPLATE/bug.md",
    ".github/pull_request_template.md",
    "src/docs/index.ts",
    "test/fixtures/page.md",
    "notes.md",
    "constructor",
    "docs",
    "",
  ];
  expect(paths.filter(isDocPath)).toEqual([]);
});
