// The other side of isolated-inspector.ts: files in, what the rules find out, in a process that can
// be ended while a grammar is stuck. It holds no key, and its parent started it without permission
// to write files or to start programs.
import { isDeepStrictEqual } from "node:util";
import type { CustomRule, RuleSetting } from "../../config/repo-config.ts";
import type { InspectedFile } from "../../ports.ts";
import { answerMessages } from "../reading-child.ts";
import { prepareRules } from "./inspector.ts";

interface RuleChoice {
  readonly settings: ReadonlyMap<string, RuleSetting>;
  readonly customRules: readonly CustomRule[];
}

/** A few files at a time, each time with the rules of their review. */
export interface InspectQuestion extends RuleChoice {
  readonly files: readonly InspectedFile[];
  readonly onlyLines: boolean;
}

/** Compiled rules are kept until a review brings others. */
let choice: RuleChoice = { settings: new Map(), customRules: [] };
let inspect = prepareRules(choice.settings, choice.customRules);

answerMessages(async ({ files, onlyLines, settings, customRules }: InspectQuestion) => {
  const wanted = { settings, customRules };
  if (!isDeepStrictEqual(wanted, choice)) {
    inspect = prepareRules(settings, customRules);
    choice = wanted;
  }
  return inspect(files, onlyLines);
});
