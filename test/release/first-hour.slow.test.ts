// The first hour of a new user: every command of README.md and of the quick start, word by word,
// with the npm of an old Node where there is one, an empty home folder, and a repository whose
// branch is master. GitHub is the emulator, and the browser is played.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP } from "../app/change-builders.ts";
import { oldNode } from "../cli/old-node.ts";
import { browse } from "../cli/setup-process.ts";
import { commandsOf } from "../docs/markdown.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { newUser, registryProblem } from "./registry.ts";

/** A project with its packages is more than a folder in memory should hold. */
const ON_DISK = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
/** Ten times what the slowest command takes. */
const COMMAND_MS = 200_000;
/** npm's exit code after Ctrl-C. */
const INTERRUPTED = 130;
const CLONE = "git clone https://github.com/OWNER/kodiai && cd kodiai";

const problem = registryProblem();
let world: GitHubWorld;
let folder: string;
/** The repository of a user whose branch is master, with a change that is not committed. */
let shop: string;
let source: string;

beforeAll(async () => {
  world = await startGitHub();
  await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  folder = mkdtempSync(join(ON_DISK, "kodiai-first-hour-"));
  source = projectAt(join(folder, "source"));
  shop = join(folder, "shop");
  mkdirSync(join(shop, "ops"), { recursive: true });
  writeFileSync(join(shop, "README.md"), "# Shop\n\nRetry a charge with the same idempotency key.\n");
  repositoryOf(shop, "master");
  writeFileSync(join(shop, "two.md"), "Two\n");
  committed(shop, "Write a second page");
  writeFileSync(join(shop, "ops/backup.py"), BACKUP);
}, COMMAND_MS);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await world.close();
}, COMMAND_MS);

const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=Mona", "-c", "user.email=mona@example.com", ...words], { cwd });

function committed(path: string, subject: string): void {
  // What is kept here although it is ignored too.
  git(path, "add", "--all", "--force");
  git(path, "commit", "--quiet", "--message", subject);
}

function repositoryOf(path: string, branch: string): void {
  git(path, "init", "--quiet", `--initial-branch=${branch}`);
  committed(path, "Begin");
}

/** A repository with the files of this project as they are now. */
function projectAt(path: string): string {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(name))) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    copyFileSync(file, join(path, file));
  }
  repositoryOf(path, "main");
  return path;
}

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A machine of its own for each page. Its git finds the project where the documents say it is. */
async function machine(name: string): Promise<Machine> {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const ours = dirname(process.execPath);
  const old = oldNode();
  const folders = (process.env.PATH ?? "").split(delimiter);
  const path = folders.filter((one) => one !== ours && !one.includes("node_modules"));
  const env = {
    ...newUser(cwd),
    PATH: [...(old === null ? [ours] : [dirname(old)]), ...path].join(delimiter),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${source}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/OWNER/kodiai",
    KODIAI_GITHUB_API_URL: world.apiUrl,
    PORT: String(await freePort()),
    KODIAI_ADMIN_PORT: String(await freePort()),
  };
  return { env, cwd };
}

interface Ran {
  readonly line: string;
  readonly code: number | null;
  readonly said: string;
}

/**
 * Types one line into the machine's shell, which stays in the folder where it ends; `during` sees
 * what it says.
 */
async function type(at: Machine, line: string, during: (said: string, child: ChildProcess) => void): Promise<Ran> {
  const place = join(folder, "cwd");
  // A shell at a terminal outlives the Ctrl-C that ends its program.
  const typed = `trap : INT\n${line.replaceAll(/\bPATH\b/g, shop)}\ncode=$?; pwd > ${place}; exit $code`;
  const child = spawn("bash", ["-c", typed], { cwd: at.cwd, env: at.env, detached: true });
  let said = "";
  child.stdin?.end();
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk;
      during(said, child);
    });
  const overdue = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), COMMAND_MS);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(overdue);
  if (existsSync(place)) at.cwd = readFileSync(place, "utf8").trim();
  return { line, code, said };
}

/**
 * What a person does while a command waits: opens the page of `setup`, and ends `npm start` once it
 * listens.
 */
function person(line: string): (said: string, child: ChildProcess) => void {
  let isDone = false;
  return (said, child) => {
    const page = /http:\/\/127\.0\.0\.1:\d+\/start\?token=\S+/.exec(said)?.[0];
    if (isDone) return;
    if (page !== undefined) {
      isDone = true;
      void browse(page).then(({ manifest, send }) => send(world.confirmManifest(manifest)));
    }
    if (line === "npm start" && said.includes("Kodiai is listening")) {
      isDone = true;
      // As Ctrl-C does: to all programs of the terminal.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    }
  };
}

test.skipIf(problem !== null).each(["docs/quick-start.md", "README.md"])(
  "every command of %s works as it is written",
  async (page) => {
    const at = await machine(page.replaceAll(/\W/g, "-"));
    const lines = commandsOf(page);
    expect(lines[0]).toBe(CLONE);
    const ran: Ran[] = [];
    for (const line of lines) {
      const one = await type(at, line, person(line));
      ran.push(one);
      const isWell = one.code === 0 || (line === "npm start" && one.code === INTERRUPTED);
      expect([line, isWell ? 0 : one.code, isWell ? "" : one.said]).toEqual([line, 0, ""]);
    }
    const said = (part: string) => ran.find(({ line }) => line.includes(part))?.said ?? "";
    expect(said("npm run demo")).toContain("Next:");
    expect(said("review --repo")).toContain("ops/backup.py");
    expect(said("npm start")).toContain("stopping: refusing deliveries");
    expect(said("setup")).toMatch(/installations +on acme/);
    expect(readFileSync(join(at.cwd, ".env"), "utf8")).toMatch(/^APP_ID=/m);
  },
  5 * COMMAND_MS,
);
