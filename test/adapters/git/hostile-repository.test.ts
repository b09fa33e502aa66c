// No repository, neither the reviewed one nor one inside it, gets a program of its own run.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GIT_CALLS, type GitCall, git, withoutFilters } from "../../../src/adapters/git/git.ts";
import {
  defaultBranch,
  type LocalRange,
  localChanges,
  uncommittedWork,
} from "../../../src/adapters/git/local-changes.ts";
import { gitTree } from "../../../src/adapters/git/snapshot.ts";
import { configHere } from "../../../src/wire/cli/config.ts";

let root: string;
let outer: string;
/** What ran leaves a file here. */
let marks: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kodiai-hostile-"));
  outer = join(root, "outer");
  marks = join(root, "marks");
  mkdirSync(marks);
  init(outer);
  put(outer, "a.txt", "a\n");
  put(outer, "gone.txt", "gone\n");
  run(outer, "add", "--all");
  run(outer, "commit", "-qm", "first");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null", ...args], {
    cwd,
    stdio: "pipe",
  }).toString();
function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
function init(folder: string): void {
  mkdirSync(folder, { recursive: true });
  run(folder, "init", "-q", "-b", "main");
  run(folder, "config", "user.email", "a@b");
  run(folder, "config", "user.name", "a");
}

/** A configuration that names a program wherever git can run one. */
function arm(gitDir: string): void {
  const leaves = (name: string) => `touch ${join(marks, name)}`;
  const settings = {
    "filter.evil.clean": `${leaves("clean")}; cat`,
    "filter.evil.smudge": `${leaves("smudge")}; cat`,
    "filter.late.process": leaves("process"),
    "filter.late.required": "true",
    "diff.evil.textconv": `${leaves("textconv")}; cat`,
    "diff.evil.command": leaves("command"),
    "diff.external": leaves("external"),
    "core.fsmonitor": leaves("fsmonitor"),
    "core.pager": leaves("pager"),
    "core.editor": leaves("editor"),
    "core.sshCommand": leaves("ssh"),
    "core.gitProxy": leaves("proxy"),
    "core.askPass": leaves("askpass"),
    "core.alternateRefsCommand": leaves("alternates"),
    "credential.helper": `!${leaves("credential")}`,
    "gpg.program": leaves("gpg"),
    "log.showSignature": "true",
    "uploadpack.packObjectsHook": leaves("uploadpack"),
    "merge.evil.driver": leaves("merge"),
    "trailer.evil.command": leaves("trailer"),
    "pager.status": leaves("pager-status"),
    "pager.diff": leaves("pager-diff"),
    "diff.ignoreSubmodules": "none",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "remote.origin.url": `ext::sh -c '${leaves("ext")}'`,
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "core.hooksPath": join(gitDir, "hooks"),
  };
  const aliases = Object.keys(GIT_CALLS).map((name) => [`alias.${name}`, `!${leaves(`alias-${name}`)}`] as const);
  const sections = [...Object.entries(settings), ...aliases, ["include.path", join(gitDir, "more")] as const].map(
    ([key, value]) => {
      const [section = "", ...rest] = key.split(".");
      const [name = "", inner] = rest.toReversed();
      const quoted = value.replace(/["\\]/g, "\\$&");
      return `[${section}${inner === undefined ? "" : ` "${inner}"`}]\n\t${name} = "${quoted}"\n`;
    },
  );
  appendFileSync(join(gitDir, "config"), sections.join(""));
  // The same through an included file.
  writeFileSync(join(gitDir, "more"), `[filter "included"]\n\tclean = ${leaves("included")}\n`);
  put(gitDir, "info/attributes", ATTRIBUTES);
  mkdirSync(join(gitDir, "hooks"), { recursive: true });
  for (const hook of [
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "reference-transaction",
    "fsmonitor-watchman",
  ]) {
    writeFileSync(join(gitDir, "hooks", hook), `#!/bin/sh\n${leaves(hook)}\n`);
    chmodSync(join(gitDir, "hooks", hook), 0o755);
  }
}
const ATTRIBUTES = "*.txt filter=evil diff=evil merge=evil\n*.late filter=late\n*.inc filter=included\n";

/** A hostile repository with a commit, and then with files of another size and time. */
function hostile(folder: string): void {
  init(folder);
  for (const name of ["x.txt", "x.late", "x.inc"]) put(folder, name, "1\n");
  put(folder, ".gitattributes", ATTRIBUTES);
  run(folder, "add", "--all");
  run(folder, "commit", "-qm", "inner");
  arm(join(folder, ".git"));
  soil(folder);
}
function soil(folder: string): void {
  for (const name of ["x.txt", "x.late", "x.inc"]) {
    put(folder, name, "2\n");
    utimesSync(join(folder, name), 1, 1);
  }
}

/**
 * How a repository can be inside another; each returns the name under which it is left out, or
 * null.
 */
const NESTINGS: Readonly<Record<string, () => string | null>> = {
  "a folder with .git": () => {
    hostile(join(outer, "nested"));
    return "nested/";
  },
  "in a new folder": () => {
    hostile(join(outer, "new/deep/nested"));
    put(outer, "new/b.txt", "b\n");
    return "new/deep/nested/";
  },
  "a .git file that points elsewhere": () => {
    hostile(join(root, "evil"));
    put(outer, "nested/x.txt", "2\n");
    put(outer, "nested/.git", "gitdir: ../../evil/.git\n");
    return "nested/";
  },
  "a worktree of another repository": () => {
    hostile(join(root, "evil"));
    run(
      join(root, "evil"),
      "-c",
      "filter.late.required=false",
      "-c",
      "filter.late.process=",
      "worktree",
      "add",
      "-q",
      "--no-checkout",
      join(outer, "nested"),
    );
    rmSync(marks, { recursive: true });
    mkdirSync(marks);
    return "nested/";
  },
  "without a commit": () => {
    init(join(outer, "nested"));
    put(outer, "nested/x.txt", "2\n");
    arm(join(outer, "nested", ".git"));
    return "nested/";
  },
  "a bare repository": () => {
    run(root, "init", "-q", "--bare", join(outer, "bare"));
    arm(join(outer, "bare"));
    return null;
  },
  "a link in a commit": () => {
    const nested = join(outer, "nested");
    hostile(nested);
    run(outer, "update-index", "--add", "--cacheinfo", `160000,${run(nested, "rev-parse", "HEAD").trim()},nested`);
    run(outer, "commit", "-qm", "link");
    soil(nested);
    return null;
  },
  "a submodule that wants to be looked into": () => {
    const nested = join(outer, "nested");
    hostile(nested);
    put(outer, ".gitmodules", '[submodule "nested"]\n\tpath = nested\n\turl = ./nested\n\tignore = none\n');
    run(outer, "config", "submodule.nested.ignore", "none");
    run(outer, "config", "submodule.nested.url", nested);
    run(outer, "update-index", "--add", "--cacheinfo", `160000,${run(nested, "rev-parse", "HEAD").trim()},nested`);
    run(outer, "add", ".gitmodules");
    run(outer, "commit", "-qm", "submodule");
    soil(nested);
    return null;
  },
  itself: () => {
    put(outer, ".gitattributes", ATTRIBUTES);
    put(outer, "x.late", "1\n");
    put(outer, "x.inc", "1\n");
    run(outer, "add", "--all");
    run(outer, "commit", "-qm", "attributes");
    arm(join(outer, ".git"));
    soil(outer);
    return null;
  },
};

/** Arguments of each call, as the commands use it. */
const ARGUMENTS: Readonly<Record<keyof typeof GIT_CALLS, readonly string[]>> = {
  add: ["--intent-to-add", "--all", "--", "b.txt"],
  apply: ["--check", "--reverse", "-"],
  "cat-file": ["-p", "HEAD"],
  config: ["--list"],
  diff: ["HEAD", "--"],
  log: ["-p", "HEAD", "--"],
  "for-each-ref": ["refs/heads"],
  "hash-object": ["-t", "tree", "--stdin"],
  "ls-files": ["-z", "--cached", "--others", "--exclude-standard"],
  "ls-tree": ["-r", "HEAD"],
  "merge-base": ["HEAD", "HEAD"],
  remote: ["get-url", "origin"],
  "rev-list": ["HEAD"],
  "rev-parse": ["HEAD"],
  status: ["--porcelain=v1", "-z", "--untracked-files=all"],
  "symbolic-ref": ["--short", "HEAD"],
};
const DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n";

test.each(Object.entries(NESTINGS))("no call runs a program of a hostile repository: %s [T1]", async (_name, nest) => {
  const leftOut = nest();
  put(outer, "a.txt", "b\n");
  put(outer, "b.txt", "new\n");
  rmSync(join(outer, "gone.txt"));
  utimesSync(join(outer, "a.txt"), 1, 1);
  const own = await withoutFilters(outer);
  for (const [command, args] of Object.entries(ARGUMENTS))
    await git(outer, [command, ...args] as unknown as GitCall, own, command === "apply" ? DIFF : "").catch(() => {});
  await git(outer, ["config", "--list"]);
  expect(readdirSync(marks)).toEqual([]);
  // Without protection, as the user would.
  execFileSync("git", ["reset", "-q"], { cwd: outer, stdio: "pipe", env: { ...process.env, ...own } });
  rmSync(marks, { recursive: true });
  mkdirSync(marks);

  const head = run(outer, "rev-parse", "HEAD").trim();
  const ranges: readonly LocalRange[] = [
    { kind: "commits", base: "HEAD", head: "HEAD" },
    { kind: "staged" },
    { kind: "diff", text: DIFF, title: "diff" },
    { kind: "uncommitted" },
  ];
  let changes: unknown;
  for (const range of ranges) {
    const { identities, pull, pulls, snapshots } = await localChanges(outer, range);
    const [repo] = identities;
    changes = await pulls.changes(repo, pull, () => true);
    await pulls.changesSince(repo, pull, { headSha: head, baseSha: head });
    for (const path of ["a.txt", "nested/x.txt"]) await pulls.text(repo, path, pull.head.sha, 1_000);
    const { snapshot } = await snapshots.at(repo, pull);
    for (const path of snapshot?.files.keys() ?? []) await snapshot?.text(path);
  }
  await uncommittedWork(outer);
  await defaultBranch(outer);
  const tree = await gitTree(outer, "HEAD");
  for await (const _ of tree.texts((await tree.list()).files));
  await configHere(outer);
  expect(readdirSync(marks)).toEqual([]);

  const reason = "a repository of its own, which is not entered: review it in its folder";
  expect(changes).toMatchObject({ leftOut: leftOut === null ? [] : [{ path: leftOut, reason }] });
  const { text } = changes as { readonly text: string };
  for (const part of ["a/a.txt", "b/b.txt", "a/gone.txt"]) expect(text).toContain(part);
  expect(text).not.toContain("x.txt\n+++ b/nested");
});

test("the programs that the tests watch for would run without protection", () => {
  hostile(join(outer, "nested"));
  spawnSync("git", ["add", "--all"], { cwd: join(outer, "nested") });
  expect(readdirSync(marks)).toEqual(expect.arrayContaining(["fsmonitor", "process"]));
});

test("a repository that puts its working tree elsewhere is refused: those files are not its own", async () => {
  put(root, "private.txt", "secret\n");
  run(outer, "config", "core.worktree", "../..");
  await expect(
    localChanges(outer, { kind: "uncommitted" }).then(({ identities: [repo], pull, pulls }) =>
      pulls.changes(repo, pull, () => true),
    ),
  ).rejects.toThrow("core.worktree of the repository names a folder that is not its own");
});
