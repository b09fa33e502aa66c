// What `kodiai review` does in each state of a clone.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kodiai } from "../cli/kodiai.ts";
import { CLONE_STATES, gitIn, upstream } from "./clone-states.ts";

let at: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(join(tmpdir(), "kodiai-state-")));
});
afterEach(() => rmSync(at, { recursive: true }));

test.each(CLONE_STATES)("$state", async ({ make, words, env, prints, code }) => {
  const cwd = make(at);
  const variables = { XDG_DATA_HOME: join(at, "data"), ...env?.(at) };
  const ended = await kodiai(["review", "--model", "off", ...words], { cwd, env: variables });
  expect(`${ended.out}${ended.err}`).toMatch(prints);
  expect(ended.code).toBe(code);
});

test("a hook of the server reviews what is pushed while git still keeps it apart", () => {
  const clone = upstream(at);
  gitIn(at, "init", "--quiet", "--bare", "--initial-branch=main", "bare.git");
  const bare = join(at, "bare.git");
  gitIn(clone, "push", "--quiet", bare, "main");
  const main = join(import.meta.dirname, "../../src/cli/main.ts");
  const review = `'${process.execPath}' '${main}' review --base main --head "$new" --model off 2>&1`;
  writeFileSync(
    join(bare, "hooks/pre-receive"),
    `#!/bin/sh\nwhile read -r old new ref; do ${review} > '${join(at, "said")}'; done\n`,
    { mode: 0o755 },
  );
  gitIn(clone, "push", "--quiet", bare, "feature");
  expect(readFileSync(join(at, "said"), "utf8")).toMatch(/shell-from-strings\n {2}backup\.py:3\n/);
});
