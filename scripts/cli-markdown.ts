// docs/cli.md from the list of verbs.
import { EXIT, flag } from "../src/cli/help.ts";
import { VERBS, type Verb } from "../src/cli/verbs.ts";

const EXIT_CODES = `## Exit codes

${EXIT.replace("exit: ", "")}.

Only findings end with 1, also of the [action](action.md). The codes of a server: [operating.md](operating.md#when-it-does-not-start).`;

/** test/matrix/clone-states.ts makes each. */
const STATES = `## States of a clone

A shallow or partial clone that may lack the commit where the branch left its base, or lacks the base's branch or a changed file, stops \`kodiai review\`
with 3 and the \`git fetch\` to run. Branches without a common commit, and a folder without a repository, stop it with 3. Where only \`origin\` has
\`main\`, \`--base main\` means \`origin/main\`. Without any commit all files are reviewed. Nested repositories without a commit, pipes and what a sparse
checkout lacks are left out by name. Another folder that a hook names is its own repository.`;

/** Options of most verbs, which are explained once. */
const COMMON: ReadonlySet<string> = new Set(["data-dir", "format", "json", "repo"]);

function optionLine([option, { value, text, multiple }]: [string, Verb["options"][string]]): string {
  return `- \`${flag(option, value)}\`: ${text}${multiple === true ? "; may be repeated" : ""}`;
}

const { review } = VERBS;
const shared: Verb["options"] = VERBS.search.options;

/** Explained once, unless this verb says more of it. */
function isCommon(verb: Verb, option: string): boolean {
  return COMMON.has(option) && shared[option]?.text === verb.options[option]?.text;
}

const SHARED = `## Common options

${Object.entries(shared)
  .filter(([option]) => COMMON.has(option))
  .map(optionLine)
  .join("\n")}

Below only their names.`;

/** A section for each verb. */
export function helpMarkdown(): string {
  const sections = Object.entries<Verb>(VERBS).map(([name, verb]) => {
    const forms = verb.forms.map(([words, text]) => `- \`kodiai ${name}${words === "" ? "" : ` ${words}`}\`: ${text}`);
    const isExplain = name === "explain";
    const own = Object.entries(verb.options).filter(
      ([option]) => !isCommon(verb, option) && !(isExplain && Object.hasOwn(review.options, option)),
    );
    const common = Object.keys(verb.options).filter((option) => isCommon(verb, option));
    const lines = [
      ...own.map(optionLine),
      ...(common.length === 0 ? [] : [`- ${common.map((option) => `\`--${option}\``).join(", ")}`]),
    ];
    const shown = isExplain ? ["Takes the same changes as `review`, its options up to `--show-prompt`, and:"] : forms;
    return [`## ${name}`, "", `${capitalised(verb.summary)}.`, "", ...shown, "", ...lines].join("\n").trimEnd();
  });
  return [SHARED, ...sections, STATES, EXIT_CODES].join("\n\n");
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
