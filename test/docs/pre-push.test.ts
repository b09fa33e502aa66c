// The script of docs/pre-push.md as it is printed there, in a real clone with real pushes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BALANCE } from "../app/change-builders.ts";
import { type Clone, newClone } from "../cli/kodiai.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const SCRIPT = /```sh\n([\s\S]*?)```/.exec(readFileSync("docs/pre-push.md", "utf8"))?.[1] ?? "";

let clone: Clone;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-push-"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "kodiai"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.git("init", "--bare", "--quiet", "--initial-branch=main", join(folder, "remote.git"));
  clone.git("remote", "add", "origin", join(folder, "remote.git"));
  writeFileSync(join(clone.path, ".git", "hooks", "pre-push"), SCRIPT, { mode: 0o755 });
});
afterEach(() => {
  clone.remove();
  rmSync(folder, { recursive: true });
});

function push(words: readonly string[], path = `${join(folder, "bin")}:${process.env.PATH}`) {
  const own = { GIT_CONFIG_GLOBAL: "/dev/null", KODIAI_DATA_DIR: join(folder, "data"), NO_COLOR: "1", PATH: path };
  const done = spawnSync("git", ["push", "--quiet", "origin", ...words], {
    cwd: clone.path,
    env: { ...process.env, ...own },
    encoding: "utf8",
  });
  return { code: done.status, said: done.stdout + done.stderr };
}
const there = (branch: string) => clone.git("ls-remote", "origin", branch).split("\t")[0];
const here = () => clone.git("rev-parse", "HEAD").trim();

test("a push with a grave finding is stopped and says why and how to push anyway", () => {
  const first = push(["main"]);
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining("refs/heads/main is not reviewed") });
  const before = here();
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  const stopped = push(["main"]);
  expect(stopped).toMatchObject({
    code: 1,
    said: expect.stringMatching(/src\/balance\.py:5[\s\S]*git push --no-verify/),
  });
  expect(there("main")).toBe(before);
  expect(push(["--no-verify", "main"]).code).toBe(0);
  expect(there("main")).toBe(here());
}, 60_000);

test("a new branch is compared with the remote's own, and a deleted one is not reviewed", () => {
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  push(["--no-verify", "main"]);
  clone.git("switch", "--quiet", "--create", "feature");
  clone.write({ "docs/a.md": "More.\n" });
  clone.commit("docs: more");
  const said = push(["feature"]);
  expect(said).toMatchObject({ code: 0, said: expect.not.stringContaining("balance.py") });
  expect(there("feature")).toBe(here());
  expect(push([":feature"])).toEqual({ code: 0, said: "" });
}, 60_000);

test("without Kodiai nothing is stopped", () => {
  push(["main"]);
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  expect(push(["main"], process.env.PATH)).toMatchObject({ code: 0, said: expect.stringContaining("kodiai") });
  expect(there("main")).toBe(here());
}, 60_000);
