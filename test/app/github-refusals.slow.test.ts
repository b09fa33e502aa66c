// What GitHub refuses with one status for many reasons, as its answers were recorded elsewhere:
// each reason has an end of its own; the slower ones.
import { afterEach, expect, test } from "vitest";
import { refused as refusal } from "../fakes/github/refusals.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BALANCE, said, summaryOf } from "./change-builders.ts";

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

test.each([
  ["ten comments", "submitted too quickly", 10],
  ["one comment", "abuse", 1],
] as const)(
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

const FILES = { method: "GET", path: /\/pulls\/\d+\/files$/ };
const COMPARE = { method: "GET", path: /\/compare\// };

/** The listing is refused as often as it is asked for, comparisons `comparisons` times. */
async function withoutDiff(comparisons: number) {
  const { harness: at, world, repository } = await opened();
  world.fail(refusal("diff not available", { match: FILES, times: 100 }));
  world.fail(refusal("diff not available", { match: COMPARE, times: comparisons }));
  const pull = await world.pullRequest(repository, { title: "Balance", files: balances(2) });
  for (let tries = 0; tries < 3; tries += 1) {
    expect((await at.waitsAgain(pull)).outcome).toContain("GitHub answered 422 to GET");
    await at.hurry();
  }
  expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 4 });
  return { world, pull, summary: summaryOf(world, pull).body };
}

test("a diff that GitHub never makes is read from its comparison of the two commits, and the summary says so", async () => {
  const { world, pull, summary } = await withoutDiff(0);
  expect(said(world, pull)).toHaveLength(2);
  expect(summary).toContain("GitHub could not make the diff of this pull request: GitHub's comparison");
});

test("where there is no comparison either, the texts are compared, and comments are on the files", async () => {
  const { world, pull, summary } = await withoutDiff(1);
  expect(said(world, pull)).toEqual([]);
  expect(world.comments(pull).file.map(({ path }) => path)).toEqual(paths(2));
  expect(summary).toContain("the texts of up to 60 changed files were compared");
});

test.each([307] as const)(
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
