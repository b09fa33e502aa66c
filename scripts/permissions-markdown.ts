// docs/permissions.md: what the GitHub App may do and hears, each with its reason, from the comments in app.yml.

import { isMap, isPair, isScalar, parseDocument } from "yaml";
import { markdownTable } from "../src/cli/terminal-text.ts";
import type { LivePromise } from "./live-check/report.ts";

const HEAD = `<!-- Made by \`npm run generate\` from app.yml; edit the comments there. -->

# Permissions

What the App asks for, and why. With none of it could Kodiai push, approve, merge or change settings. Each job has a token of its own, for its
own repository, for an hour at most. \`kodiai setup\` makes the App with exactly these (and, with \`--code-scanning\`, \`security_events: read\` for \`review.tools.codeScanning\`) and says what an existing one lacks.
`;

const DOCS = "https://docs.github.com/en";

/** What the product relies on, and where GitHub says so. */
const CONFIRMED: readonly (readonly [fact: string, source: string])[] = [
  [
    "Installation tokens are `ghs_APPID_JWT`, about 520 characters with dots, and are sent as `Authorization: bearer`.",
    `${DOCS}/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app`,
  ],
  [
    "GraphQL answers 200 when a rate limit is exceeded, 200 or 403 for a secondary one; both say when to ask again, else after a minute.",
    `${DOCS}/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api`,
  ],
  [
    "Each list of a GraphQL query is bounded by `first` or `last`, 1 to 100; a query asks for at most 500,000 nodes.",
    `${DOCS}/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api`,
  ],
  [
    "`databaseId` of reviews and their comments holds 32 bits, which ids have outgrown; `fullDatabaseId` takes its place.",
    `${DOCS}/graphql/reference/objects#pullrequestreviewcomment`,
  ],
  [
    "`merge_group` is sent to Apps with `merge_queues: read`; a required check must report on its `head_sha`.",
    `${DOCS}/webhooks/webhook-events-and-payloads#merge_group`,
  ],
  [
    "`check_run` and `check_suite` with the action `rerequested` are sent to the App that owns the check.",
    `${DOCS}/webhooks/webhook-events-and-payloads#check_suite`,
  ],
  [
    "`check_run` with the action `completed` is sent to Apps with `checks: read`, whose check it may be. Code scanning shows one for each tool on the head of a pull request; `code_scanning_alert` is sent for single alerts, and a scan without any sends none.",
    `${DOCS}/webhooks/webhook-events-and-payloads#check_run`,
  ],
  [
    "The payload of a check names no pull requests of forks; they are known by their head.",
    `${DOCS}/webhooks/webhook-events-and-payloads#check_suite`,
  ],
  [
    "A write to a repository that was renamed is redirected to `/repositories/ID`; a client follows it.",
    `${DOCS}/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects`,
  ],
  [
    "A search knows an App as `author:app/NAME`.",
    `${DOCS}/search-github/searching-on-github/searching-issues-and-pull-requests#search-by-author`,
  ],
  [
    "Open pull requests follow their base branch to its new name; one whose head branch is renamed is closed.",
    `${DOCS}/repositories/configuring-branches-and-merges-in-your-repository/managing-branches-in-your-repository/renaming-a-branch`,
  ],
  [
    "With data residency the API is at `https://api.SUBDOMAIN.ghe.com`, of an Enterprise Server at `https://HOST/api/v3`.",
    `${DOCS}/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency`,
  ],
];

/** What no run can bring about, and what Kodiai does either way. */
const UNTRIED: readonly (readonly [open: string, meanwhile: string])[] = [
  ["The form in which GraphQL reports a secondary limit with 200.", "Both known forms are read."],
  [
    "Which ends of lines GitHub writes for a suggestion in a file with CR LF.",
    "The suggestion is posted with those of its lines, as a browser posts it.",
  ],
  [
    "When GitHub stops making the diff of a large pull request (422, `not_available`).",
    "It is waited for; then the comparison of the two commits is read, or the texts.",
  ],
];

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
    "## What GitHub's documentation confirms\n",
    `${CONFIRMED.map(([fact, url]) => `- ${fact.replace(/\.$/, "")} ([source](${url})).`).join("\n")}\n`,
    "## What only a run on the real GitHub can confirm\n",
    "`npm run -s live-check -- OWNER/NAME` tests these, in a clone of Kodiai, with the installed App, in a repository made for it ([how](operating.md#testing-github-itself)).\n",
    markdownTable([
      ["name", "what Kodiai relies on", "what Kodiai does otherwise"],
      ...promises.map(({ name, promise, otherwise }) => [`\`${name}\``, promise, otherwise]),
    ]),
    "No run can bring these about:\n",
    markdownTable([["what is open", "what Kodiai does"], ...UNTRIED]),
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
