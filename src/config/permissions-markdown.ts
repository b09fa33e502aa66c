// docs/permissions.md: what the GitHub App may do and hears, each with its reason, from the comments in app.yml.
import { appReasons, type Reason } from "./app-manifest.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `<!-- Made by \`npm run generate\` from app.yml; edit the comments there. -->

# Permissions

What the App asks for, and why. There is none with which Kodiai could push, approve on its own, merge or change settings. Each
job works with a token of its own, for its own repository, with no more than that job needs; it ends after an hour at most.
\`kodiai setup\` makes the App with exactly these and says what an existing one lacks. A test takes each away and sees what is missing.
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
    "With data residency the API is at `https://api.SUBDOMAIN.ghe.com`, of an Enterprise Server at `https://HOST/api/v3`.",
    `${DOCS}/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency`,
  ],
];

const LIVE = [
  "Only a run on the real GitHub can confirm: the form in which GraphQL reports a secondary limit with 200 (both known forms are",
  "read), and that `resolveReviewThread` still needs `contents: write`.",
];

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
    "## What GitHub's documentation confirms\n",
    markdownTable([["what Kodiai relies on", "source"], ...CONFIRMED.map(([fact, url]) => [fact, `<${url}>`])]),
    `${LIVE.join("\n")}\n`,
  ].join("\n");
}
