// docs/cli.md from the list of verbs.
import { EXIT, flag } from "../src/cli/help.ts";
import { markdownTable } from "../src/cli/terminal-text.ts";
import { VERBS, type Verb } from "../src/cli/verbs.ts";
import { CLONE_RESULTS } from "./clone-results.ts";

const EXIT_CODES = `## Exit codes

${EXIT.replace("exit: ", "")}.

Nothing but findings ends with 1, so a script can stop for them alone. Everything else that keeps a verb from its end is 3: an error, a \`doctor\` that finds
something broken, a Node that is too old, no home folder. The same holds for \`npm start\`, \`npm run demo\` and the [action](action.md);
[operating.md](operating.md#when-it-does-not-start) has the codes of a server.`;

const STATES = `## States of a clone

What \`kodiai review\` does; \`explain\`, \`mcp\` and hooks do the same.

${markdownTable([["the clone", "result"], ...Object.entries(CLONE_RESULTS)]).trimEnd()}`;

/** A section for each verb. */
export function helpMarkdown(): string {
  const sections = Object.entries<Verb>(VERBS).map(([name, verb]) => {
    const forms = verb.forms.map(([words, text]) => `- \`kodiai ${name}${words === "" ? "" : ` ${words}`}\`: ${text}`);
    const rows = Object.entries(verb.options).map(([option, { value, text, multiple }]) => [
      `\`${flag(option, value)}\``,
      `${text}${multiple === true ? "; may be repeated" : ""}`,
    ]);
    const options = rows.length === 0 ? [] : ["", markdownTable([["option", "meaning"], ...rows]).trimEnd()];
    return [`## ${name}`, "", `${capitalised(verb.summary)}.`, "", ...forms, ...options].join("\n");
  });
  return [...sections, STATES, EXIT_CODES].join("\n\n");
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
