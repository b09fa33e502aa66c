// Bots whose pull requests are reviewed as people's are, by the slug of their App: it is the same on every GitHub, and no person
// can have a login that ends with `[bot]`.

/** Agents that write code on request. */
const CODING_AGENTS = [
  "amazon-q-developer",
  "chatgpt-codex-connector",
  "claude",
  "codegen-sh",
  "copilot",
  "copilot-swe-agent",
  "cursor",
  "devin-ai-integration",
  "factory-droid",
  "google-labs-jules",
  "openhands-agent",
  "sweep-ai",
];

/** Their changes are ordinary ones: versions and lock files, and sometimes code. */
const DEPENDENCY_BOTS = ["dependabot", "dependabot-preview", "renovate", "renovate-bot", "mend-for-github-com"];

const REVIEWED: ReadonlySet<string> = new Set([...CODING_AGENTS, ...DEPENDENCY_BOTS]);

/** Whether a bot is one of those above: `agents` of `review.bots`. */
export function isAgent(login: string): boolean {
  return REVIEWED.has(slugOf(login));
}

/** The slug of a bot's App, in lower case; of a person the login. */
export function slugOf(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
