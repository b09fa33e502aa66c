// docs/permissions.md: what the GitHub App may do and hears, each with its reason, from the comments in app.yml.
import { appReasons, type Reason } from "./app-manifest.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `<!-- Made by \`npm run generate\` from app.yml; edit the comments there. -->

# Permissions

What the App asks for, and why. There is none with which Kodiai could push, approve on its own, merge or change settings. Each
job works with a token of its own, for its own repository, with no more than that job needs; it ends after an hour at most.
\`kodiai setup\` makes the App with exactly these and says what an existing one lacks. A test takes each away and sees what is missing.
`;

/** @param appYml the text of app.yml */
export function permissionsMarkdown(appYml: string): string {
  const { permissions, events } = appReasons(appYml);
  const row = ({ name, level, why }: Reason) => [
    level === null ? `\`${name}\`` : `\`${name}: ${level}\``,
    why === "" ? "As the one above." : why,
  ];
  return [
    `${HEAD}\n## Permissions of the App\n`,
    markdownTable([["permission", "why"], ...permissions.map(row)]),
    "## Events that it is sent\n",
    markdownTable([["event", "why"], ...events.map(row)]),
    "Being installed and uninstalled is told to every App.\n",
  ].join("\n");
}
