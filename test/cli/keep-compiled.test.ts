import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("compiled code is kept in the user's own cache folder, not where others may write", () => {
  const home = mkdtempSync(join(tmpdir(), "kodiai-home-"));
  try {
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
    execFileSync(process.execPath, ["src/cli/main.ts", "version"], { env });
    expect(readdirSync(join(home, ".cache", "kodiai", "compiled"))).toHaveLength(1);
    expect(existsSync(join(home, "node-compile-cache"))).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
