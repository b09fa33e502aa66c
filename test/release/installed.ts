// The package as somebody installs it: compiled, packed, and installed in an empty folder without
// install scripts.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { BACKUP } from "../app/change-builders.ts";
import { newClone } from "../cli/kodiai.ts";
import { newUser } from "./registry.ts";

export interface Installed {
  /** The folder in which it was installed. */
  readonly app: string;
  /** Runs the installed command. */
  kodiai(words: readonly string[], node?: string, cwd?: string): { code: number | null; out: string; err: string };
  remove(): void;
}

/**
 * Ten times what it takes with warm packages. A registry that answers a few requests and no more
 * keeps npm waiting for ever.
 */
const INSTALL_MS = 200_000;

/**
 * @param more packages beside it
 * @returns null, and says so, where the registry does not deliver in time; a package that cannot be
 * packed or installed throws
 */
export function installPackage(...more: readonly string[]): Installed | null {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-release-"));
  const app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{"private": true}\n');
  const env = newUser(folder);
  const stdio = ["ignore", "ignore", "inherit"] as const;
  execFileSync(process.execPath, ["scripts/release-pack.ts", "--pack-destination", folder], { stdio: [...stdio] });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const limits = { timeout: INSTALL_MS, killSignal: "SIGKILL" } as const;
  const ended = spawnSync("npm", [...install, tarball, ...more], { cwd: app, env, stdio: [...stdio], ...limits });
  if (ended.signal === "SIGKILL") {
    rmSync(folder, { recursive: true, force: true });
    console.warn(
      `SKIPPED, NOT TESTED: what users install, since npm's registry did not deliver in ${INSTALL_MS / 1_000} s`,
    );
    return null;
  }
  expect(ended.status).toBe(0);
  return {
    app,
    kodiai(words, node = process.execPath, cwd = app) {
      const all = { ...env, KODIAI_DATA_DIR: join(folder, "data") };
      const command = [join(app, "node_modules/.bin/kodiai"), ...words];
      const { status, stdout, stderr } = spawnSync(node, command, { cwd, env: all, encoding: "utf8" });
      return { code: status, out: stdout, err: stderr };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Reviews a repository, indexes and searches it, and starts what needs more settings, each of which
 * starts processes or threads.
 */
export function expectWork({ kodiai }: Installed, node?: string): void {
  const clone = newClone();
  try {
    clone.write({ "README.md": "# Shop\n\nBacking up is done nightly.\n" });
    clone.commit("Lay the ground");
    clone.write({ "ops/backup.py": BACKUP });
    clone.git("add", "--all");
    const run = (...words: readonly string[]) => kodiai(words, node, clone.path);
    const review = run("review", "--staged", "--json", "--fail-on", "major");
    expect(review).toMatchObject({ code: 1, err: "" });
    expect(JSON.parse(review.out).findings.map(({ rule }: { rule: string }) => rule)).toEqual(["shell-from-strings"]);
    expect(run("index")).toMatchObject({ code: 0, out: expect.stringContaining("1 added") });
    expect(run("search", "backing up nightly").out).toContain("README.md");
    expect(run("doctor")).toMatchObject({ code: 0, out: expect.stringMatching(/\d+ checks passed/) });
    expect(run("init")).toMatchObject({ code: 0 });
    clone.write({ ".kodiai.yml": null });
    expect(run("serve")).toMatchObject({ code: 2, err: expect.stringContaining("APP_ID is not set") });
    expect(run("setup", "--yes")).toMatchObject({ code: 2, err: expect.stringContaining("--webhook-url") });
  } finally {
    clone.remove();
  }
}
