// Accounts that are deleted while Kodiai works: GitHub shows no user where they wrote, and knows
// nobody of that name.
import { afterEach, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, LOGIN, summaryOf } from "./change-builders.ts";
import { answered, reactions } from "./conversation-helpers.ts";
import { anHourPasses, outcome } from "./memory-assertions.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** Rae may write, and has an account as yet. */
async function play(author = "mona") {
  harness = await openHarness();
  const { world } = harness;
  world.person("rae", { permission: "write", association: "MEMBER" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "Back up", author, files: { "ops/backup.py": BACKUP } });
  expect(await harness.settled(pull)).toMatchObject({ state: "done", outcome: expect.stringMatching(/^posted /) });
  return {
    harness,
    world,
    pull,
    root: pull.comments[0]?.id ?? 0,
    gone: () => void world.person("rae", { isGone: true }),
  };
}

test("a command of an account that is deleted before GitHub is asked what it may is not obeyed [T12]", async () => {
  const { harness: at, world, pull, gone: removed } = await play();
  world.fail({ match: { path: /\/collaborators\/rae\/permission$/ }, happens: removed });
  const comment = await world.comment(pull, "rae", "/kodiai pause");
  expect(await answered(at)).toEqual([expect.stringMatching(/^done /)]);
  expect(reactions(world, comment)).toEqual(["eyes", "-1"]);
  await world.push(pull, { "src/login.ts": LOGIN });
  expect(await at.settled(pull)).toMatchObject({ outcome: expect.stringMatching(/^posted /) });
});

test("actions of an account count nothing once it is deleted, if Kodiai did not read them before [T12]", async () => {
  const { harness: at, world, pull, root, gone: removed } = await play();
  const comment = pull.comments.find(({ id }) => id === root);
  if (comment === undefined) throw new Error("nothing was said");
  world.react(comment, "rae", "-1");
  world.fail({ match: { path: "/graphql" }, happens: removed });
  await world.reply(pull, "rae", root, "Not a problem: by design, the name comes from us.");
  await answered(at);
  await anHourPasses(at);
  expect(await outcome(at, pull, "ops/backup.py")).toBe("posted");
  expect(at.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test("a pull request is reviewed although the accounts of its author and of a commenter are deleted [T12]", async () => {
  const { harness: at, world, pull, root, gone: removed } = await play("rae");
  await world.reply(pull, "rae", root, "Are you sure?");
  await answered(at);
  removed();
  await world.push(pull, { "src/login.ts": LOGIN });
  expect(await at.settled(pull)).toMatchObject({ state: "done", outcome: expect.stringMatching(/^posted /) });
  expect(pull.comments.filter(({ author, inReplyTo }) => author === world.bot && inReplyTo === null)).toHaveLength(1);
  expect(summaryOf(world, pull).body).toContain(pull.headSha.slice(0, 7));
  // Others are answered there as ever.
  const asked = await world.comment(pull, "wren", "/kodiai help");
  expect(await answered(at)).toContainEqual(expect.stringContaining("done"));
  expect(reactions(world, asked)).not.toEqual([]);
});
