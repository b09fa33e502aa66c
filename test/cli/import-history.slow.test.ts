// kodiai import: a repository's past from GitHub, with a person's token, into memory on this
// machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mergedPull, people, saidInConversation, saidInReview, saidOnLine } from "../app/past-reviews.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { kodiai } from "./kodiai.ts";

const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");

let world: GitHubWorld;
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  world = await startGitHub();
  people(world);
  const repository = await world.repository("acme", "shop", { files: { "a.txt": "a" }, private: true });
  const pull = await mergedPull(world, repository, "feat: back up at night");
  const advice = saidOnLine(world, pull, {
    by: "ines",
    body: `Read the password from the environment and not from here: ${TOKEN} is public now.`,
    day: 1,
  });
  saidOnLine(world, pull, { by: "lena", body: "Good catch, done in 3f2a1bc.", day: 2 }, advice);
  saidOnLine(world, pull, { by: "drive-by", body: "I would write the whole module in another language.", day: 3 });
  const handler = "Wrap this error, or the handler answers 500 to every client.";
  const asked = saidOnLine(world, pull, { by: "olga", body: handler, path: "src/http/handler.go", hunk: "", day: 40 });
  saidOnLine(world, pull, { by: "ines", body: "This is by design.", day: 41 }, asked);
  saidInConversation(world, pull, {
    by: "ines",
    body: "Next time, split the migration from the code that needs it.",
    day: 4,
  });
  saidInReview(world, pull, {
    by: "lena",
    body: "Solid, but the retry policy must be written down in the runbook.",
    day: 5,
  });
  // With the first it is two pages.
  for (let n = 1; n <= 20; n++) await mergedPull(world, repository, `feat: step ${n}`);
  env = { GITHUB_TOKEN: world.personalToken("mona"), GITHUB_API_URL: world.apiUrl };
});
afterAll(async () => {
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});
dataDir = mkdtempSync(join(tmpdir(), "kodiai-import-"));

const run = (words: readonly string[], over: Record<string, string> = {}) =>
  kodiai([...words, "--data-dir", dataDir], { cwd: "/", env: { ...env, ...over } });

const TABLE = [
  "  by language: unknown 2, python 1, go 1",
  "  by outcome: none 2, fixed 1, declined 1",
  "  left out: 1 × by a person without write access",
];

test("a dry run counts and makes no file", async () => {
  const { code, out } = await run(["import", "acme/shop", "--dry-run"]);
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n").toSorted()).toEqual(
    ["acme/shop: 7 comments read: 4 memories found, nothing was stored", ...TABLE].toSorted(),
  );
  expect(readdirSync(dataDir)).toEqual([]);
});

test("the past becomes memory with a table of it, twice changes nothing, and no secret stays", async () => {
  const first = await run(["import", "https://github.com/acme/shop"]);
  expect(first.code).toBe(0);
  expect(first.out.split("\n")[0]).toBe("acme/shop: 7 comments read: 4 added, 0 updated, 0 unchanged, 0 refused");
  for (const line of TABLE) expect(first.out).toContain(line);
  expect(first.err).toBe("");
  const again = await run(["import", "acme/shop", "--since", "2026-01-01"]);
  expect(again.out.split("\n")[0]).toBe("acme/shop: 7 comments read: 0 added, 0 updated, 4 unchanged, 0 refused");
  const stats = await run(["memory", "stats", "--repo", "acme/shop"]);
  expect(stats.out).toContain("acme/shop: 4 memories\n");
  const bytes = readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), "latin1"));
  expect(bytes.filter((text) => text.includes(TOKEN) || text.includes(String(env.GITHUB_TOKEN)))).toEqual([]);
  expect(world.violations).toEqual([]);
  const writes = world.requests.filter(({ method, path }) => method !== "GET" && path !== "/graphql");
  expect(writes).toEqual([]);
});

test("only what was said since a date, or the newest, is read", async () => {
  const since = await run(["import", "acme/shop", "--dry-run", "--since", "2100-04-01"]);
  expect(since.out.split("\n")[0]).toContain(" 0 comments read: 0 memories found");
  const limited = await run(["import", "acme/shop", "--dry-run", "--limit", "21", "--json"]);
  expect(JSON.parse(limited.out)).toMatchObject({
    version: 1,
    dryRun: true,
    stopped: null,
    progress: {
      tally: {
        byOutcome: [
          ["fixed", 1],
          ["declined", 1],
          ["none", 2],
        ],
      },
    },
  });
});

test("the last fifth of the hour's requests is left alone, and it goes on there the next time", async () => {
  let isScarce = true;
  const headers = {
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": "900",
    "x-ratelimit-reset": String(Date.UTC(2026, 10, 22, 17, 30) / 1_000),
  };
  for (const path of [/\/pulls/, /\/issues\//]) {
    world.fail({ match: { method: "GET", path }, onlyHeaders: true, headers, times: 1_000, chance: () => isScarce });
  }
  const folder = ["--data-dir", mkdtempSync(join(dataDir, "limited-"))];
  const stopped = await kodiai(["import", "acme/shop", ...folder], { cwd: "/", env });
  expect(stopped.code).toBe(0);
  expect(stopped.out).toContain("run it again after 17:30 UTC to resume");
  isScarce = false;
  const before = world.requests.length;
  const rest = await kodiai(["import", "acme/shop", ...folder], { cwd: "/", env });
  expect(rest.out.split("\n")[0]).toMatch(/: 7 comments read: 4 added/);
  const lists = world.requests.slice(before).filter(({ path }) => path.endsWith("/pulls"));
  expect(lists.map(({ query }) => new URLSearchParams(query).get("page"))).toEqual(["2"]);
});

test.each([
  [["import"], {}, 2, "name the repository"],
  [["import", "acme"], {}, 2, '"acme" is not OWNER/NAME'],
  [["import", "acme/shop"], { GITHUB_TOKEN: "" }, 2, "set GITHUB_TOKEN"],
  [["import", "acme/shop", "--limit", "0"], {}, 2, "--limit takes a whole number of at least 1"],
  [["import", "acme/shop", "--since", "yesterday"], {}, 2, "--since takes a day such as 2026-03-01"],
  [["import", "acme/nowhere"], {}, 3, "there is no repository acme/nowhere, or GITHUB_TOKEN may not read it"],
  [["import", "acme/shop"], { GITHUB_TOKEN: "ghp_nobody" }, 3, "GitHub does not take this GITHUB_TOKEN"],
] as const)("%j with %j says what is wrong", async (words, over, code, message) => {
  const ended = await run(words, over);
  expect(ended).toMatchObject({ code, err: expect.stringContaining(message) });
});
