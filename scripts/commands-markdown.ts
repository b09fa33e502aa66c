// docs/commands.md, made from the list of verbs.

import { markdownTable } from "../src/cli/terminal-text.ts";
import { VERBS } from "../src/domain/command.ts";

const INTRODUCTION = `# Commands

<!-- Made from src/domain/command.ts by \`npm run generate\`. -->

Write \`/kodiai VERB\` or \`@kodiai VERB\` (or the mention of the app's own name) in the first line of a comment on a pull request:
in the conversation, in a thread on the diff, or as the text of a review. Upper and lower case are the same. Quotations before that
line are skipped, and a list item, emphasis or code around the whole command does not matter. Other code and HTML comments are not
read. What follows a verb is text, never a setting.

Kodiai shows 👀 when it has seen a command, then 🎉 (done), 🚀 (a review was started), 😕 (it failed; a reply says why) or 👎 (not
permitted). It acts on the comment as it was when it was written; editing a comment does nothing.`;

const RIGHTS = `## Who may use what

Kodiai checks the access of the commenter with GitHub, by numeric id, each time unless GitHub denied it within the last minute. When GitHub does not answer, nothing
is done. Comments by bots are never answered. A person who may not use a verb gets 👎, and at most one reply a day.

In a thread of ours a reply need not name Kodiai. After three such answers in a row it waits to be named. At most 30 comments
of one person are answered in an hour in a repository, and 5 of a person without access to it (100 of all of these together). Further ones
get no reaction. Who gains access may have to wait a minute.

\`resolve\` needs a right that GitHub ties to writing code (\`contents: write\`), which Kodiai does not ask for; without it, it says how to
resolve the thread by hand.
`;

/** The whole page. */
export function commandsMarkdown(): string {
  const rows = VERBS.map(({ usage, says, least, author, onClosed }) => [
    `\`${usage}\``,
    says,
    whoMay(least, author),
    onClosed ? "yes" : "no",
  ]);
  const table = markdownTable([["Command", "What it does", "Who", "When closed"], ...rows]);
  return `${INTRODUCTION}\n\n${table}\n${RIGHTS}`;
}

function whoMay(least: string, author: boolean): string {
  if (least === "none") return "everyone";
  return author ? `${least} access, or the author` : `${least} access`;
}
