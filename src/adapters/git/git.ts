// Runs git with fixed arguments and without programs of a repository: no hooks, no filters.
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from "node:child_process";
import { join, resolve, sep } from "node:path";

/** git failed, or is not installed. The message is git's reason, and what to do about it. */
export class GitFailed extends Error {
  override readonly name = "GitFailed";
}

/** git shows no diff of a larger file: nobody reads it, and a few would fill git's output. */
export const MOST_FILE_BYTES = 10 * 1024 * 1024;

const INERT = (
  "-c core.fsmonitor=false -c core.hooksPath=/dev/null -c log.showSignature=false -c diff.suppressBlankEmpty=false " +
  `-c core.bigFileThreshold=${MOST_FILE_BYTES} --no-pager`
).split(" ");
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** `git status` in a nested repository would run that one's programs: git never enters it. */
const NOT_INSIDE = "--ignore-submodules=dirty";

/** Each command with the options that keep it from running a program. A test runs all of them. */
export const GIT_CALLS = {
  add: [],
  apply: [],
  "cat-file": [],
  config: [],
  diff: ["--no-ext-diff", "--no-textconv", "--submodule=short", NOT_INSIDE],
  log: ["--no-ext-diff", "--no-textconv", "--no-show-signature"],
  "for-each-ref": [],
  "hash-object": [],
  "ls-files": [],
  "ls-tree": [],
  "merge-base": [],
  remote: [],
  "rev-list": [],
  "rev-parse": [],
  status: [NOT_INSIDE],
  "symbolic-ref": [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A command and its arguments. */
export type GitCall = readonly [keyof typeof GIT_CALLS, ...(readonly string[])];

function argumentsOf([command, ...rest]: GitCall): readonly string[] {
  return [...INERT, command, ...GIT_CALLS[command], ...rest];
}

/**
 * Standard output of `git ARGS` in `cwd`.
 *
 * @param own variables for this call, such as a separate index
 * @param input its standard input
 * @throws GitFailed with git's message
 */
export function git(
  cwd: string,
  args: GitCall,
  own: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Buffer> {
  return new Promise((done, reject) => {
    const env = { ...environment(cwd), ...own };
    const options = { cwd, encoding: "buffer", maxBuffer: MAX_OUTPUT_BYTES, env } as const;
    const child = execFile("git", argumentsOf(args), options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const message = reasonOf(stderr.toString("utf8")) || error.message;
      reject(new GitFailed(error.code === "ENOENT" ? "git is not installed" : message, { cause: error }));
    });
    // git may stop reading its input before the end.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** What git says to run for a repository that another user owns. */
const OWN_IT = /^[ \t]*(git config --global --add safe\.directory .+)$/m;
/** What helps, by git's words; the first is of a clone made with --filter. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/from promisor remote|lazy fetching disabled/, "run `git fetch --refetch --no-filter`"],
  [/not a git repository/, "run it in a clone, or name one: --repo PATH"],
  [/must be run in a work tree/, "a bare repository has no files of its own: name a revision to compare with"],
  [/Needed a single revision/, "there is no commit yet: make one first"],
];

/** The `fatal:` or `error:` line, else the first, with the fix; "" for an empty text. */
function reasonOf(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = ["fatal: ", "error: ", ""].flatMap((start) => lines.filter((text) => text.startsWith(start)))[0] ?? "";
  const reason = line.replace(/^(?:fatal|error): /, "");
  const own = OWN_IT.exec(stderr)?.[1];
  const remedy = own === undefined ? REMEDIES.find(([said]) => said.test(stderr))?.[1] : `run \`${own}\``;
  return remedy === undefined ? reason : `${reason}; ${remedy}`;
}

/** As `git`, decoded and without the closing newline. */
export async function gitText(cwd: string, args: GitCall, own: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await git(cwd, args, own)).toString("utf8").replace(/\n$/, "");
}

/**
 * The top of the clone at `cwd`, without links.
 *
 * @throws GitFailed when there is none, or `core.worktree` names a folder that is not its own
 */
export async function topOf(cwd: string): Promise<string> {
  const top = await gitText(cwd, ["rev-parse", "--show-toplevel"]);
  const gitDir = (folder: string) => gitText(folder, ["rev-parse", "--absolute-git-dir"]);
  const [own, there] = await Promise.all([gitDir(cwd), gitDir(top).catch(() => null)]);
  if (own !== there) throw new GitFailed("core.worktree of the repository names a folder that is not its own");
  return top;
}

/** `git ARGS` in `cwd` as an interactive process, which the caller must end. */
export function gitProcess(
  cwd: string,
  args: GitCall,
  own: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn("git", argumentsOf(args), { cwd, env: { ...environment(cwd), ...own }, stdio: "pipe" });
}

/**
 * Variables for calls that read the working tree: they turn off every configured filter. git runs
 * it to compare a file whose time changed, also in `status`.
 */
export async function withoutFilters(cwd: string): Promise<Readonly<Record<string, string>>> {
  // It ends with 1 where there is none.
  const keys = await gitText(cwd, ["config", "-z", "--name-only", "--get-regexp", "^filter\\."]).catch(() => "");
  const names = new Set(keys.split("\0").map((key) => key.slice(0, key.lastIndexOf("."))));
  names.delete("");
  const off = [...names].flatMap((name) => [
    [`${name}.clean`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"],
  ]);
  // After those that the user set.
  const given = Number(process.env.GIT_CONFIG_COUNT ?? 0);
  const entries = off.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${given + at}`, key],
    [`GIT_CONFIG_VALUE_${given + at}`, value],
  ]);
  return Object.fromEntries([["GIT_CONFIG_COUNT", String(given + off.length)], ...entries]);
}

/**
 * What git gets: its location, the user's settings, what names the repository. No key, and nothing
 * that gives our paths or the form of a diff another meaning.
 */
const PASSED =
  /^(?:PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USERPROFILE|APPDATA|XDG_CONFIG_HOME|SYSTEMROOT|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|SUDO_UID|GIT_(?!(?:LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS$|DIFF_OPTS$)[A-Z_0-9]{1,60})$/i;

function environment(cwd: string): NodeJS.ProcessEnv {
  // A missing object is not fetched: the repository's own configuration would choose the program.
  const fixed = { GIT_OPTIONAL_LOCKS: "0", GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };
  return { ...passed(), ...inherited(cwd), ...fixed };
}

function passed(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => PASSED.test(name) && !NAMES_REPOSITORY.has(name)));
}

/** `git rev-parse --local-env-vars` of git 2.50, without settings and replaced objects. */
const NAMES_REPOSITORY: ReadonlySet<string> = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
]);

const inheritedIn = new Map<string, Readonly<Record<string, string>>>();

/**
 * The variables that name a repository, as git sets them for a hook. A folder that lies in a
 * repository is that one, and only the index and the new objects of the same repository count
 * there: the rest would read one repository as the other. They count where there is no other
 * repository, since some people keep one for files all over their home.
 */
function inherited(cwd: string): Readonly<Record<string, string>> {
  const named = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    NAMES_REPOSITORY.has(name) && value !== undefined ? [[name, value]] : [],
  );
  if (named.length === 0) return {};
  const here = process.cwd();
  const key = [here, cwd, ...named.flat()].join("\0");
  const known = inheritedIn.get(key) ?? inheritedFrom(Object.fromEntries(named), here, resolve(cwd));
  inheritedIn.set(key, known);
  return known;
}

function inheritedFrom(named: Readonly<Record<string, string>>, here: string, cwd: string) {
  const own = repositoryAt(cwd, {});
  const isWithin = cwd === here || cwd.startsWith(join(here, sep));
  if (own === null) return isWithin ? named : {};
  const kept = KEPT_IN_ONE.flatMap((name): [string, string][] => {
    const value = named[name];
    return value === undefined
      ? []
      : [[name, name === "GIT_ALTERNATE_OBJECT_DIRECTORIES" ? value : resolve(here, value)]];
  });
  return kept.length > 0 && repositoryAt(here, named) === own ? Object.fromEntries(kept) : {};
}

/** The index of a commit, and where git keeps what is pushed while a hook decides about it. */
const KEPT_IN_ONE = ["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"] as const;

/** The absolute path of its git folder; null outside of a repository. */
function repositoryAt(cwd: string, named: Readonly<Record<string, string>>): string | null {
  const found = spawnSync("git", [...argumentsOf(["rev-parse", "--absolute-git-dir"])], {
    cwd,
    env: { ...passed(), ...named },
    encoding: "utf8",
  });
  return found.status === 0 ? found.stdout.trim() : null;
}
