// docs/commands.md, made from the list of verbs.

import { VERBS } from "../src/domain/command.ts";
import { markdownTable } from "./markdown-table.ts";

const INTRODUCTION = `# Commands

<!-- Made from src/domain/command.ts by \`npm run generate\`. -->

Write \`/kodiai VERB\` or \`@kodiai VERB\` (or the App's own name) in the first line of a comment on a pull request, below quotations: in the
conversation, in a thread on the diff, or as the text of a review.

Kodiai shows 👀 when it has seen a command, then 🎉 (done), 🚀 (a review was started), 😕 (it failed; a reply says why) or 👎 (not
permitted). Editing a comment does nothing.`;

const RIGHTS = `## Who may use what

Kodiai asks GitHub for the commenter's access each time, by numeric id, unless it was denied within the last minute. When GitHub does not
answer, nothing is done. Bots are never answered. Who may not use a verb gets 👎, and at most one reply a day.

In Kodiai's own threads a reply need not name it; after three answers in a row it must. In an hour and a repository Kodiai answers 30 comments of
one person, 5 of a person without access (10 on their own pull request), and 100 of all people without access.

\`resolve\` needs \`contents: write\`, which Kodiai does not ask for; without it a reply says how to resolve the thread by hand.
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
