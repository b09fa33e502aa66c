// A repository that wants to run something, or to steer the terminal, when somebody has it
// reviewed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BACKUP, BALANCE } from "../app/change-builders.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

let clone: Clone;
let canary: string;
beforeEach(() => {
  clone = newClone();
  canary = join(clone.path, "..", `${clone.path.split("/").at(-1)}-canary`);
});
afterEach(() => {
  clone.remove();
  rmSync(canary, { force: true });
});

/** Git itself, so that a trap which does not work is no proof. */
function stepInto(...words: readonly string[]): void {
  try {
    clone.git(...words);
  } catch {
    // The program that was run is no filter and no remote.
  }
  expect(existsSync(canary)).toBe(true);
}

test("nothing that the repository configures is run: drivers, filters, hooks, monitors, pagers, helpers [T1]", async () => {
  const run = `touch ${canary}`;
  clone.write({ "src/a.py": "a = 1\n" });
  clone.commit("Lay the ground");
  const attributes = "*.py diff=evil filter=evil merge=evil\n";
  clone.write({ "src/a.py": BACKUP, ".gitattributes": attributes, ".kodiai.yml": "review: {enabled: true}\n" });
  clone.commit("Change it");
  const settings: Record<string, string> = {
    "diff.evil.textconv": run,
    "diff.evil.command": run,
    "diff.external": run,
    "filter.evil.clean": `${run} && cat`,
    "filter.evil.smudge": `${run} && cat`,
    "filter.evil.process": run,
    "core.fsmonitor": run,
    "core.pager": run,
    "core.editor": run,
    "core.askPass": run,
    "core.sshCommand": run,
    "core.hooksPath": join(clone.path, "hooks"),
    "pager.diff": run,
    "gpg.program": run,
    "log.showSignature": "true",
    "credential.helper": `!${run}`,
    // Keys that change how a diff is printed.
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.relative": "true",
    "diff.context": "0",
    "diff.suppressBlankEmpty": "true",
    "diff.submodule": "log",
    "color.ui": "always",
    "core.quotePath": "false",
  };
  const hooks = ["pre-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"];
  clone.write(Object.fromEntries(hooks.map((name) => [`hooks/${name}`, `#!/bin/sh\n${run}\n`])));
  for (const name of hooks) clone.git("update-index", "--add", "--chmod=+x", `hooks/${name}`);
  clone.git("reset", "--quiet");
  for (const [key, value] of Object.entries(settings)) clone.git("config", key, value);
  // Its content has to be compared, for which git would run the filters.
  utimesSync(join(clone.path, "src/a.py"), 1_000_000_000, 1_000_000_000);
  rmSync(canary, { force: true });

  const range = await kodiai(["review", "--base", "HEAD~1", "--json"], { cwd: join(clone.path, "src") });
  expect(range).toMatchObject({ code: 0, err: "" });
  const { findings } = JSON.parse(range.out) as { findings: { path: string; line: number; rule: string }[] };
  expect(findings).toMatchObject([{ path: "src/a.py", line: 3, rule: "shell-from-strings" }]);
  expect((await kodiai(["review", "--staged"], { cwd: clone.path })).code).toBe(0);
  expect((await kodiai(["explain", "--base", "HEAD~1"], { cwd: clone.path })).code).toBe(0);
  const diff = join(clone.path, "change.diff");
  const added = BACKUP.trimEnd().replace(/^/gm, "+");
  writeFileSync(diff, `--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1,3 @@\n-a = 1\n${added}\n`);
  expect((await kodiai(["review", "--diff", diff], { cwd: clone.path })).code).toBe(0);
  expect(existsSync(canary)).toBe(false);

  // The traps are set: git itself steps into them.
  stepInto("diff", "HEAD~1");
});

test("git is started without any key of ours [T1]", async () => {
  clone.write({ "src/a.py": "a = 1\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/a.py": BACKUP });
  clone.commit("Change it");
  const folder = mkdtempSync(join(tmpdir(), "kodiai-git-"));
  const seen = join(folder, "seen");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(folder, "git"), `#!/bin/sh\nenv >> ${seen}\nexec ${real} "$@"\n`, { mode: 0o755 });
  const keys = { ANTHROPIC_API_KEY: "key-of-the-model", GITHUB_TOKEN: "key-of-github", KODIAI_OTHER: "key-of-others" };
  try {
    const env = { ...keys, PATH: `${folder}:${process.env.PATH}` };
    const { err } = await kodiai(["review", "--base", "HEAD~1", "--model", "off"], { cwd: clone.path, env });
    expect(existsSync(seen), err).toBe(true);
    const reported = readFileSync(seen, "utf8");
    expect(reported).toContain("GIT_OPTIONAL_LOCKS=0");
    for (const key of Object.values(keys)) expect(reported).not.toContain(key);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an object that is missing is not fetched with a program of the repository's choice", async () => {
  clone.write({ "src/a.py": "a = 1\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/a.py": BACKUP });
  clone.commit("Change it");
  clone.git("config", "core.repositoryFormatVersion", "1");
  clone.git("config", "extensions.partialClone", "origin");
  clone.git("config", "remote.origin.promisor", "true");
  clone.git("config", "remote.origin.url", `ext::touch ${canary}`);
  clone.git("config", "protocol.ext.allow", "always");
  const blob = clone.git("rev-parse", "HEAD:src/a.py").trim();
  rmSync(join(clone.path, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });

  const { code, err } = await kodiai(["review", "--base", "HEAD~1"], { cwd: clone.path });
  expect(code).toBe(3);
  expect(err).toMatch(/could not finish/);
  expect(existsSync(canary)).toBe(false);
  stepInto("cat-file", "-p", blob);
});

test("names and lines that would steer the terminal are shown, not obeyed", async () => {
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  const name = "src/\u001b[2Jclear\u202Egnp.py";
  clone.write({ [name]: BALANCE.replace("verify", "\u001b]0;title\u0007 verify"), "src/line\nbreak.py": BALANCE });
  clone.commit("feat: \u001b[31mred\u001b[0m");
  const { code, out, err } = await kodiai(["review", "--base", "HEAD~1"], { cwd: clone.path });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/);
  expect(out).toContain("src/<U+001B>[2Jclear<U+202E>gnp.py:5");
  expect(out).toContain("src/line<U+000A>break.py:5");
  const explained = await kodiai(["explain", "--base", "HEAD~1"], { cwd: clone.path });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(explained.out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/);
});

test("links that lead out of the repository are not followed [T23]", async () => {
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write({ target: "/etc/passwd" });
  const target = clone.git("hash-object", "-w", "target").trim();
  clone.git("update-index", "--add", "--cacheinfo", `120000,${target},src/users.py`);
  clone.git("commit", "--quiet", "--message", "Link");
  const { code, out } = await kodiai(["review", "--base", "HEAD~1", "--json"], { cwd: clone.path });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ reviewed: [], leftOut: [{ path: "src/users.py", reason: "symbolic link" }] });
  expect(out).not.toContain("root:");
});
