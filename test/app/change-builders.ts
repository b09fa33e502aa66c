// Files that people change in these plays, and how a visitor sums up what stands on a pull request.
import type { Pull } from "../fakes/github/conversation.ts";
import type { GitHubWorld } from "../fakes/github/github.ts";

/** Nothing to say about it. */
export const LOGIN = [
  'import { createHash } from "node:crypto";',
  "",
  "export function etag(content: string): string {",
  '  return createHash("sha256").update(content).digest("hex");',
  "}",
  "",
].join("\n");

const HASH_PASSWORD = [
  "",
  "export function hashPassword(password: string): string {",
  '  return createHash("md5").update(password).digest("hex");',
  "}",
  "",
].join("\n");

/** One finding, on line 8: weak-password-hash. */
export const WEAK_LOGIN = LOGIN + HASH_PASSWORD;

/** One finding, on line 5: tls-verify-disabled. */
export const BALANCE = [
  "import requests",
  "",
  "",
  "def balance(account: str) -> dict:",
  '    return requests.get(f"https://bank.example.com/{account}", verify=False, timeout=5).json()',
  "",
].join("\n");

/** One finding, on line 3: shell-from-strings. */
export const BACKUP = [
  "import subprocess",
  "def backup(name: str) -> None:",
  '    subprocess.run("tar czf /backup/" + name + ".tgz /srv", shell=True, check=True)',
  "",
].join("\n");

/** Each inline comment as `PATH:LINE RULE`, in the order in which they were posted. */
export function said(world: Pick<GitHubWorld, "comments">, pull: Pull): string[] {
  return world.comments(pull).inline.map(({ path, line, body }) => `${path}:${line} ${ruleOf(body)}`);
}

/** For repositories whose clean pull requests a test wants a summary of. */
export const ALWAYS: Readonly<Record<string, string>> = { ".kodiai.yml": "review: {summary: always}\n" };

/** The one sticky summary; throws when there is none or more than one. */
export function summaryOf(
  world: Pick<GitHubWorld, "comments" | "bot">,
  pull: Pull,
): { id: number; body: string; editedTimes: number } {
  const [summary, ...more] = world.comments(pull).summary.filter(({ author }) => author === world.bot.login);
  if (summary === undefined || more.length > 0) throw new Error(`${more.length + (summary ? 1 : 0)} summaries`);
  return summary;
}

/** Requests that changed something on GitHub; making a token is not one. */
export function writes(world: GitHubWorld): string[] {
  return world.requests
    .filter(({ method, path }) => method !== "GET" && !path.endsWith("/access_tokens"))
    .map(({ method, path, status }) => `${status} ${method} ${path}`);
}

function ruleOf(body: string): string {
  return /Rule `([a-z0-9-]+)`/.exec(body)?.[1] ?? "no rule";
}
