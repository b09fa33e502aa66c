// What becomes of each command in the documents: run here, run by another test, or not run for a
// reason.

/** By exact text. */
export const ELSEWHERE: ReadonlyMap<string, { readonly test: string; readonly says: string }> = new Map([
  ["npm run demo", { test: "test/demo/first-review.test.ts", says: "demo" }],
  [
    "kodiai review --sarif semgrep.sarif --sarif eslint.sarif --fail-on major",
    { test: "test/cli/sarif.test.ts", says: "--sarif=" },
  ],
  ["npm start", { test: "test/app/server-process.ts", says: "src/main.ts" }],
  [
    'npm run -s kodiai -- setup --webhook-url https://YOUR-HOST/api/github/webhooks --name "Kodiai of YOUR-NAME"',
    { test: "test/cli/setup.test.ts", says: '"--name"' },
  ],
  [
    'npm run -s kodiai -- setup --webhook-url https://YOUR-HOST/api/github/webhooks --name "Kodiai of YOUR-NAME" --org YOUR-ORG',
    { test: "test/cli/setup.test.ts", says: '"--org"' },
  ],
  ["kodiai import OWNER/NAME --dry-run", { test: "test/cli/import-history.slow.test.ts", says: '"--dry-run"' }],
  ["kodiai import OWNER/NAME --limit 500", { test: "test/cli/import-history.slow.test.ts", says: '"--limit"' }],
  ["kodiai import OWNER/NAME --since 2026-01-31", { test: "test/cli/import-history.slow.test.ts", says: '"--since"' }],
  [
    "npm run -s release:pack -- --pack-destination out",
    { test: "test/release/installed.ts", says: "scripts/release-pack.ts" },
  ],
]);

/** Why a command is run by no test. */
export const NOT_RUN: readonly { readonly command: RegExp; readonly why: string }[] = [
  { command: /^npm ci$/, why: "it made the project in which this test runs" },
  {
    command: /^docker |^umask 077; \[ -f data\/postgres\.env \]/,
    why: "no Docker where tests run; test/deploy reads the files",
  },
  { command: /^(?:kubectl |cp deploy\/kubernetes\/)/, why: "no cluster where tests run; test/deploy reads the files" },
  {
    command: /^(?:useradd|systemctl|install) /,
    why: "changes the machine as root; test/deploy has systemd verify the unit",
  },
  {
    command: /^git pull$|^cloudflared tunnel |^ngrok http |^semgrep /,
    why: "needs the internet, and programs of others",
  },
  {
    command: /^npm install --prefix \/opt\/kodiai /,
    why: "needs a folder of root; test/release installs the packed package",
  },
  { command: /^git clone https:\/\/github\.com\/OWNER\/kodiai$|^cd kodiai$/, why: "needs the repository on GitHub" },
  { command: /^npm install @opentelemetry\//, why: "packages of others, which the project does not depend on" },
  { command: /^OTEL_SERVICE_NAME=/, why: "needs those packages" },
  {
    command: /^claude mcp add /,
    why: "a program of others; tests of `kodiai mcp` speak to it with the official client",
  },
];
