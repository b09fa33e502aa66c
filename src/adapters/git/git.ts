// Runs git with fixed arguments and nothing of the repository's own that could run: no hooks, filters, pagers or external diffs.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";

/** git said no, or is not there. The message is git's own first line. */
export class GitFailed extends Error {
  override readonly name = "GitFailed";
}

const INERT = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "log.showSignature=false",
  "-c",
  "diff.suppressBlankEmpty=false",
  "--no-pager",
];
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Standard output of `git ARGS` in `cwd`.
 *
 * @param own variables for this call, such as an index of its own
 * @throws GitFailed with git's message
 */
export function git(cwd: string, args: readonly string[], own: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      [...INERT, ...args],
      {
        cwd,
        encoding: "buffer",
        maxBuffer: MAX_OUTPUT_BYTES,
        env: { ...environment(), ...own },
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const [line] = stderr.toString("utf8").trim().split("\n");
        const said = line === undefined || line === "" ? error.message : line.replace(/^(?:fatal|error): /, "");
        reject(new GitFailed(error.code === "ENOENT" ? "git is not installed" : said, { cause: error }));
      },
    );
  });
}

/** As `git`, decoded and without the closing newline. */
export async function gitText(
  cwd: string,
  args: readonly string[],
  own: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await git(cwd, args, own)).toString("utf8").replace(/\n$/, "");
}

/** Whether `git ARGS` in `cwd`, given `input`, ends well. */
export function gitAgrees(cwd: string, args: readonly string[], input: string): Promise<boolean> {
  const child = gitProcess(cwd, args);
  // Who has read enough to say no stops reading.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** `git ARGS` in `cwd` as a process to talk with. Whoever starts it ends it. */
export function gitProcess(cwd: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn("git", [...INERT, ...args], { cwd, env: environment(), stdio: "pipe" });
}

/** Where git is found, whose settings it reads, and what a hook tells of the repository that it runs in. No key is among them. */
const PASSED =
  /^(?:PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USERPROFILE|APPDATA|XDG_CONFIG_HOME|SYSTEMROOT|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|SUDO_UID|GIT_[A-Z_0-9]{1,60})$/i;

function environment(): NodeJS.ProcessEnv {
  const passed = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
  // An object that is missing is not fetched: with what program, the repository's own configuration would say.
  return { ...passed, GIT_OPTIONAL_LOCKS: "0", GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };
}
