// An example of a rule as the file of a pull request: every line is added, the head text is known.
import { fileKinds } from "../../../src/analyze/analyze.ts";
import { defaultConfig } from "../../../src/config/repo-config.ts";
import { classifyLanguage } from "../../../src/domain/code/languages.ts";
import type { InspectedFile } from "../../../src/ports.ts";
import { addedHunk, aFileDiff } from "../../builders/file-diff.ts";

const kindOf = fileKinds(defaultConfig().fileKinds);

/** A new file with this text. Language and kind are what analyze makes of path and text. */
export function exampleFile(path: string, text: string): InspectedFile {
  const lines = text.split("\n");
  return {
    headText: text,
    facts: { path, language: classifyLanguage(path, { content: text }).language, kind: kindOf(path) },
    diff: aFileDiff(path, [{ ...addedHunk(1, lines), oldStart: 0 }], { status: "added", oldMode: null }),
  };
}
