// docs/permissions.md: what the GitHub App may do and hears, each with its reason, from the comments in app.yml.
import { appReasons, type Reason } from "../src/config/app-manifest.ts";
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
    "`merge_group` is sent to Apps with `merge_queues: read`; a required check must report on its `head_sha`.",
    `${DOCS}/webhooks/webhook-events-and-payloads#merge_group`,
  ],
  [
    "`check_run` and `check_suite` with the action `rerequested` are sent to the App that owns the check.",
    `${DOCS}/webhooks/webhook-events-and-payloads#check_suite`,
  ],
  [
    "A write to a repository that was renamed is redirected to `/repositories/ID`; a client follows it.",
    `${DOCS}/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects`,
  ],
  [
    "With data residency the API is at `https://api.SUBDOMAIN.ghe.com`, of an Enterprise Server at `https://HOST/api/v3`.",
    `${DOCS}/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency`,
  ],
];

/** What no document says, and what Kodiai does either way. */
const LIVE: readonly (readonly [open: string, meanwhile: string])[] = [
  ["The form in which GraphQL reports a secondary limit with 200.", "Both known forms are read."],
  ["Whether `resolveReviewThread` still needs `contents: write`.", "A refusal is told in the answer."],
  [
    "Whether an App may react to comments of the conversation with `pull_requests: write`.",
    "Answers are posted without; refused reactions are counted by `kodiai doctor`.",
  ],
  [
    "Whether searches know Copilot's pull requests: they know an App as `author:app/NAME`, and refuse `author:Copilot` with 422.",
    "The author's tier is missing with its reason; a check still concludes.",
  ],
  [
    "Whether a write to a repository that was renamed gets 307, as documented, or 301.",
    "Both are followed, 301 to the repository's number only.",
  ],
  [
    "Whether an App may hide its own review comments (`minimizeComment`).",
    "`kodiai retract` names what is left for a person to hide, and takes back the rest.",
  ],
  [
    "Whether outside collaborators can log in to the dashboard through a private App of another account.",
    "Who cannot uses `KODIAI_DASHBOARD_TOKEN`.",
  ],
  [
    "Whether GitHub shows a queued check suite of the App where `review.checks` is off.",
    "`kodiai setup --without-checks` makes an App that has no suites.",
  ],
  [
    "The oldest Enterprise Server: `fullDatabaseId` of review comments and the event `merge_group` are needed.",
    "Nothing older than a release that GitHub still supports is promised.",
  ],
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
    "## What only a run on the real GitHub can confirm\n",
    markdownTable([["what is open", "what Kodiai does"], ...LIVE.map(([open, meanwhile]) => [open, meanwhile])]),
  ].join("\n");
}
