// kodiai hook, in real clones with real pushes.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hook } from "../../src/cli/hook.ts";
import { UsageError } from "../../src/cli/usage.ts";
import { hookPorts } from "../../src/wire/cli/git.ts";
import { BALANCE } from "../app/change-builders.ts";
import { type Clone, newClone } from "./kodiai.ts";

let clone: Clone;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-hook-"));
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.git("init", "--bare", "--quiet", join(folder, "remote.git"));
  clone.git("remote", "add", "origin", join(folder, "remote.git"));
  clone.git("push", "--quiet", "origin", "main");
});
afterEach(() => {
  clone.remove();
  rmSync(folder, { recursive: true });
});

/** What the verb prints. */
async function run(...words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  try {
    await hook([...words, "--repo", clone.path]);
  } finally {
    spy.mockRestore();
  }
  return printed.join("\n");
}

function push(env: Record<string, string> = {}, ...words: readonly string[]) {
  const bare = { GIT_CONFIG_GLOBAL: "/dev/null", KODIAI_DATA_DIR: join(folder, "data"), NO_COLOR: "1" };
  const done = spawnSync("git", ["push", "--quiet", "origin", "HEAD", ...words], {
    cwd: clone.path,
    env: { ...process.env, ...bare, ...env },
    encoding: "utf8",
  });
  return { code: done.status, said: done.stdout + done.stderr };
}
const there = () => clone.git("ls-remote", "origin", "HEAD", "main").split("\n")[0]?.split("\t")[0];
const here = () => clone.git("rev-parse", "HEAD").trim();
const file = (...path: readonly string[]) => join(clone.path, ...path);

test("a push with a grave finding is stopped and says why; a way past it is named and works", async () => {
  expect(await run("install")).toMatch(
    /installed .*\.git\/hooks\/pre-push: pushes with findings from major on are stopped$/,
  );
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  const stopped = push();
  expect(stopped).toMatchObject({
    code: 1,
    said: expect.stringMatching(/src\/balance\.py:5[\s\S]*git push --no-verify/),
  });
  expect(there()).not.toBe(here());
  expect(push({ KODIAI_HOOK: "off" }).code).toBe(0);
  expect(there()).toBe(here());
  expect(existsSync(join(folder, "data"))).toBe(false);
}, 60_000);

test("the hook that was there runs first with the same words, may stop the push, and is back after uninstalling", async () => {
  const before = file(".git", "hooks", "pre-push");
  writeFileSync(before, `#!/bin/sh\necho "told $1: $(cut -d' ' -f1,3)"\n[ "$STOP" = yes ] && exit 7\nexit 0\n`);
  chmodSync(before, 0o755);
  const own = readFileSync(before, "utf8");
  expect(await run("install")).toMatch(/the existing hook runs first \(pre-push\.before-kodiai\)$/);
  expect(await run("install")).toMatch(/runs first/);
  expect(await run("status")).toMatch(/is Kodiai's, after pre-push\.before-kodiai$/);
  clone.write({ "docs/a.md": "More.\n" });
  clone.commit("docs: more");
  const reported = "told origin: HEAD refs/heads/main";
  expect(push({ STOP: "yes" })).toMatchObject({ code: 1, said: expect.stringContaining(reported) });
  expect(push({ KODIAI_HOOK: "off" })).toMatchObject({ code: 0, said: expect.stringContaining(reported) });
  expect(await run("uninstall")).toMatch(/the previous hook is restored$/);
  expect(readFileSync(before, "utf8")).toBe(own);
  expect(statSync(before).mode & 0o111).not.toBe(0);
  await expect(run("uninstall")).rejects.toThrow("nothing was changed");
}, 60_000);

test("core.hooksPath of the repository is where it goes; one that all repositories share is left alone", async () => {
  clone.git("config", "core.hooksPath", ".hooks");
  await run("install", "--fail-on", "critical");
  expect(readFileSync(file(".hooks", "pre-push"), "utf8")).toContain("--fail-on critical --model off");
  expect(existsSync(file(".git", "hooks", "pre-push"))).toBe(false);
  await run("uninstall");
  clone.git("config", "--unset", "core.hooksPath");
  writeFileSync(join(folder, "gitconfig"), `[core]\n\thooksPath = ${join(folder, "shared")}\n`);
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder, "gitconfig"));
  await expect(run("install")).rejects.toThrow(/for all your repositories/);
  vi.unstubAllEnvs();
  expect(existsSync(join(folder, "shared"))).toBe(false);
});

test("a new branch is compared with the remote's own, deleted ones are skipped, and a removed Kodiai stops no push", async () => {
  const base = hookPorts(clone.path).base;
  const main = here();
  clone.git("switch", "--quiet", "--create", "feature");
  clone.write({ "a.txt": "a\n" });
  clone.commit("feat: a");
  expect(await base("origin", null, here())).toBe(main);
  expect(await base("origin", "f".repeat(40), here())).toBe(main);
  expect(await base("origin", main, here())).toBe(main);
  expect(await base("https://example.com/x.git", null, here())).toBeNull();
  await run("install");
  const installed = file(".git", "hooks", "pre-push");
  writeFileSync(installed, readFileSync(installed, "utf8").replace(/^main=.*$/m, "main='/nowhere/main.ts'"));
  expect(push()).toMatchObject({
    code: 0,
    said: expect.stringContaining("no longer at /nowhere/main.ts: not reviewed"),
  });
  expect(push({ KODIAI_HOOK: "off" }, ":main").code).toBeLessThanOrEqual(1);
});

test.each([
  [[], "use `hook install`"],
  [["install", "now"], 'unexpected argument "now"'],
  [["install", "--fail-on", "any"], "--fail-on takes one of"],
  [["install", "--model", "big"], "--model takes one of auto, off"],
])("hook %j is a mistake of usage", async (words, says) => {
  await expect(run(...words)).rejects.toThrow(UsageError);
  await expect(run(...words)).rejects.toThrow(says);
});
