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

/** Which bots: the ones above, none, all, or those with these logins, with `[bot]` or without. */
type ReviewedBots = "agents" | "none" | "all" | readonly string[];

/** Whether the pull requests of this bot are reviewed. */
export function isReviewedBot(login: string, bots: ReviewedBots): boolean {
  if (bots === "all" || bots === "none") return bots === "all";
  const slug = slugOf(login);
  if (bots === "agents") return REVIEWED.has(slug);
  return bots.some((one) => slugOf(one) === slug || (one === "agents" && REVIEWED.has(slug)));
}

function slugOf(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
