// replay as people run it: a real memory in a folder, filled by an import, a process each.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { replay } from "../../src/cli/memory/replay.ts";
import { UsageError } from "../../src/config/usage-error.ts";

import { kodiai } from "./kodiai.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-replay-"));
const dataDir = join(folder, "data");
const run = (words: readonly string[]) => kodiai(words, { cwd: folder });

/** Each pull request of the shop repeats, in other words, what was said on the one before. */
const SAID = [
  "Close the connection when the handshake fails, or the pool runs dry.",
  "The pool runs dry here: close this connection when its handshake fails.",
];
const comment = (repo: string, pr: number, text: string, over: object = {}) => ({
  ...{ id: `${repo}:${pr}`, repo, pr, filePath: "src/pool.ts", language: "TypeScript", text, isBot: false },
  createdAt: new Date(Date.UTC(2024, 0, pr)).toISOString(),
  hunk: "@@ -1,9 +1,9 @@ class Pool {\n   open() {\n+    const connection = this.dial(handshake);",
  ...over,
});
const ROWS = [
  ...Array.from({ length: 25 }, (_, at) => comment("acme/shop", at + 1, `${SAID[at % 2]} Case ${at}.`)),
  comment("acme/shop", 26, "LGTM from the linter, nothing else to say about imports.", { isBot: true }),
  ...Array.from({ length: 5 }, (_, at) => comment("zeta/site", at + 1, `Sort these imports by name ${at}, please.`)),
  comment("omega/core", 1, "Why is this unsafe? Say so in a comment.", { language: "Rust", filePath: "src/lib.rs" }),
];

beforeAll(async () => {
  const file = join(folder, "said.jsonl");
  writeFileSync(file, ROWS.map((row) => JSON.stringify(row)).join("\n"));
  const done = await run(["memory", "import", file, "--data-dir", dataDir]);
  if (done.code !== 0) throw new Error(done.err + done.out);
});
afterAll(() => rmSync(folder, { recursive: true }));

const printedBy = async (run: () => Promise<unknown>): Promise<string> => {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  try {
    expect(await run()).toBe(0);
  } finally {
    spy.mockRestore();
  }
  return printed.join("\n");
};
const replayed = async (...words: readonly string[]) =>
  JSON.parse(await printedBy(() => replay([...words, "--data-dir", dataDir, "--json"])));

test("a repository whose reviewers repeat themselves is helped, and the page says by how much over which placebo [005-03]", async () => {
  const { code, out, err } = await run(["replay", "--repo", "acme/shop", "--data-dir", dataDir]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("replay  acme/shop: 25 of 26 pull requests, 25 comments of people");
  expect(out).toMatch(/on +\.9\d\d \[/);
  expect(out).toMatch(/off +\.000 \[\.000, \.000\]/);
  expect(out).toMatch(/placebo +\.000/);
  expect(out).toContain("helps here: ");
  expect(out).toContain("placebo: zeta/site, 5 comments, main language typescript");
  expect(out).toContain("1 pull request left out");
});

test("memory is frozen at each pull request's first comment: the first of all meets nothing [005-03]", async () => {
  const { pulls, all } = await replayed("--repo", "acme/shop");
  expect(pulls).toHaveLength(25);
  expect(pulls[0]).toMatchObject({ pull: 1, arms: { on: { met: 0, shown: 0 } } });
  expect(pulls[2]).toMatchObject({ pull: 3, arms: { on: { met: 1, shown: 2 } } });
  expect(all.verdict.helps).toBe(true);
  expect(all.arms.on.tokens.mean).toBeGreaterThan(0);
});

test("the last pull requests only, and too few of them show nothing", async () => {
  const { pulls, known, all } = await replayed("--repo", "acme/shop", "--last", "4");
  expect([known, pulls.map(({ pull }: { pull: number }) => pull)]).toEqual([26, [23, 24, 25]]);
  expect(all.verdict).toEqual({ helps: false, reason: "not shown to help here: 3 pull requests, 20 are wanted" });
});

test("without another repository of the same main language it is said that there is no placebo", async () => {
  const { placebo, all } = await replayed("--repo", "omega/core");
  expect(placebo).toBeNull();
  expect(all).toMatchObject({ gain: null, verdict: { helps: false, reason: expect.stringContaining("no placebo") } });
  const { out } = await run(["replay", "--repo", "omega/core", "--data-dir", dataDir]);
  expect(out).toContain("no placebo: no other repository in memory has rust as its main language");
});

test("replaying changes no figure: the same again", async () => {
  expect(await replayed("--repo", "zeta/site")).toEqual(await replayed("--repo", "zeta/site"));
});

test.each([
  [["--last", "0"], "--last takes a whole number from 1"],
  [["--last", "many"], "--last takes a whole number from 1"],
  [["shop"], 'unexpected argument "shop"'],
  [["--repo", "acme/shp"], "there are no memories of acme/shp"],
  [["--format", "md"], "--format takes one of pretty, json"],
])("replay with %j is a mistake of usage", async (words, says) => {
  const asked = replay([...words, "--data-dir", dataDir]);
  await expect(asked).rejects.toThrow(UsageError);
  await expect(asked).rejects.toThrow(says);
});

test("where nothing is remembered it is said, and no file is made", async () => {
  const nowhere = join(folder, "none");
  const { code, err } = await run(["replay", "--repo", "acme/shop", "--data-dir", nowhere]);
  expect([code, err]).toEqual([2, expect.stringContaining("there are no memories of")]);
  expect(existsSync(nowhere)).toBe(false);
});
