// What `kodiai review` does in each state of a clone.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kodiai } from "../cli/kodiai.ts";
import { CLONE_STATES } from "./clone-states.ts";

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
