// The command line as people run it: a process of its own in a real repository.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

/** Runs `kodiai WORDS` and waits for its end; killed after 50 s. */
export function kodiai(words: readonly string[], options: RunOptions): Promise<Ended> {
  return ended("src/cli/main.ts", words, options);
}

/** Runs a program of `scripts` likewise. */
export function script(name: string, words: readonly string[], options: RunOptions): Promise<Ended> {
  return ended(`scripts/${name}.ts`, words, options);
}

function ended(program: string, words: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, stdin = "", env = {}, onStart } = options;
  const bare = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:GITHUB_|KODIAI_|ANTHROPIC_|OPENAI_|APP_ID|NO_COLOR|FORCE_COLOR|VITEST|NODE_(?!COMPILE_))/.test(name),
    ),
  );
  const child = spawn(process.execPath, [join(ROOT, program), ...words], {
    cwd,
    env: { ...bare, XDG_DATA_HOME: NO_DATA, ...env },
    timeout: 50_000,
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
