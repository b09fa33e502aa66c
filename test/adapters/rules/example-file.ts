// An example of a rule as the file of a pull request: every line is added, the head text is known.
import { canonicalLanguage } from "../../../src/domain/language.ts";
import type { InspectedFile } from "../../../src/ports.ts";

const LANGUAGES: Readonly<Record<string, string>> = {
  cjs: "javascript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  kt: "kotlin",
  sh: "shell",
  yml: "yaml",
  tf: "hcl",
  cs: "csharp",
};

/** A new file with this text. `kind` is test only where the path says so. */
export function exampleFile(path: string, text: string): InspectedFile {
  const lines = text.split("\n");
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const isTest = /(^|\/)(tests?|spec|__tests__)\/|[._](test|spec)\.|_test\.go$/.test(path);
  return {
    headText: text,
    facts: {
      path,
      language: LANGUAGES[extension] ?? canonicalLanguage(extension),
      kind: isTest ? "test" : "source",
    },
    diff: {
      path,
      previousPath: null,
      status: "added",
      binary: false,
      oldMode: null,
      newMode: "100644",
      additions: lines.length,
      deletions: 0,
      complete: true,
      hunks: [
        {
          oldStart: 0,
          oldLines: 0,
          newStart: 1,
          newLines: lines.length,
          section: "",
          lines: lines.map((line, index) => ({ kind: "added", oldLine: null, newLine: index + 1, text: line })),
        },
      ],
    },
  };
}
