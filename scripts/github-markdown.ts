// docs/internals/github.md: what Kodiai relies on of GitHub, apart from what a live check tries.

import { markdownTable } from "./markdown-table.ts";

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

export function githubMarkdown(): string {
  return [
    "<!-- Made by `npm run generate` from scripts/github-markdown.ts. -->\n",
    "# What Kodiai relies on of GitHub\n",
    "What a run on the real GitHub shows: [permissions](../permissions.md#what-only-a-run-on-the-real-github-can-confirm).\n",
    "## What GitHub's documentation confirms\n",
    `${CONFIRMED.map(([fact, url]) => `- ${fact.replace(/\.$/, "")} ([source](${url})).`).join("\n")}\n`,
    "## What no run can bring about\n",
    markdownTable([["what is open", "what Kodiai does"], ...UNTRIED]),
  ].join("\n");
}
