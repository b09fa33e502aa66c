// Somebody pushes, closes, locks or takes the app off, right before any request of a review:
// nothing is said about what is over, and what is there now is reviewed once.
// test/flows/superseded.test.ts has every step.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, BALANCE, said } from "./change-builders.ts";

let harness: Harness;
let repository: Repository;
beforeAll(async () => {
  harness = await openHarness();
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

const FILES = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };

/** Opens a pull request to which something happens meanwhile. */
async function opened(method: string, path: RegExp, happens: (pull: Pull) => void | Promise<void>): Promise<Pull> {
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: FILES, draft: true });
  harness.world.fail({ match: { method, path }, happens: () => happens(pull) });
  await harness.world.readyForReview(pull);
  await harness.settled(pull);
  return pull;
}

test("a push right before reviews are listed: the new head alone is reviewed, once [R17][T8]", async () => {
  const push = (one: Pull) => harness.world.push(one, { "ops/backup.py": null });
  const pull = await opened("GET", /\/pulls\/\d+\/reviews$/, push);
  await harness.settled(pull);
  const { reviews, inline } = harness.world.comments(pull);
  expect(reviews.filter(({ body }) => body !== "").map(({ commitId }) => commitId)).toEqual([pull.headSha]);
  expect(inline.map(({ commitId }) => commitId)).toEqual([pull.headSha]);
  expect(said(harness.world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled"]);
});

test("a head that is away while its files are listed is not judged by those of the other one", async () => {
  const { world } = harness;
  const files = { ".kodiai.yml": "review: {checks: {enabled: true, failOn: major}}\n" };
  const at = await world.repository("acme", "gated", { files });
  const by = { author: "mallory", fork: "mallory" };
  const pull = await world.pullRequest(at, { title: "Back up", ...by, files: FILES, draft: true });
  const faulty = pull.headSha;
  await world.push(pull, { "ops/backup.py": "a = 1\n", "src/balance.py": "a = 1\n" });
  const harmless = pull.headSha;
  pull.headSha = faulty;
  const back = () => Object.assign(pull, { headSha: faulty });
  const away = () => {
    pull.headSha = harmless;
    world.fail({ match: { method: "GET", path: "/contents/" }, happens: () => void back() });
  };
  world.fail({ match: { method: "GET", path: /\/pulls\/\d+\/files$/ }, happens: away });
  await world.readyForReview(pull);
  await until("a first try", () => harness.jobs(pull).some(({ state, attempt }) => state !== "running" && attempt > 0));
  back();
  await harness.hurry();
  await harness.settled(pull);
  expect((await world.checks(pull, faulty)).at(-1)?.conclusion).toBe("failure");
  expect(said(world, pull)).toHaveLength(2);
});

test("locked between the last look and the review: GitHub's refusal is known for what it is", async () => {
  const pull = await opened("POST", /\/reviews$/, (one) => harness.world.lock(one));
  expect(harness.world.comments(pull).reviews).toEqual([]);
  const outcome = expect.stringMatching(/: the conversation is locked$/);
  expect(harness.jobs(pull).at(-1)).toMatchObject({ state: "done", outcome });
  expect(harness.rows("SELECT * FROM intents WHERE state = 'sent'")).toEqual([]);
});

test("the app is taken off in the middle: the job ends, and nothing is asked again and again", async () => {
  harness.world.fail({ match: { method: "GET", path: /\/pulls\/\d+\/comments$/ }, status: 404, times: 50 });
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: FILES });
  expect(await harness.settled(pull)).toMatchObject({
    state: "done",
    attempt: 1,
    outcome: expect.stringMatching(/^missing: /),
  });
  expect(harness.world.comments(pull).reviews).toEqual([]);
});
