import { expect, test } from "vitest";
import { parseText } from "../../../src/adapters/grammars.ts";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { FILE_RULES } from "../../../src/adapters/rules/rules.ts";
import { languageKeys, unreadable } from "../../../src/adapters/rules/syntax.ts";
import { aHunk } from "../../builders/file-diff.ts";
import { casesOf } from "./cases/cases.ts";
import { exampleFile } from "./example-file.ts";

const suggesting = FILE_RULES.filter((rule) => rule.fixes !== undefined);

test("at least 5 rules offer a suggestion", () => {
  expect(suggesting.length).toBeGreaterThanOrEqual(5);
});

for (const rule of suggesting) {
  test(`${rule.id} offers a suggestion for a bad example, each of which silences it and parses as well`, async () => {
    const inspector = rulesInspector([rule]);
    const inspect = async (path: string, code: string) =>
      (await inspector.inspect([exampleFile(path, code)], new Map(), [])).findings;
    let offered = 0;
    for (const { path, code } of casesOf(rule).bad) {
      const before = await inspect(path, code);
      for (const { suggestion } of before) {
        if (suggestion === null) continue;
        offered += 1;
        const lines = code.split("\n");
        lines.splice(suggestion.startLine - 1, suggestion.line - suggestion.startLine + 1, suggestion.text);
        const after = lines.join("\n");
        expect([after, (await inspect(path, after)).length]).toEqual([after, before.length - 1]);
        const [language = ""] = languageKeys(exampleFile(path, code));
        if ("match" in rule) {
          expect(unreadable(parseText(language, after))).toBeLessThanOrEqual(unreadable(parseText(language, code)));
        }
      }
    }
    expect(offered).toBeGreaterThan(0);
  });
}

test("no suggestion replaces a line that was there before", async () => {
  const code = "reply = requests.get(\n    URL,\n)";
  const file = exampleFile("app/a.py", code);
  const hunk = aHunk(1, 1, [" reply = requests.get(", "+    URL,", " )"]);
  const changed = { ...file, diff: { ...file.diff, status: "modified" as const, hunks: [hunk] } };
  const { findings } = await rulesInspector().inspect([changed], new Map(), []);
  expect(findings).toMatchObject([{ rule: "missing-timeout", suggestion: null }]);
});
