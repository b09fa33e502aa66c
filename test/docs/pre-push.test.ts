// The script of docs/pre-push.md as it is printed there, in a real clone with real pushes.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BALANCE } from "../app/change-builders.ts";
import { type Clone, newClone } from "../cli/kodiai.ts";
import { oldNode } from "../cli/old-node.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = /```sh\n([\s\S]*?)```/.exec(readFileSync("docs/pre-push.md", "utf8"))?.[1] ?? "";
const OLD = oldNode();
const NODES = [["this Node", process.execPath] as const, ...(OLD === null ? [] : [["an old Node", OLD] as const])];

let clone: Clone;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-push-"));
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.git("init", "--bare", "--quiet", "--initial-branch=main", join(folder, "remote.git"));
  clone.git("remote", "add", "origin", join(folder, "remote.git"));
  hook(ROOT);
});
afterEach(() => {
  clone.remove();
  rmSync(folder, { recursive: true });
});

/** The script, for a checkout of Kodiai in that folder. */
function hook(checkout: string): void {
  const script = SCRIPT.replace("at=PATH", `at='${checkout}'`);
  writeFileSync(join(clone.path, ".git", "hooks", "pre-push"), script, { mode: 0o755 });
}

/** @param node that git finds */
function push(words: readonly string[], node = process.execPath) {
  const PATH = `${dirname(node)}:${process.env.PATH}`;
  const own = { GIT_CONFIG_GLOBAL: "/dev/null", KODIAI_DATA_DIR: join(folder, "data"), NO_COLOR: "1", PATH };
  const done = spawnSync("git", ["push", "--quiet", "origin", ...words], {
    cwd: clone.path,
    env: { ...process.env, ...own },
    encoding: "utf8",
  });
  return { code: done.status, said: done.stdout + done.stderr };
}
const there = (branch: string) => clone.git("ls-remote", "origin", branch).split("\t")[0];
const here = () => clone.git("rev-parse", "HEAD").trim();

test.each(NODES)("a push with a grave finding is stopped and says why and how to push anyway, on %s", (_, node) => {
  const first = push(["main"], node);
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining("refs/heads/main is not reviewed") });
  const before = here();
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  const stopped = push(["main"], node);
  expect(stopped).toMatchObject({
    code: 1,
    said: expect.stringMatching(/src\/balance\.py:5[\s\S]*git push --no-verify/),
  });
  expect(there("main")).toBe(before);
  expect(push(["--no-verify", "main"]).code).toBe(0);
  expect(there("main")).toBe(here());
});

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
});

test.each([
  ["there is none", () => join(folder, "none"), "not reviewed: there is no Kodiai in"],
  ["its source is not there", () => checkoutWith(), "kodiai does not start: there is no"],
  ["its packages are not there", () => checkoutWith("src", "package.json"), "kodiai crashed: Error"],
])("where Kodiai cannot review, as %s, nothing is stopped", (_, checkout, says) => {
  hook(checkout());
  push(["--no-verify", "main"]);
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  expect(push(["main"])).toMatchObject({ code: 0, said: expect.stringContaining(says) });
  expect(there("main")).toBe(here());
});

/** A checkout of Kodiai of which only the launcher and these are there. */
function checkoutWith(...names: readonly string[]): string {
  const path = join(folder, "checkout");
  for (const name of ["scripts/launch.mjs", ...names]) cpSync(join(ROOT, name), join(path, name), { recursive: true });
  return path;
}
