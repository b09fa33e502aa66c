// With nothing to say nothing is posted but a 👍: through reception, queue, flows and store.
// test/app/silent-reviews.test.ts shows it over HTTP.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { BACKUP, said, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { Files } from "../fakes/github/emulator.ts";
import type { PullRequestOptions } from "../fakes/github/pull-actions.ts";

const CLEAN = "RETRIES = 3\n";

let harness: FlowHarness;
let repository: Repository;
let repositories = 0;
let opened = 0;

beforeAll(async () => {
  harness = await openFlow();
  harness.world.person("rae", { permission: "write", association: "MEMBER" });
  harness.world.person("tess", { permission: "triage", association: "MEMBER" });
});
afterAll(() => harness.close());

/** A repository whose first review is over. */
async function repositoryWith(files: Files = {}): Promise<Repository> {
  repositories += 1;
  const made = await harness.world.repository("acme", `shop-${repositories}`, {
    files: { "a.py": "A = 1\n", ...files },
  });
  await review(await open({}, made));
  return made;
}
beforeEach(async () => {
  repository = await repositoryWith();
});

function open(options: Partial<PullRequestOptions> = {}, where = repository): Promise<Pull> {
  opened += 1;
  return harness.world.pullRequest(where, { title: "Retry", files: { [`src/retry_${opened}.py`]: CLEAN }, ...options });
}

async function review(pull: Pull): Promise<Pull> {
  await harness.settled(pull);
  return pull;
}

const shown = (pull: Pull) => ({
  summaries: own(pull).map((body) => body.split("\n\n", 2).join(" ")),
  reactions: pull.reactions.map(({ author, content }) => `${author.login} ${content}`),
});
const SILENT = { summaries: [], reactions: ["kodiai[bot] +1"] };
const CLEAN_SUMMARY = "**Nothing open** **No rule fired** in 1 file; no model read it.";

test("the first review of a repository posts its summary and says that later ones are silent", async () => {
  const first = harness.world.comments(repository.pulls[0] as Pull).summary;
  expect(first).toHaveLength(1);
  expect(first[0]?.body).toContain("First review here; later ones are silent when there is nothing to say.");

  const second = await review(await open());
  expect(shown(second)).toEqual(SILENT);
  expect(harness.world.comments(second).reviews).toEqual([]);
  expect(harness.jobs(second).at(-1)?.outcome).toBe("posted a reaction: there was nothing to say");
});

test.each<[string, Partial<PullRequestOptions>]>([
  ["a finding", { files: { "ops/backup.py": BACKUP } }],
  ["a file that is left out", { files: { "src/a.py": CLEAN, "package-lock.json": "{}\n" } }],
  ["a file that only rules read", { files: { "src/a.py": CLEAN, "vendor/x/index.py": CLEAN } }],
  ["a change of the configuration", { files: { ".kodiai.yml": "preset: quiet\n" } }],
  ["a problem in the proposed configuration", { files: { ".kodiai.yml": "reviw: {}\n" } }],
])("%s is something to say", async (_what, options) => {
  const pull = await review(await open(options));
  expect(summaryOf(harness.world, pull).body).not.toContain("First review here");
  expect(pull.reactions).toEqual([]);
});

test("a problem of the configuration is something to say", async () => {
  repository = await repositoryWith({ ".kodiai.yml": "review: {profil: quiet}\n" });
  expect(summaryOf(harness.world, await review(await open())).body).toContain("did you mean");
});

test("what is held back is something to say", async () => {
  const suppress = "review: {suppress: [{pattern: 'glob:*'}]}\n";
  repository = await repositoryWith({ ".kodiai.yml": suppress });
  const pull = await review(await open({ files: { "src/a.test.ts": 'test.only("a", () => {});\n' } }));
  expect(summaryOf(harness.world, pull).body).toContain("held back");
});

test("`always` posts each summary, and no reaction", async () => {
  repository = await repositoryWith({ ".kodiai.yml": "review: {summary: always}\n" });
  const pull = await review(await open());
  expect(shown(pull)).toEqual({ summaries: [CLEAN_SUMMARY], reactions: [] });
  expect(summaryOf(harness.world, pull).body).not.toContain("First review here");
});

test("who asks gets a summary: by command, by label, by a re-run", async () => {
  const { world } = harness;
  const byCommand = await review(await open());
  await world.comment(byCommand, "rae", "/kodiai review");
  await harness.answered();
  const byLabel = await review(await open());
  await world.label(byLabel, "kodiai:review");
  for (const pull of [byCommand, byLabel]) {
    await review(pull);
    expect(shown(pull).summaries).toEqual([CLEAN_SUMMARY]);
  }
});

test("a push with findings takes the 👍 back, and a clean one after it updates the summary and gives it again", async () => {
  const { world } = harness;
  const pull = await review(await open());
  expect(shown(pull)).toEqual(SILENT);
  await world.push(pull, { "ops/backup.py": BACKUP });
  await review(pull);
  expect(said(world, pull)).toHaveLength(1);
  expect(pull.reactions).toEqual([]);

  await world.push(pull, { "ops/backup.py": CLEAN });
  await review(pull);
  expect(summaryOf(world, pull).body).toContain("May be addressed");
  expect(pull.reactions).toEqual([]);

  await world.push(pull, { "ops/other.py": CLEAN });
  await review(pull);
  expect(shown(pull).summaries).toEqual([
    expect.stringMatching(/^\*\*Nothing open, 1 perhaps addressed\*\* \*\*No rule fired\*\*/),
  ]);
});

test("a silent head is reviewed once: a second event, and the sweep, find it done", async () => {
  const pull = await review(await open());
  await harness.world.label(pull, "bug");
  await review(pull);
  expect(harness.jobs(pull).at(-1)?.outcome).toBe("skipped: this head was reviewed before");
  expect(shown(pull)).toEqual(SILENT);
});

test("a review that dies before its reaction gives it once", async () => {
  harness.before("reviews.showQuiet", () => {
    throw new Transient("the process died");
  });
  const pull = await review(await open());
  harness.hurry();
  await review(pull);
  expect(shown(pull)).toEqual(SILENT);
});

test("a model that reads and finds nothing leaves a silent review", async () => {
  const reading = await openFlow({ model: () => ({ walkthrough: "Retries.", findings: [] }) });
  try {
    const { world } = reading;
    const shop = await world.repository("acme", "shop", { files: { "a.py": "A = 1\n" } });
    for (const at of [1, 2]) {
      const pull = await world.pullRequest(shop, { title: "Retry", files: { [`src/r${at}.py`]: CLEAN } });
      await reading.settled(pull);
      const { summary } = world.comments(pull);
      expect([summary.length, pull.reactions.length]).toEqual(at === 1 ? [1, 0] : [0, 1]);
      expect(reading.asked().length).toBeGreaterThan(0);
    }
  } finally {
    await reading.close();
  }
});

const own = (pull: Pull) =>
  harness.world
    .comments(pull)
    .summary.flatMap(({ author, body }) => (author === harness.world.bot.login ? [body] : []));
const answers = (pull: Pull) => own(pull).filter((body) => !body.includes("kodiai:summary"));

test.each(["/kodiai why", "/kodiai", "@kodiai why?"])(
  "%s tells why policy left a pull request alone",
  async (asked) => {
    repository = await repositoryWith({ ".kodiai.yml": "review: {authors: ['!mallory*']}\n" });
    const { world } = harness;
    world.person("mallory-2", { permission: "read", association: "NONE" });
    const pull = await review(await open({ author: "mallory-2", files: { "ops/backup.py": BACKUP } }));
    expect(harness.jobs(pull).at(-1)?.outcome).toBe("skipped: review.authors leaves out its author mallory-2");
    expect({ ...shown(pull), said: said(world, pull) }).toEqual({ summaries: [], reactions: [], said: [] });

    await world.comment(pull, "rae", asked);
    await harness.answered();
    expect(answers(pull).join("\n")).toContain(
      "Not reviewed automatically: review.authors leaves out its author mallory-2.",
    );
    expect(said(world, pull)).toEqual([]);
  },
);

test("`why` on a reviewed pull request says what the review came to", async () => {
  const pull = await review(await open());
  await harness.world.comment(pull, "rae", "/kodiai why");
  await harness.answered();
  expect(answers(pull)[0]).toContain("There was nothing to say.");
});

test("a request for an author who is left out counts by who asks", async () => {
  repository = await repositoryWith({ ".kodiai.yml": "review: {authors: ['*', '!MALLORY'], bots: none}\n" });
  const { world } = harness;
  world.person("mallory", { permission: "read", association: "NONE" });
  const pull = await review(await open({ author: "mallory", files: { "ops/backup.py": BACKUP } }));
  for (const login of ["mallory", "tess"]) {
    await world.comment(pull, login, "/kodiai review");
    await harness.answered();
    expect(said(world, pull)).toEqual([]);
  }
  expect(answers(pull).at(-1)).toContain("Not reviewed: review.authors leaves out its author mallory.");

  await world.comment(pull, "rae", "/kodiai review");
  await harness.answered();
  await review(pull);
  expect(said(world, pull)).toHaveLength(1);
});
