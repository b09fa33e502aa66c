// The other side of isolated-inspector.ts: files in, what the rules say out, in a process that can be ended while a grammar is
// stuck. It holds no key, and its parent started it without the right to write files or to start programs.
import type { CustomRule, RuleSetting } from "../../config/repo-config.ts";
import type { InspectedFile, Inspection } from "../../ports.ts";
import { type PreparedRules, prepareRules } from "./inspector.ts";

/** The rules of a review, before its first files; then files, a few at a time. */
export type InspectQuestion =
  | {
      readonly kind: "rules";
      readonly settings: ReadonlyMap<string, RuleSetting>;
      readonly customRules: readonly CustomRule[];
    }
  | { readonly kind: "files"; readonly files: readonly InspectedFile[]; readonly onlyLines: boolean };

let prepared: PreparedRules | null = null;

async function answer(question: InspectQuestion): Promise<Inspection> {
  if (question.kind === "rules") {
    prepared = prepareRules(question.settings, question.customRules);
    return prepared.problems;
  }
  if (prepared === null) throw new Error("a file before the rules");
  return prepared.inspect(question.files, question.onlyLines);
}

process.on("message", (question: InspectQuestion) => {
  // What goes wrong with one rule is in the answer; what is left ends the process, and the parent says so.
  void answer(question).then((inspection) => process.send?.(inspection));
});
// The parent has ended, so no more requests come.
process.on("disconnect", () => process.exit(0));
