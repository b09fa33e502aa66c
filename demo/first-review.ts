// The first scene of the demo: a repository with an earlier review, the app, a pull request, and
// the review of it. Removes its files at the end.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import Database from "better-sqlite3";
import { mergedPull, people, saidOnLine } from "../test/app/past-reviews.ts";
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../test/fakes/github/github.ts";
import { readManifest } from "../test/fakes/github/manifest.ts";
import { PULL_REQUEST } from "./pull-request.ts";
import type { Stage } from "./repeated-findings.ts";
import { BASE } from "./repository.ts";
import { showReview } from "./show-review.ts";
import { stageLine } from "./stage-line.ts";
import type { AppOptions, RunningApp, StartApp } from "./start-app.ts";

/** What is on the pull request in the end. */
export interface Counts {
  readonly reviews: number;
  readonly inline: number;
  /** Comments of reviewers that were imported. */
  readonly imported: number;
  /** Languages of the files with an inline comment. */
  readonly languages: number;
}

export interface Terminal {
  /** Opens the app's dashboard with this token; without one there is no dashboard. */
  readonly dashboardToken?: string;
  readonly colours: boolean;
  readonly print: (text: string) => void;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ".ts": "TypeScript",
  ".py": "Python",
  ".go": "Go",
  ".sql": "SQL",
  ".yml": "YAML",
  ".json": "JSON",
  ".md": "Markdown",
};
/** A reviewer's comment from before Kodiai was installed. */
const ADVICE = "Give subprocess.run a list and leave shell=True out: a name with a semicolon in it runs anything.";
const WATCHDOG = 60_000;
const QUIET = 500;
const POLL = 50;

/** Runs after the first review, in the same world. */
export type Scene = (at: Stage) => Promise<Readonly<Record<string, number>>>;

/**
 * @param scene runs after the first review; its counts are added to the result
 * @throws Error when no review is posted, or when the app sent a request that GitHub does not know
 */
export async function runDemo(
  startApp: StartApp,
  terminal: Terminal,
  scene?: Scene,
): Promise<Counts & Readonly<Record<string, number>>> {
  const dataDir = await mkdtemp(join(tmpdir(), "kodiai-demo-"));
  // With the one permission that only code scanning needs.
  const manifest = readManifest();
  const permissions = { ...manifest.permissions, security_events: "read" } as const;
  const world = await startGitHub({ manifest: { ...manifest, permissions } });
  let app: RunningApp | null = null;
  try {
    const repository = await world.repository("acme", "ledger", { files: BASE });
    terminal.print(`An emulated GitHub serves acme/ledger, ${Object.keys(BASE).length} files on main.`);
    const advised = await earlierReview(world, repository);
    terminal.print(`On #${advised.number}, ines commented "${ADVICE}", and lena fixed it.`);
    const stages: string[] = [];
    const onStep: AppOptions["onStep"] = (_job, stage, value, ms) => stages.push(stageLine(stage, value, ms));
    app = await startApp({
      apiUrl: world.apiUrl,
      ...world.appCredentials,
      dataDir,
      dashboardToken: terminal.dashboardToken,
      onStep,
    });
    world.setWebhookUrl(app.webhookUrl);
    terminal.print("Kodiai starts with the permissions of app.yml and `security_events: read`, and without a model.");
    await world.install("acme", [repository]);
    await idle(dataDir);
    const imported = rememberedComments(dataDir);
    terminal.print(`It is installed on acme/ledger and imports the earlier review comments: ${imported}.`);
    stages.length = 0;
    const pull = await world.pullRequest(repository, PULL_REQUEST);
    terminal.print(
      `${pull.author.login} opens #${pull.number} "${pull.title}", ${Object.keys(PULL_REQUEST.files).length} files.`,
    );
    await settled(world, pull);
    printTraffic(world, stages, terminal);
    const comments = world.comments(pull);
    terminal.print(`\n${showReview({ number: pull.number, title: pull.title, comments }, terminal.colours)}`);
    const sceneCounts = await scene?.({
      world,
      pull,
      dataDir,
      dashboardUrl: app.dashboardUrl ?? null,
      print: terminal.print,
      settled: () => idle(dataDir),
      remembered: () => Promise.resolve(rememberedComments(dataDir)),
    });
    if (world.violations.length > 0)
      throw new Error(`requests that GitHub does not know:\n${world.violations.join("\n")}`);
    const languages = new Set(comments.inline.map(({ path }) => LANGUAGES[extname(path)] ?? extname(path)));
    const reviews = comments.reviews.filter(({ author }) => author === world.bot.login);
    const counts = { reviews: reviews.length, inline: comments.inline.length, languages: languages.size, imported };
    return { ...counts, ...sceneCounts };
  } finally {
    await app?.close();
    await world.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A merged pull request whose author followed a reviewer's advice. */
async function earlierReview(world: GitHubWorld, repository: Repository): Promise<Pull> {
  people(world);
  const pull = await mergedPull(world, repository, "feat: back up at night");
  const advice = saidOnLine(world, pull, { by: "ines", body: ADVICE, isOutdated: true, day: 1 });
  saidOnLine(world, pull, { by: "lena", body: "Good catch, done in 3f2a1bc.", day: 2 }, advice);
  return pull;
}

/** Waits until a summary is posted and no request has come for a moment. */
async function settled(world: GitHubWorld, pull: Pull): Promise<void> {
  const last = world.deliveries.at(-1);
  if (last?.status !== 202 && last?.status !== 200) throw new Error(`the app answered ${last?.status} to the webhook`);
  let seen = -1;
  let quietFor = 0;
  for (let waited = 0; waited < WATCHDOG; waited += POLL) {
    const asked = world.requests.length;
    quietFor = asked === seen ? quietFor + POLL : 0;
    seen = asked;
    if (quietFor >= QUIET && world.comments(pull).summary.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
  const log = world.requests.map(({ method, path, status }) => `${status} ${method} ${path}`).join("\n");
  throw new Error(`no review after ${WATCHDOG / 1000} s; requests to GitHub:\n${log}`);
}

/** Waits until no job is left that may run now. */
async function idle(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, "queue.db"))) return;
  const db = new Database(join(dataDir, "queue.db"), { readonly: true });
  const open = db
    .prepare("SELECT count(*) FROM jobs WHERE state = 'running' OR state = 'waiting' AND run_at <= ?")
    .pluck();
  try {
    let quietFor = 0;
    for (let waited = 0; waited < WATCHDOG; waited += POLL) {
      quietFor = open.get(Date.now() + 1_000) === 0 ? quietFor + POLL : 0;
      if (quietFor >= QUIET) return;
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
    throw new Error(`jobs are still waiting or running after ${WATCHDOG / 1000} s`);
  } finally {
    db.close();
  }
}

function rememberedComments(dataDir: string): number {
  if (!existsSync(join(dataDir, "memory.db"))) return 0;
  const db = new Database(join(dataDir, "memory.db"), { readonly: true });
  try {
    return Number(db.prepare("SELECT count(*) FROM records WHERE corpus = 'review_comment'").pluck().get());
  } finally {
    db.close();
  }
}

function printTraffic(world: GitHubWorld, stages: readonly string[], terminal: Terminal): void {
  const delivery = world.deliveries.at(-1);
  terminal.print(`GitHub sends ${delivery?.event}.${delivery?.action}, signed; Kodiai answers ${delivery?.status}.`);
  terminal.print("The job runs through the stages of the pipeline:");
  for (const stage of stages) terminal.print(`  ${stage}`);
  const isWrite = ({ method, path }: { method: string; path: string }) =>
    method !== "GET" && !path.endsWith("/access_tokens");
  const writes = world.requests.filter(isWrite);
  terminal.print(`Kodiai sends GitHub ${world.requests.length - writes.length} reads and ${writes.length} writes:`);
  for (const { method, path, status } of writes) terminal.print(`  ${status} ${method} ${path}`);
}
