// An example of a repository rule as a pull request: one changed file, and the repository around it
// at the head.
import { structuredPatch } from "diff";
import { fileKinds } from "../../../../src/analyze/analyze.ts";
import { defaultConfig } from "../../../../src/config/repo-config.ts";
import { classifyLanguage } from "../../../../src/domain/code/languages.ts";
import type { Snapshot } from "../../../../src/ports/snapshot.ts";
import type { InspectedFile } from "../../../../src/ports.ts";
import { aFileDiff, aHunk } from "../../../builders/file-diff.ts";
import { snapshotOf } from "../../contracts/symbols.ts";
import type { Example } from "../rule-cases.ts";

const kindOf = fileKinds(defaultConfig().fileKinds);

export function exampleChange({ path, code, before, beside = {} }: Example): {
  readonly file: InspectedFile;
  readonly snapshot: Snapshot;
} {
  const isRemoved = code === "" && before !== undefined;
  const { hunks } = structuredPatch(path, path, before ?? "", code, "", "", { context: 3 });
  const marked = hunks.map(({ oldStart, newStart, lines }) =>
    aHunk(
      oldStart,
      newStart,
      lines.filter((line) => !line.startsWith("\\")),
    ),
  );
  const status = isRemoved ? "removed" : before === undefined ? "added" : "modified";
  return {
    file: {
      diff: aFileDiff(path, marked, { status }),
      facts: { path, language: classifyLanguage(path, { content: code }).language, kind: kindOf(path) },
      headText: isRemoved ? null : code,
    },
    snapshot: snapshotOf({ ...beside, ...(isRemoved ? {} : { [path]: code }) }),
  };
}
