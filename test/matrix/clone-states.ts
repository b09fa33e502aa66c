// States of a clone in which people run `kodiai review`, and how it ends there.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BACKUP } from "../app/change-builders.ts";

export interface CloneState {
  readonly state: string;
  /** Makes the clone in an empty folder; returns where Kodiai is run. */
  readonly make: (at: string) => string;
  /** After `review`. */
  readonly words: readonly string[];
  readonly env?: (at: string) => Readonly<Record<string, string>>;
  /** What the command prints. */
  readonly prints: RegExp;
  readonly code: 0 | 2 | 3;
}

const OURS = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Mona",
  GIT_AUTHOR_EMAIL: "mona@example.com",
  GIT_COMMITTER_NAME: "Mona",
  GIT_COMMITTER_EMAIL: "mona@example.com",
};

export function gitIn(cwd: string, ...words: readonly string[]): string {
  return execFileSync("git", words, { cwd, env: { ...process.env, ...OURS }, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A file as a commit. */
export function commitFile(cwd: string, path: string, text: string): void {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
  gitIn(cwd, "add", "--all");
  gitIn(cwd, "commit", "--quiet", "--message", `Change ${path}`);
}

/** `main` with later work, and `feature` with one finding, which left it three commits ago. */
export function upstream(at: string): string {
  const path = join(at, "upstream");
  mkdirSync(path);
  gitIn(path, "init", "--quiet", "--initial-branch=main");
  gitIn(path, "config", "uploadpack.allowFilter", "true");
  for (const line of ["1", "2", "3"]) commitFile(path, "README.md", `# Shop ${line}\n`);
  gitIn(path, "checkout", "--quiet", "-b", "feature");
  commitFile(path, "backup.py", BACKUP);
  gitIn(path, "checkout", "--quiet", "main");
  for (const line of ["4", "5"])
    commitFile(path, "app.py", `import subprocess\nsubprocess.run("ls " + v${line}, shell=True)\n`);
  return path;
}

/** A clone of it with `feature` checked out. */
function cloned(at: string, ...words: readonly string[]): string {
  return cloneOf(upstream(at), at, words);
}

function cloneOf(path: string, at: string, words: readonly string[]): string {
  gitIn(at, "clone", "--quiet", "--branch=feature", ...words, `file://${path}`, "clone");
  return join(at, "clone");
}

/**
 * `main` with four commits of others, merged into `feature`, which left `main` before
 * them: in a shallow clone git takes the older commit that both have for the newest.
 */
function mergedInto(at: string, ...words: readonly string[]): string {
  const path = join(at, "upstream");
  mkdirSync(path);
  gitIn(path, "init", "--quiet", "--initial-branch=main");
  const work = (name: string) => commitFile(path, `${name}.py`, `import subprocess\nrun(${JSON.stringify(name)})\n`);
  work("m1");
  gitIn(path, "checkout", "--quiet", "-b", "feature");
  commitFile(path, "backup.py", BACKUP);
  gitIn(path, "checkout", "--quiet", "main");
  for (const line of ["2", "3", "4", "5"])
    commitFile(path, "app.py", `import subprocess\nsubprocess.run("ls " + v${line}, shell=True)\n`);
  gitIn(path, "checkout", "--quiet", "-b", "long");
  for (const line of ["1", "2", "3", "4", "5", "6", "7", "8"]) work(`long${line}`);
  gitIn(path, "checkout", "--quiet", "main");
  work("m6");
  gitIn(path, "checkout", "--quiet", "feature");
  gitIn(path, "merge", "--quiet", "--no-edit", "long");
  return cloneOf(path, at, words);
}

function fresh(at: string, ...words: readonly string[]): string {
  gitIn(at, "init", "--quiet", "--initial-branch=main", ...words, "fresh");
  return join(at, "fresh");
}

const REVIEWED = /^major .*shell-from-strings\n {2}backup\.py:3\n(?!(?:.|\n)*app\.py)/;
const DEEPEN = /holds? the commit where "HEAD" left "(?:origin\/)?main"; run `git fetch --unshallow origin/;

export const CLONE_STATES: readonly CloneState[] = [
  {
    state: "A full clone of a branch that merged others' work",
    make: (at) => mergedInto(at),
    words: ["--base", "origin/main"],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "A shallow clone of it, in which an older commit stands for the one where it left",
    make: (at) => mergedInto(at, "--depth=6", "--no-single-branch"),
    words: ["--base", "origin/main"],
    prints: DEEPEN,
    code: 3,
  },
  {
    state: "GIT_LITERAL_PATHSPECS, as some editors set it, beside a file that nobody can read",
    make: (at) => {
      const path = cloned(at);
      writeFileSync(join(path, "large.bin"), Buffer.alloc(11 * 1024 * 1024, "a\n"));
      writeFileSync(join(path, "restore.py"), BACKUP);
      return path;
    },
    words: [],
    env: () => ({ GIT_LITERAL_PATHSPECS: "1" }),
    prints: /restore\.py:3\n/,
    code: 0,
  },
  {
    state: "A full clone",
    make: (at) => cloned(at),
    words: ["--base", "origin/main"],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "The base exists only at `origin`",
    make: (at) => cloned(at),
    words: ["--base", "main"],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "Its default branch is `master`",
    make(at) {
      const path = cloned(at);
      gitIn(path, "branch", "--quiet", "--move", "feature", "master");
      gitIn(path, "update-ref", "-d", "refs/remotes/origin/main");
      gitIn(path, "symbolic-ref", "--delete", "refs/remotes/origin/HEAD");
      return path;
    },
    words: ["--base", "main"],
    prints: /"main" is not a commit of this repository; its default branch is "master"/,
    code: 3,
  },
  {
    state: "Work is not committed, and the branch adds no commit to its base",
    make(at) {
      const path = cloned(at);
      writeFileSync(join(path, "new.py"), BACKUP);
      return path;
    },
    words: ["--base", "feature"],
    prints: /"HEAD" has no commit that "feature" lacks; uncommitted work is no part of this range: name no base/,
    code: 0,
  },
  {
    state: "Shallow, without the commit where the branch left its base",
    make: (at) => cloned(at, "--depth=1", "--no-single-branch"),
    words: ["--base", "origin/main"],
    prints: DEEPEN,
    code: 3,
  },
  {
    state: "Shallow, without the base's branch",
    make: (at) => cloned(at, "--depth=2"),
    words: ["--base", "main"],
    prints: /"main" is not a commit of this repository, which is a shallow clone; run `git fetch --unshallow origin/,
    code: 3,
  },
  {
    state: "Shallow, but deep enough",
    make: (at) => cloned(at, "--depth=4", "--no-single-branch"),
    words: ["--base", "origin/main"],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "Made with `--filter=blob:none`",
    make(at) {
      gitIn(at, "clone", "--quiet", "--no-checkout", "--filter=blob:none", `file://${upstream(at)}`, "clone");
      return join(at, "clone");
    },
    words: ["--base", "main", "--head", "origin/feature"],
    prints: /from promisor remote; run `git fetch --refetch --no-filter`/,
    code: 3,
  },
  {
    state: "Branches without a common commit",
    make(at) {
      const path = cloned(at);
      gitIn(path, "checkout", "--quiet", "--orphan", "other");
      commitFile(path, "backup.py", BACKUP);
      return path;
    },
    words: ["--base", "main"],
    prints: /"main" and "HEAD" have no commit in common; name the base that "HEAD" was made from/,
    code: 3,
  },
  {
    state: "No commit yet",
    make(at) {
      const path = fresh(at);
      writeFileSync(join(path, "backup.py"), BACKUP);
      return path;
    },
    words: [],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "SHA-256, no commit yet",
    make(at) {
      const path = fresh(at, "--object-format=sha256");
      writeFileSync(join(path, "backup.py"), BACKUP);
      return path;
    },
    words: [],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "Detached HEAD, `origin/HEAD` names a branch that was renamed",
    make(at) {
      const path = cloned(at);
      gitIn(path, "checkout", "--quiet", "--detach");
      gitIn(path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/old-name");
      return path;
    },
    words: [],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "A tag and a branch of one name",
    make(at) {
      const path = cloned(at);
      gitIn(path, "branch", "release", "origin/main");
      gitIn(path, "tag", "release", "feature");
      return path;
    },
    words: ["--base", "release"],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "In a hook, another folder is named",
    make: (at) => cloned(at),
    env: (at) => ({
      GIT_DIR: join(at, "upstream/.git"),
      GIT_WORK_TREE: join(at, "upstream"),
      GIT_INDEX_FILE: ".git/index",
    }),
    words: ["--base", "origin/main", "--repo", "."],
    prints: REVIEWED,
    code: 0,
  },
  {
    state: "A nested repository without a commit, a pipe in the place of a file, and a sparse checkout",
    make(at) {
      const path = cloned(at);
      gitIn(path, "sparse-checkout", "set", "docs");
      gitIn(path, "init", "--quiet", "nested");
      rmSync(join(path, "README.md"));
      execFileSync("mkfifo", [join(path, "README.md")]);
      mkdirSync(join(path, "ops"));
      writeFileSync(join(path, "ops/backup.py"), BACKUP);
      return path;
    },
    words: [],
    prints:
      /shell-from-strings\n {2}ops\/backup\.py:3\n(?:.|\n)*nested\/: a repository of its own(?:.|\n)*README.md: a socket, pipe or device/,
    code: 0,
  },
  {
    state: "No repository",
    make: (at) => at,
    words: [],
    prints: /not a git repository/,
    code: 3,
  },
];
