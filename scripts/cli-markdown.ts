// docs/cli.md from the list of verbs.
import { EXIT, flag } from "../src/cli/help.ts";
import { markdownTable } from "../src/cli/terminal-text.ts";
import { VERBS, type Verb } from "../src/cli/verbs.ts";

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
  return [...sections, `## Exit codes\n\n${EXIT.replace("exit: ", "")}.`].join("\n\n");
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
