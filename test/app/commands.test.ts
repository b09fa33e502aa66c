// People write to Kodiai on a pull request, and a visitor sees what it does.
// test/flows/commands.test.ts has every command.
import { afterEach, describe, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, type HarnessOptions, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN, said, WEAK_LOGIN } from "./change-builders.ts";
import { answered, reactions, replies, repliesIn } from "./conversation-helpers.ts";

let harness: Harness | undefined;
let anthropic: FakeAnthropic | undefined;
afterEach(async () => {
  await harness?.close();
  await anthropic?.close();
  harness = undefined;
  anthropic = undefined;
});

const MODEL = (baseUrl: string) => ({
  apiKey: "sk-ant-0123456789abcdef",
  baseUrl,
  names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
  structuredOutput: "on" as const,
  temperature: null,
  contextTokens: null,
});

/**
 * A pull request by mona with one finding on ops/backup.py, reviewed; wren may write, tria may
 * triage, rae may read.
 */
async function play(options: HarnessOptions = {}, files: Record<string, string> = { "ops/backup.py": BACKUP }) {
  harness = await openHarness(options);
  const { world } = harness;
  world.person("wren", { permission: "write", association: "MEMBER" });
  world.person("tria", { permission: "triage", association: "MEMBER" });
  world.person("rae", { permission: "read", association: "NONE" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "feat: back up", author: "mona", files });
  await harness.settled(pull);
  return { harness, world, pull, root: pull.comments[0]?.id ?? 0 };
}

async function withModel(answer: string) {
  anthropic = await startAnthropic({
    replies: ({ body }) =>
      JSON.stringify(body).includes("You answer one question")
        ? says({ answer })
        : says({ findings: [], ruleFindings: [], walkthrough: "Backs up the shop." }),
  });
  const at = await play({ app: { model: MODEL(anthropic.url) } });
  const asked = () =>
    (anthropic?.requests ?? [])
      .filter(({ system }) => system.includes("You answer one question"))
      .map(({ prompt }) => prompt);
  return { ...at, asked };
}

const reviewsOf = (at: Harness, pull: Pull) => at.jobs(pull).map(({ state, outcome }) => `${state} ${outcome}`);

describe("reviews on request", () => {
  test("`review` reviews again at the newest head, with its focus, fenced, in the prompt", async () => {
    const { harness: at, world, pull } = await withModel("unused");
    const comment = await world.comment(pull, "wren", "@kodiai review the quoting of names\nthanks");
    await answered(at);
    expect(reactions(world, comment)).toEqual(["eyes", "rocket"]);
    expect(at.jobs(pull)).toHaveLength(2);
    expect(reviewsOf(at, pull)[1]).toMatch(/^done posted/);
    const prompt = anthropic?.requests.at(-1)?.prompt ?? "";
    expect(prompt).toMatch(
      /## The person who asked wants you to look at\nkodiai-[0-9a-f]{32} focus\nthe quoting of names\nkodiai-[0-9a-f]{32} end of focus/,
    );
    expect(replies(world, pull)).toEqual([]);
    expect(world.violations).toEqual([]);
    // Tokens are the emulator's own answers.
    expect(world.unfaithful.filter((one) => !one.includes("/access_tokens"))).toEqual([]);
  });

  test("`pause` holds back pushes and says who paused; `review` and `resume` still work", async () => {
    const { harness: at, world, pull } = await play();
    await world.comment(pull, "wren", "@kodiai pause");
    await answered(at);
    await world.push(pull, { "src/login.ts": WEAK_LOGIN });
    expect(await at.settled(pull)).toMatchObject({ outcome: "skipped: paused by @wren" });
    await at.restart();
    await world.comment(pull, "wren", "@kodiai review");
    await answered(at);
    expect(said(world, pull)).toContain("src/login.ts:8 weak-password-hash");
    await world.comment(pull, "wren", "@kodiai resume");
    await world.comment(pull, "wren", "@kodiai resume");
    await answered(at);
    await world.push(pull, { "src/etag.ts": LOGIN });
    expect((await at.settled(pull)).outcome).toMatch(/^posted/);
    expect(replies(world, pull).map((body) => body.split("\n")[0])).toEqual([
      expect.stringContaining("@wren Pushes to this pull request are no longer reviewed"),
      expect.stringContaining("@wren The next push is reviewed again"),
      expect.stringContaining("@wren Reviews of this pull request are not paused"),
    ]);
  });

  test("`stop` aborts the question to the model", async () => {
    anthropic = await startAnthropic({ replies: () => () => {} });
    harness = await openHarness({ app: { model: MODEL(anthropic.url) } });
    const { world } = harness;
    world.person("wren", { permission: "write" });
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const pull = await world.pullRequest(repository, { title: "feat: back up", files: { "ops/backup.py": BACKUP } });
    await until("the model is asked", () => (anthropic?.requests.length ?? 0) > 0);
    const stop = await world.comment(pull, "wren", "/kodiai stop");
    expect((await harness.settled(pull)).outcome).toBe("stopped: stopped by @wren");
    await until("the request is given up", () => anthropic?.requests[0]?.isAbandoned === true);
    expect(world.comments(pull).inline).toEqual([]);
    // The command shows what became of the review: nothing else is posted about it.
    await expect.poll(() => reactions(world, stop)).toEqual(["eyes", "hooray"]);
    expect(pull.issueComments.filter(({ author }) => author === world.bot)).toEqual([]);
  });
});

describe("in the thread of a finding", () => {
  test("`resolve` says how where GitHub does not let an app do it, and is quiet where it does", async () => {
    const { harness: at, world, pull, root } = await play();
    const refused = await world.reply(pull, "wren", root, "/kodiai resolve");
    await answered(at);
    expect(reactions(world, refused)).toEqual(["eyes", "confused"]);
    expect(repliesIn(world, pull, root)).toEqual([expect.stringContaining("Resolve conversation")]);
    const done = { data: { resolveReviewThread: { thread: { isResolved: true } } } };
    const found = {
      data: {
        repository: {
          pullRequest: {
            reviewThreads: {
              nodes: [{ id: "PRRT_1", isResolved: false, comments: { nodes: [{ fullDatabaseId: String(root) }] } }],
              pageInfo: { hasNextPage: false, endCursor: null },
            },
          },
        },
      },
    };
    world.fail({ match: { path: "/graphql" }, status: 200, body: found });
    world.fail({ match: { path: "/graphql" }, status: 200, body: done });
    const resolved = await world.reply(pull, "wren", root, "/kodiai resolve");
    await answered(at);
    expect(reactions(world, resolved)).toEqual(["eyes", "hooray"]);
    expect(repliesIn(world, pull, root)).toHaveLength(1);
  });
});

describe("when GitHub takes no answer there", () => {
  test("the thread's first comment is deleted meanwhile: the answer goes to the conversation", async () => {
    const { harness: at, world, pull, root } = await play();
    const [first] = pull.comments;
    world.fail({ match: { method: "POST", path: "/replies" }, status: 404 });
    const asked = await world.reply(pull, "wren", root, "> quoted\n\n/kodiai memory");
    if (first !== undefined) world.removeComment(pull, first);
    await answered(at);
    expect(replies(world, pull)).toEqual([expect.stringMatching(/@wren/)]);
    expect(reactions(world, asked)).toEqual(["eyes", "hooray"]);
  });

  test("an archived repository: the job's end has GitHub's sentence", async () => {
    const { harness: at, world, pull } = await play();
    const message = "Repository was archived so is read-only.";
    world.fail({ match: { method: "POST", path: /\/comments$/ }, status: 403, body: { message }, times: 9 });
    await world.comment(pull, "wren", "/kodiai help");
    expect(await answered(at)).toEqual([
      expect.stringMatching(/refused: GitHub answered 403 to POST .*: Repository was archived so is read-only/),
    ]);
  });
});

describe("what is left alone", () => {
  test("the same delivery twice, and a crash after the answer, give one answer", async () => {
    const { harness: at, world, pull } = await play();
    await world.comment(pull, "wren", "/kodiai help");
    await answered(at);
    const sent = world.deliveries.at(-1);
    await world.deliver("issue_comment", sent?.payload, { id: sent?.id ?? "" });
    world.fail({ match: { method: "POST", path: /\/issues\/1\/comments$/ }, status: 502, afterApplying: true });
    await world.comment(pull, "wren", "/kodiai memory");
    await until("it was looked for", () => at.log.some((line) => line.includes("write response lost")));
    await answered(at);
    expect(replies(world, pull)).toHaveLength(2);
  });

  test("a dry run answers nothing and reacts to nothing", async () => {
    const { harness: at, world, pull } = await play({ app: { dryRun: true } });
    const comment = await world.comment(pull, "wren", "/kodiai help");
    await answered(at);
    expect([reactions(world, comment), replies(world, pull)]).toEqual([[], []]);
    expect(at.log.some((line) => line.includes("dry run: not posted") && line.includes("full review"))).toBe(true);
  });
});
