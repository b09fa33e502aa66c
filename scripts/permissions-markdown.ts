// docs/permissions.md: what the GitHub App may do and hears, each with its reason, from the
// comments in app.yml.

import { isMap, isPair, isScalar, parseDocument } from "yaml";
import type { LivePromise } from "./live-check/report.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `<!-- Made by \`npm run generate\` from app.yml; edit the comments there. -->

# Permissions

What the App asks for, and why. With these it cannot push, merge or change settings, and Kodiai never approves. Each job gets a token for its own
repository, for an hour at most. \`kodiai setup\` makes the App with exactly these (with \`--code-scanning\` also \`security_events: read\`), and says what an existing one lacks.
`;

/**
 * @param appYml the text of app.yml
 * @param promises what a live check tries
 */
export function permissionsMarkdown(appYml: string, promises: readonly LivePromise[]): string {
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
    "Every App receives the events of being installed and uninstalled.\n",
    "## What only a run on the real GitHub can confirm\n",
    "`npm run -s live-check -- OWNER/NAME` tests these ([how](operating.md#testing-github-itself)); its report says what Kodiai does where one does not hold.\n",
    markdownTable([
      ["name", "what Kodiai relies on"],
      ...promises.map(({ name, promise }) => [`\`${name}\``, promise]),
    ]),
  ].join("\n");
}

/** A line of app.yml with the comment above it, for documents. */
interface Reason {
  readonly name: string;
  /** null for an event. */
  readonly level: string | null;
  readonly why: string;
}

/** The comments above events and permissions, which explain why each is requested. */
function appReasons(text: string): {
  readonly events: readonly Reason[];
  readonly permissions: readonly Reason[];
} {
  const root = parseDocument(text);
  const events = root.get("default_events", true);
  const permissions = root.get("default_permissions", true);
  const listed =
    events !== undefined && "items" in (events as object) ? (events as { items: readonly unknown[] }).items : [];
  return {
    events: listed.flatMap((item, at) => {
      const before = at === 0 ? (events as { commentBefore?: string | null }).commentBefore : null;
      return isScalar(item)
        ? [{ name: String(item.value), level: null, why: oneLine(item.commentBefore ?? before) }]
        : [];
    }),
    permissions: !isMap(permissions)
      ? []
      : permissions.items.flatMap((pair, at) => {
          if (!isPair(pair) || !isScalar(pair.key)) return [];
          const why = pair.key.commentBefore ?? (at === 0 ? permissions.commentBefore : null);
          return [{ name: String(pair.key.value), level: String(pair.value), why: oneLine(why) }];
        }),
  };
}

function oneLine(comment: string | null | undefined): string {
  return (comment ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .trim();
}
