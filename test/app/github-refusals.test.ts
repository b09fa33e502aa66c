// What GitHub refuses with one status for many reasons, as its answers were recorded elsewhere:
// each reason has an end of its own.
import { afterEach, expect, test } from "vitest";
import { refused as refusal } from "../fakes/github/refusals.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BALANCE, said, summaryOf } from "./change-builders.ts";
import { answered } from "./conversation-helpers.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const CONFIG = "review:\n  maxComments: 20\n";
const paths = (count: number) => Array.from({ length: count }, (_, at) => `src/part-${String(at).padStart(2, "0")}.py`);
const balances = (count: number) => Object.fromEntries(paths(count).map((path) => [path, BALANCE]));
const REVIEWS = { method: "POST", path: /\/reviews$/ };

async function opened() {
  harness = await openHarness();
  const files = { "README.md": "# Shop\n", ".kodiai.yml": CONFIG };
  const repository = await harness.world.repository("acme", "shop", { files });
  const posts = () =>
    harness?.world.requests.filter(({ method, path }) => method === "POST" && REVIEWS.path.test(path)).length;
  return { harness, world: harness.world, repository, posts };
}

test("twenty comments of which GitHub refuses six: fourteen are inline, six on their files", async () => {
  const { harness: at, world, repository, posts } = await opened();
  const refused = paths(20)
    .filter((_, index) => index % 3 === 0)
    .slice(0, 6);
  let pull = await world.pullRequest(repository, { title: "Start", files: { "docs/a.md": "A\n" } });
  await at.settled(pull);
  // GitHub stops showing the diff of six files between reading and writing.
  world.fail({ match: REVIEWS, happens: () => refused.forEach((path) => void pull.withoutPatch.add(path)) });
  pull = await world.pullRequest(repository, { title: "Balance", files: balances(20) });
  expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expect(said(world, pull)).toHaveLength(14);
  expect(
    world
      .comments(pull)
      .file.map(({ path }) => path)
      .toSorted(),
  ).toEqual(refused);
  expect(posts()).toBeLessThanOrEqual(4);
  expect(summaryOf(world, pull).body).toContain("14 inline, 6 on whole files");
});

test.each([["ten comments", "abuse", 10]] as const)(
  "%s, throttled (%s): all inline after the wait, and nothing is asked before it",
  async (_, words, count) => {
    const { harness: at, world, repository, posts } = await opened();
    world.fail(refusal(words));
    const began = Date.now();
    const pull = await world.pullRequest(repository, { title: "Balance", files: balances(count) });
    const { runAt } = await at.waitsAgain(pull);
    expect(runAt).toBeGreaterThanOrEqual(began + 60_000);
    expect(posts()).toBeLessThanOrEqual(3);
    expect(at.rows("SELECT 1 FROM installations WHERE closed_until > 0")).toHaveLength(1);
    await at.hurry();
    expect(await at.settled(pull)).toMatchObject({ state: "done" });
    expect(said(world, pull)).toHaveLength(count);
    expect(posts()).toBe(2);
  },
);

test("a file whose diff GitHub does not show gets its comment on the file, at the first try", async () => {
  const { harness: at, world, repository, posts } = await opened();
  const withoutPatch = ["src/part-00.py"];
  const pull = await world.pullRequest(repository, { title: "Balance", files: balances(2), withoutPatch });
  expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expect(said(world, pull)).toEqual(["src/part-01.py:5 tls-verify-disabled"]);
  expect(world.comments(pull).file.map(({ path }) => path)).toEqual(withoutPatch);
  expect(posts()).toBe(1);
  expect(summaryOf(world, pull).body).toContain("GitHub shows no diff of the file and takes no comment on its lines");
});

test("a diff that GitHub is still making is waited for", async () => {
  const { harness: at, world, repository } = await opened();
  world.fail(refusal("diff not available"));
  const pull = await world.pullRequest(repository, { title: "Balance", files: balances(2) });
  await at.waitsAgain(pull);
  await at.hurry();
  expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 2 });
  expect(said(world, pull)).toHaveLength(2);
  expect(summaryOf(world, pull).body).not.toContain("incomplete");
});

test.each([301] as const)(
  "a repository that is renamed in the middle of a review answers %i, and the review is posted once",
  async (status) => {
    const { harness: at, world, repository, posts } = await opened();
    let to = "";
    world.fail({
      ...refusal(`moved, ${status}`, { match: REVIEWS }),
      get headers() {
        return { location: to };
      },
    });
    const announce = false;
    const pull = await world.pullRequest(repository, { title: "Balance", files: balances(2), announce });
    to = `${world.apiUrl}/repositories/${repository.id}/pulls/${pull.number}/reviews`;
    await world.label(pull, "kodiai:review");
    expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
    expect(said(world, pull)).toHaveLength(2);
    expect(posts()).toBe(2);
  },
);

test("an author whom searches refuse, such as Copilot, costs the tier alone, and a check concludes", async () => {
  harness = await openHarness();
  const { world } = harness;
  const config = "review: {checks: {enabled: true, failOn: major}}\n";
  const repository = await world.repository("acme", "shop", {
    files: { "README.md": "# Shop\n", ".kodiai.yml": config },
  });
  world.person("Copilot", { type: "Bot" });
  world.person("otto", { permission: "admin", association: "OWNER" });
  const files = { "docs/a.md": "A\n" };
  const pull = await world.pullRequest(repository, { title: "Document", author: "Copilot", files });
  await harness.settled(pull);
  await world.comment(pull, "otto", "/kodiai review");
  await answered(harness);
  expect(await harness.settled(pull)).toMatchObject({ outcome: expect.stringMatching(/^posted /) });
  expect(summaryOf(world, pull).body).toContain("- `author-tier`");
  expect((await world.checks(pull)).at(-1)).toMatchObject({ status: "completed", conclusion: "neutral" });
});

test("reactions that GitHub refuses cost nothing but themselves", async () => {
  const { harness: at, world, repository } = await opened();
  world.person("otto", { permission: "admin", association: "OWNER" });
  const pull = await world.pullRequest(repository, { title: "Balance", files: balances(1) });
  await at.settled(pull);
  world.fail(refusal("not accessible", { match: { method: "POST", path: /\/reactions$/ }, times: 100 }));
  await world.comment(pull, "otto", "/kodiai help");
  await answered(at);
  expect(world.comments(pull).summary).toHaveLength(3);
});

test("a review that failed for good says so on the pull request, and the next one takes the line away", async () => {
  const { harness: at, world, repository } = await opened();
  let isRefused = true;
  const body = { message: "Resource not accessible by integration" };
  world.fail({ match: REVIEWS, status: 403, body, times: 1_000, chance: () => isRefused });
  const pull = await world.pullRequest(repository, { title: "Balance", files: balances(2) });
  expect(await at.settled(pull)).toMatchObject({ state: "parked" });
  expect(summaryOf(world, pull).body).toMatch(/^Not reviewed: the review failed and is not tried again/);
  isRefused = false;
  await world.push(pull, { "src/part-00.py": `${BALANCE}\n# again\n` });
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  expect(summaryOf(world, pull).body).not.toContain("Not reviewed");
});
