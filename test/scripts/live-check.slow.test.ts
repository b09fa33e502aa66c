// npm run live-check, as a person starts it: against the test world, which answers each experiment
// both ways.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Ended, type RunOptions, script } from "../cli/kodiai.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub, type WorldOptions } from "../fakes/github/github.ts";
import { refused } from "../fakes/github/refusals.ts";

let world: GitHubWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Otto owns a repository that was made for this. */
async function play(options: WorldOptions = {}) {
  world = await startGitHub(options);
  const at = world;
  at.person("otto", { permission: "admin", association: "OWNER" });
  const repository = await at.repository("acme", "playground", { files: { "README.md": "# For a test\n" } });
  const { appId, privateKey, webhookSecret } = at.appCredentials;
  const app = {
    APP_ID: String(appId),
    PRIVATE_KEY: privateKey,
    WEBHOOK_SECRET: webhookSecret,
    KODIAI_GITHUB_API_URL: at.apiUrl,
  };
  const env = { ...app, GITHUB_TOKEN: at.personalToken("otto", { writes: true }) };
  const run = (words: readonly string[], over: Partial<RunOptions> = {}) =>
    script("live-check", ["acme/playground", ...words], { cwd: "/", env, ...over });
  return { world: at, repository, app, env, run };
}

/** Name → verdict. */
function verdicts({ out }: Ended): Record<string, string> {
  const { results } = JSON.parse(out) as { results: readonly { name: string; verdict: string; found: string }[] };
  return Object.fromEntries(results.map(({ name, verdict, found }) => [name, `${verdict}: ${found}`]));
}

/**
 * Branches of the repository other than its default one; whether its pull requests are open; its
 * name.
 */
async function leftIn(at: GitHubWorld, { owner, name, pulls }: Repository) {
  const gone = await Promise.all(
    branchesMade(at).map(async (branch) => {
      const asked = `${at.apiUrl}/repos/${owner}/${name}/branches/${branch}`;
      const { status } = await fetch(asked, { headers: { authorization: `token ${at.personalToken("lena")}` } });
      return status === 404 ? [] : [branch];
    }),
  );
  return { branches: gone.flat(), pulls: pulls.map(({ state }) => state), name };
}

function branchesMade({ requests }: GitHubWorld): readonly string[] {
  const made = requests.filter(({ method, path }) => method === "POST" && path.endsWith("/git/refs"));
  const names = made.map(({ body }) => String((body as { ref: string }).ref).replace("refs/heads/", ""));
  return names.flatMap((name) => [name, `${name}-renamed`]);
}

const CLEAN = { branches: [], pulls: ["closed"], name: "playground" };
/** What a run against the GitHub of these tests prints. */
const expected = () => readFileSync("test/scripts/live-check-report.md", "utf8");

test("a live run tries each promise, cleans up, and prints its report", async () => {
  const { world: at, repository, run } = await play();
  const { code, out, err } = await run(["--yes"]);
  expect(err).toMatch(/^trying token-form\n(?:trying [a-z-]+\n){11}trying rename-repository\n$/);
  expect(out).toContain("13 promises: 12 hold, 0 do not, 1 were not tried.");
  expect(code).toBe(0);
  expect(await leftIn(at, repository)).toEqual(CLEAN);
  expect(branchesMade(at)).toHaveLength(4);
  expect(out).not.toMatch(/acme|playground|otto|ghp_|ghs_\d|-live-[0-9a-f]{8}|\d{6}/);
  expect(at.violations).toEqual([]);
  const asOf = (text: string) => text.replace(/^Kodiai \S+ on/m, "Kodiai VERSION on").trim();
  expect(asOf(out)).toBe(asOf(expected()));
});

test("where GitHub answers otherwise, each promise says so with what Kodiai does instead", async () => {
  const { world: at, repository, run } = await play({ opaqueTokens: true });
  const graphql = (body: RegExp) => ({ method: "POST", path: "/graphql", body });
  const answer = (body: unknown) => ({ status: 200, body });
  at.person("Copilot", { type: "User", mergedPullRequests: 3 });
  at.fail({ match: { path: "/search/issues" }, status: 422 });
  const review = { id: 7, html_url: "https://github.com/acme/playground/pull/1" };
  at.fail({ match: { method: "POST", path: /\/reviews$/, body: /fnd_live3/ }, ...answer(review) });
  const code = { extensions: { code: "cannotSpreadFragment" }, message: "Fragment on Bot can't be spread inside User" };
  at.fail({ match: graphql(/timelineItems/), ...answer({ errors: [code] }) });
  let resolutions = 0;
  const resolved = { data: { resolveReviewThread: { thread: { isResolved: true } } } };
  // The first is the person's.
  at.fail({ match: graphql(/resolveReviewThread/), chance: () => ++resolutions > 1, ...answer(resolved) });
  at.fail(refused("not accessible", { match: { method: "POST", path: /\/issues\/comments\/\d+\/reactions$/ } }));
  const suite = { app: { slug: "kodiai" }, status: "queued", latest_check_runs_count: 0 };
  at.fail({ match: { path: /\/check-suites$/ }, ...answer({ total_count: 1, check_suites: [suite] }) });
  at.fail({ match: graphql(/__type/), ...answer({ data: { __type: { fields: [{ name: "databaseId" }] } } }) });
  const close = () => at.closePull(repository.pulls[0] as never, { announce: false });
  at.fail({ match: { method: "POST", path: /\/rename$/ }, happens: close });
  const to = `${at.apiUrl}/repositories/${repository.id}/issues/1/comments`;
  const underFormerName = { method: "POST", path: /\/issues\/1\/comments$/, body: /former name/ };
  at.fail(refused("moved, 301", { match: underFormerName, to }));

  const ended = await run(["--yes", "--json", "--outside-login", "no"]);
  expect(verdicts(ended)).toEqual({
    "token-form": "does not hold: another form",
    "search-app": "does not hold: refused with 422",
    "search-copilot": "does not hold: taken",
    review: "holds: taken and shown",
    "outside-diff": "does not hold: taken",
    feedback: "does not hold: Request failed due to following response errors",
    "resolve-thread": "does not hold: resolved",
    react: "does not hold: refused with 403",
    "check-suite": "does not hold: 1 queued",
    "outside-login": "does not hold: the login was refused, as the person says",
    schema: "does not hold: no",
    "rename-branch": "does not hold: closed, into the new name",
    "rename-repository": "does not hold: 301",
  });
  expect(ended.code).toBe(3);
  expect(ended.out).toMatch(/App POST \/graphql query repository: 200; .*cannotSpreadFragment.*Fragment on Bot/);
  expect(await leftIn(at, repository)).toEqual(CLEAN);
});

test("a review that GitHub refuses costs what depends on it, and nothing else", async () => {
  const { world: at, repository, run } = await play();
  at.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 422 });
  const ended = await run(["--yes", "--json"]);
  expect(verdicts(ended)).toMatchObject({
    "search-app": "holds: 0 pull requests",
    review: "does not hold: refused with 422",
    feedback: "not tried: the App has no comments on the diff",
    "rename-repository": "holds: 307",
  });
  expect(ended.code).toBe(3);
  expect(await leftIn(at, repository)).toEqual(CLEAN);
});

test("a limit is no answer: the App waits, and the person's token cleans up", async () => {
  const { world: at, repository, run } = await play();
  at.fail(refused("secondary limit", { match: { path: "/search/issues" } }));
  const ended = await run(["--yes", "--json"]);
  expect(verdicts(ended)).toMatchObject({
    "search-app": "not tried: GitHub answered 403 to GET /search/issues",
    review: "not tried: GitHub asked us to wait",
  });
  expect(ended.code).toBe(3);
  expect(await leftIn(at, repository)).toEqual(CLEAN);
});

test("without a pull request nothing is tried, what was made is deleted, and what stays is named", async () => {
  const { world: at, repository, run } = await play();
  at.fail(refused("not accessible", { match: { method: "POST", path: /\/pulls$/ } }));
  const ended = await run(["--yes"]);
  expect(ended).toMatchObject({ code: 3, out: expect.stringContaining("The run was cut short.") });
  expect(ended.out).toContain("no pull request was opened: refused with 403");
  expect(await leftIn(at, repository)).toEqual({ ...CLEAN, pulls: [] });

  at.fail(refused("not accessible", { match: { method: "DELETE", path: /\/git\/refs\// }, times: 2 }));
  const littered = await run(["--yes"]);
  expect(littered.code).toBe(3);
  expect(littered.err).toMatch(/could not clean up in acme\/playground: delete the branches kodiai-live-\w{8} and /);
  expect(littered.out).toContain("The clean-up is not complete: 1 steps failed.");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "stopped by %s while the repository has another name, it cleans up",
  async (signal) => {
    const { world: at, repository, run } = await play();
    let pid = 0;
    // The last request before it is renamed back; the signal arrives while it is answered.
    const happens = async () => {
      process.kill(pid, signal);
      await new Promise((resolve) => setTimeout(resolve, 500));
    };
    at.fail({ match: { method: "POST", path: /\/issues\/1\/comments$/, body: /former name/ }, happens });
    const ended = await run(["--yes"], {
      onStart(started) {
        pid = started;
      },
    });
    expect(ended).toMatchObject({ code: 3, err: expect.stringContaining("stopping: ") });
    expect(ended.out).toContain("The run was cut short.");
    expect(await leftIn(at, repository)).toEqual(CLEAN);
  },
);

test("it asks first, and wants a token of a person who may push", async () => {
  const { world: at, app, run } = await play();
  const folder = mkdtempSync(join(tmpdir(), "kodiai-live-"));
  const file = join(folder, "token");
  writeFileSync(file, `${at.personalToken("lena", { writes: true })}\n`);
  const words = [
    [["--yes"], app, "it needs your own token, in GITHUB_TOKEN or --token-file"],
    [["--yes"], {}, "it needs the App's credentials"],
    [["--yes", "--token-file", file], app, "the token of lena may not push to acme/playground"],
    [["--outside-login", "maybe"], undefined, "--outside-login takes one of yes, no"],
    [[], undefined, "it asks first; without a terminal, add --yes"],
  ] as const;
  try {
    const ended = await Promise.all(
      words.map(([options, env]) => run(options, env === undefined ? {} : { env: { ...env } })),
    );
    for (const [index, [, , said]] of words.entries())
      expect(ended[index]).toMatchObject({ code: 2, out: "", err: expect.stringContaining(said) });
    expect(at.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a repository in use is left alone unless that is meant", async () => {
  const { world: at, repository, run } = await play();
  await at.pullRequest(repository, { title: "Work", files: { "a.md": "A\n" }, announce: false });
  const inUse = "acme/playground is in use: it has 1 open pull request and 1 file; create a repository for this";
  expect(await run(["--yes"])).toMatchObject({ code: 2, err: expect.stringContaining(inUse) });
  expect(at.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  expect((await run(["--yes", "--force"])).code).toBe(0);
  expect(repository.pulls.map(({ state }) => state)).toEqual(["open", "closed"]);
});
