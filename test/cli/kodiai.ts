// The command line as people run it, in a real repository.
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WATCHDOG_MS } from "../watchdog.ts";
import type { Command, Sent } from "./verbs.child.ts";

/** Of a person who has no store yet. */
const NO_DATA = join(tmpdir(), `kodiai-no-data-${process.pid}`);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Told the number of the process. */
  readonly onStart?: (pid: number) => void;
}

/** Runs `kodiai WORDS` in a process of its own and waits for its end; killed after 50 s. */
export function kodiai(words: readonly string[], options: RunOptions): Promise<Ended> {
  return ended("src/cli/main.ts", words, options);
}

/**
 * Runs verbs for the tests of this process. Null before the first one, and after one that ended it.
 */
let runner: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

export interface VerbOptions extends Omit<RunOptions, "onStart"> {
  /** Told what the verb has written to standard output so far. */
  readonly onOutput?: (out: string) => void;
}

/**
 * Runs `kodiai WORDS` in a process that runs one verb after another, for a tenth of the processor
 * time. For tests of what a verb says and does; `kodiai` is for those of how its process starts and
 * ends.
 */
export function verb(words: readonly string[], options: VerbOptions): Promise<Ended> {
  const run = last.then(() => answerTo(words, options));
  last = run.catch(() => undefined);
  return run;
}

function answerTo(words: readonly string[], { cwd, stdin = "", env = {}, onOutput }: VerbOptions): Promise<Ended> {
  runner ??= fork(join(ROOT, "test/cli/verbs.child.ts"), [], {
    execArgv: [],
    serialization: "advanced",
    env: bareEnvironment(),
  });
  const child = runner;
  const written: Record<"out" | "err", Uint8Array[]> = { out: [], err: [] };
  const text = (stream: "out" | "err") => Buffer.concat(written[stream]).toString();
  const command: Command = { words, cwd, stdin, env: { ...bareEnvironment(), XDG_DATA_HOME: NO_DATA, ...env } };
  child.ref();
  child.channel?.ref();
  const watchdog = setTimeout(() => child.kill("SIGKILL"), WATCHDOG_MS);
  return new Promise<Ended>((resolve, reject) => {
    const end = (code: number | null) => resolve({ code, out: text("out"), err: text("err") });
    child.on("message", (sent: Sent) => {
      if ("code" in sent) return end(sent.code);
      written[sent.stream].push(sent.chunk);
      if (sent.stream === "out") onOutput?.(text("out"));
    });
    child.on("error", reject);
    child.on("close", (code) => {
      runner = null;
      end(code);
    });
    child.send(command);
  }).finally(() => {
    clearTimeout(watchdog);
    for (const event of ["message", "error", "close"]) child.removeAllListeners(event);
    child.unref();
    child.channel?.unref();
  });
}

/** Runs a program of `scripts` likewise. */
export function script(name: string, words: readonly string[], options: RunOptions): Promise<Ended> {
  return ended(`scripts/${name}.ts`, words, options);
}

function ended(program: string, words: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, stdin = "", env = {}, onStart } = options;
  const child = spawn(process.execPath, [join(ROOT, program), ...words], {
    cwd,
    env: { ...bareEnvironment(), XDG_DATA_HOME: NO_DATA, ...env },
    timeout: WATCHDOG_MS,
  });
  if (child.pid !== undefined) onStart?.(child.pid);
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
}

/** The environment without what the tests' own run sets. */
function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:GITHUB_|KODIAI_|ANTHROPIC_|OPENAI_|APP_ID|NO_COLOR|FORCE_COLOR|VITEST|NODE_(?!COMPILE_))/.test(name),
    ),
  );
}

export interface Clone {
  readonly path: string;
  git(...words: readonly string[]): string;
  /** Null deletes. */
  write(files: Readonly<Record<string, string | Buffer | null>>): void;
  /** Everything in the folder as one commit. */
  commit(message: string): void;
  remove(): void;
}

/** A repository in a folder of its own, on branch main, without a commit. */
export function newClone(): Clone {
  const path = mkdtempSync(join(tmpdir(), "kodiai-cli-"));
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Mona",
    GIT_AUTHOR_EMAIL: "mona@example.com",
    GIT_COMMITTER_NAME: "Mona",
    GIT_COMMITTER_EMAIL: "mona@example.com",
  };
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: path, env, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  return {
    path,
    git,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        const file = join(path, name);
        if (content === null) rmSync(file);
        else {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
        }
      }
    },
    commit(message) {
      git("add", "--all");
      git("commit", "--quiet", "--message", message);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
