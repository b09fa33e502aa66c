// What comments of people without access cost: requests to GitHub, and what they see.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { answered, reactions, replies } from "./conversation-helpers.ts";

let harness: Harness;
let pull: Pull;
beforeEach(async () => {
  harness = await openHarness();
  const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  pull = await harness.world.pullRequest(repository, {
    title: "feat: back up",
    author: "mona",
    files: { "ops/backup.py": BACKUP },
  });
  await harness.settled(pull);
});
afterEach(() => harness.close());

/** Requests to the repository that a play caused. */
async function costOf(
  play: () => Promise<void>,
): Promise<Readonly<Record<"permission" | "reactions" | "all", number>>> {
  const before = harness.world.requests.length;
  await play();
  await answered(harness);
  const made = harness.world.requests.slice(before).filter(({ path }) => path.startsWith("/repos/acme/shop/"));
  const count = (end: RegExp) => made.filter(({ path }) => end.test(path)).length;
  return { permission: count(/\/permission$/), reactions: count(/\/reactions$/), all: made.length };
}

test.each([
  ["a command in the conversation", (at: number) => harness.world.comment(pull, "mallory", `/kodiai pause ${at}`)],
  ["a mention without a command", (at: number) => harness.world.comment(pull, "mallory", `@kodiai look ${at}`)],
  ["an unknown command", (at: number) => harness.world.comment(pull, "mallory", `/kodiai nonsense${at}`)],
  ["the body of a review", (at: number) => harness.world.submitReview(pull, "mallory", `/kodiai pause ${at}`)],
  [
    "a reply that does not name Kodiai",
    (at: number) => harness.world.reply(pull, "mallory", pull.comments[0]?.id ?? 0, `why? ${at}`),
  ],
  [
    "a reply in a thread of ours",
    (at: number) => harness.world.reply(pull, "mallory", pull.comments[0]?.id ?? 0, `/kodiai ignore ${at}`),
  ],
])(
  "40 comments of a stranger cost few questions for their permission and five answers at most: %s",
  async (_name, write) => {
    harness.world.person("mallory", { permission: "read" });
    const cost = await costOf(async () => {
      for (let at = 0; at < 40; at += 1) await write(at);
    });
    // The flow of commands and that of feedback ask once each, or one at the same time as another.
    expect(cost.permission).toBeLessThanOrEqual(4);
    expect(cost.reactions).toBeLessThanOrEqual(10);
    expect(cost.all).toBeLessThanOrEqual(20);
  },
);

test("40 comments on a pull request of one's own cost ten answers at most", async () => {
  harness.world.person("mallory", { permission: "read" });
  const { repository } = pull;
  const own = await harness.world.pullRequest(repository, {
    ...{ title: "mine", author: "mallory", fork: "mallory", files: { "ops/b.py": BACKUP } },
  });
  await harness.settled(own);
  const cost = await costOf(async () => {
    for (let at = 0; at < 40; at += 1) await harness.world.comment(own, "mallory", `/kodiai help ${at}`);
  });
  expect(cost.permission).toBeLessThanOrEqual(12);
  expect(cost.reactions).toBeLessThanOrEqual(20);
});

test("replies in a thread of other people cost one question for the thread", async () => {
  harness.world.person("mallory", { permission: "read" });
  // A thread that another person began.
  const [ours] = pull.comments;
  if (ours === undefined) throw new Error("there is no finding");
  const id = 1_000_001;
  pull.comments.push({ ...ours, id, author: harness.world.person("mallory"), body: "Nice." });
  const cost = await costOf(async () => {
    for (let at = 0; at < 20; at += 1) await harness.world.reply(pull, "mallory", id, `and this? ${at}`);
  });
  expect(cost).toMatchObject({ permission: 0, reactions: 0 });
  expect(cost.all).toBeLessThanOrEqual(3);
});

test("many accounts together are answered 100 times an hour, and the people of the repository all the same", async () => {
  const cost = await costOf(async () => {
    for (let at = 0; at < 130; at += 1) {
      harness.world.person(`sock${at}`, { permission: "none", association: "NONE" });
      await harness.world.comment(pull, `sock${at}`, "/kodiai pause");
    }
    await answered(harness);
  });
  // Some comments are answered at the same time.
  expect(cost.permission).toBeLessThanOrEqual(104);
  harness.world.person("wren", { permission: "write", association: "MEMBER" });
  const comment = await harness.world.comment(pull, "wren", "/kodiai pause");
  await answered(harness);
  expect(reactions(harness.world, comment)).toEqual(["eyes", "hooray"]);
  expect(replies(harness.world, pull).length).toBeLessThanOrEqual(105);
});
