// Pull requests of the demo's world that only pictures show: a review with the results of two
// tools, a clean one on which nothing is posted but a reaction, and the comments of the Action.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DemoDashboard } from "../test/dashboard/demo-dashboard.ts";
import type { Pull } from "../test/fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../test/fakes/github/github.ts";
import type { PostedOnPull } from "./review-page.ts";

const PAGE = [
  "import requests",
  "from jinja2 import Template",
  "",
  "def page(name):",
  "    return Template(name).render()",
  "",
  "def rates(url):",
  "    return requests.get(url, verify=False)",
  "",
].join("\n");
const FOUND = { path: "web/page.py", line: 5, tags: ["security"] } as const;
const SCANS = "review: {tools: {codeScanning: true}}\n";

interface Shown {
  readonly pull: Pull;
  readonly comments: PostedOnPull;
}

/** Two tools that say the same of one line, and one of them something else of another. */
export async function pullWithTools({ world, settled }: DemoDashboard): Promise<Shown> {
  const repository = await world.repository("acme", "pages", {
    files: { "README.md": "# Pages\n", ".kodiai.yml": SCANS },
  });
  const files = { "web/page.py": PAGE };
  const pull = await world.pullRequest(repository, { title: "feat: pages", author: "mona", draft: true, files });
  await settled();
  const injection = { ...FOUND, rule: "py/template-injection", message: "This template is made of a name." };
  world.scanned(pull, "CodeQL", [injection]);
  world.scanned(pull, "Semgrep OSS", [
    {
      ...FOUND,
      rule: "python.jinja2.ssti",
      message: "A template is rendered from a string. Load it from a file instead.",
    },
    { ...FOUND, rule: "python.naming.page", line: 4, message: "A page needs a title.", tags: [] },
  ]);
  await world.readyForReview(pull);
  await settled();
  return { pull, comments: world.comments(pull) };
}

/** After the first review of its repository, whose summary is posted in any case. */
export async function cleanPull({ world, pull: first, settled }: DemoDashboard): Promise<Shown> {
  const { repository } = first;
  const files = { "docs/notes.md": "# Notes\n\nThe ledger is closed at midnight.\n" };
  const pull = await world.pullRequest(repository, {
    title: "docs: say when the ledger is closed",
    author: "mona",
    files,
  });
  await settled();
  return { pull, comments: world.comments(pull) };
}

/** Reviewed by `action.yml` as a runner runs it, on a GitHub without the App. */
export async function pullOfTheAction() {
  const world = await startGitHub();
  try {
    return await reviewedByAction(world);
  } finally {
    await world.close();
  }
}

async function reviewedByAction(world: GitHubWorld): Promise<Shown> {
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const files = { "web/page.py": PAGE };
  const pull = await world.pullRequest(repository, { title: "feat: pages", author: "mona", files });
  const runner = mkdtempSync(join(tmpdir(), "kodiai-runner-"));
  try {
    const event = join(runner, "event.json");
    const html_url = `https://github.com/acme/shop/pull/${pull.number}`;
    const head = { repo: { full_name: "acme/shop" } };
    writeFileSync(event, JSON.stringify({ repository: head.repo, pull_request: { html_url, head } }));
    const env = {
      PATH: process.env.PATH,
      HOME: runner,
      RUNNER_TEMP: runner,
      GITHUB_WORKSPACE: runner,
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: world.apiUrl,
      GITHUB_EVENT_PATH: event,
      GITHUB_OUTPUT: join(runner, "output"),
      GITHUB_STEP_SUMMARY: join(runner, "summary"),
      INPUT_COMMENT: "true",
      "INPUT_FAIL-ON": "never",
      INPUT_TOKEN: world.workflowToken("acme", "write"),
    };
    const child = spawn(process.execPath, [resolve("scripts/action.mjs")], { cwd: runner, env, stdio: "inherit" });
    const code = await new Promise<number | null>((done) => child.on("close", done));
    if (code !== 0) throw new Error(`the action ended with ${code}`);
    return { pull, comments: world.comments(pull) };
  } finally {
    rmSync(runner, { recursive: true });
  }
}
