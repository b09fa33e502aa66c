// Programs that the worker starts get no key: git, in the place of which a script prints its
// environment.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitProcess, gitText } from "../../../src/adapters/git/git.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-git-"));
const before = { ...process.env };
afterEach(() => {
  process.env = before;
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(process.platform !== "win32")("git gets none of the server's keys, however it is started [T1]", async () => {
  writeFileSync(join(folder, "git"), `#!/bin/sh\nenv >> "${folder}/seen"\necho "${folder}"\n`);
  chmodSync(join(folder, "git"), 0o700);
  const secrets = Object.fromEntries(
    [
      ...["PRIVATE_KEY", "WEBHOOK_SECRET", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "VOYAGE_API_KEY", "GITHUB_TOKEN"],
      ...["DATABASE_URL", "KODIAI_ADMIN_TOKEN", "HTTPS_PROXY", "AWS_SECRET_ACCESS_KEY", "NODE_OPTIONS"],
    ].map((name) => [name, name === "NODE_OPTIONS" ? "" : `secret of ${name}`]),
  );
  process.env = { ...before, ...secrets, PATH: `${folder}:${before.PATH}`, GIT_DIR: join(folder, "elsewhere.git") };
  await gitText(folder, ["rev-parse", "--git-dir"]);
  const child = gitProcess(folder, ["cat-file", "--batch"]);
  await new Promise((done) => child.on("close", done));
  const seen = readFileSync(join(folder, "seen"), "utf8").split("\n");
  expect(seen.filter((line) => line.startsWith("PATH="))).toHaveLength(3);
  expect(seen.filter((line) => Object.keys(secrets).some((name) => line.startsWith(`${name}=`)))).toEqual([]);
});
