// What people said about a finding on one pull request, and what becomes of the like of it on the
// next ones: through reception, queue, flows and store. test/app/held-back.test.ts tells the whole
// story over HTTP.
import { afterEach, describe, expect, test } from "vitest";
import { BACKUP, LOGIN } from "../app/change-builders.ts";
import { replies } from "../app/conversation-helpers.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import { type Defect, seeingScript } from "../app/seeing-model.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";

let harness: FlowHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const SAVE_LINE = "    await store.save('session', token, { ttl: 3600, path: '/' }).catch(() => {})";
const session = (save: string) =>
  [
    "export class Session {",
    "  async refresh(token: string, store: Store) {",
    save,
    "    return token",
    "  }",
    "}",
    "",
  ].join("\n");
const SESSION = session(SAVE_LINE);
/** The same code as another formatter would have it, indented deeper, in another class. */
const SESSION_MOVED = [
  "export class Login {",
  "    async renew(token: string, store: Store) {",
  "        if (token) {",
  "            await store",
  '                .save("session", token, { ttl: 3600, path: "/" })',
  "                .catch(() => {});",
  "        }",
  "    }",
  "}",
  "",
].join("\n");

const SWALLOWED: Defect = {
  line: /\.save\(/,
  category: "reliability",
  severity: "major",
  words: [
    ["A failed save is swallowed", "When `store.save` rejects, nobody learns that the session was not kept."],
    ["Errors of the store never reach the caller", "An empty `catch` hides what went wrong with the write."],
    ["The session may be lost without a trace", "Whoever calls believes that it was stored."],
  ],
};
async function play() {
  harness = await openFlow({ model: seeingScript([SWALLOWED]).script });
  const { world } = harness;
  world.person("wren", { permission: "write", association: "MEMBER" });
  world.person("vera", { permission: "write", association: "MEMBER" });
  world.person("rae", { permission: "read", association: "NONE" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  return { at: harness, world, repository };
}

async function opened(
  at: FlowHarness,
  repository: Repository,
  files: Record<string, string>,
  title = "feat: shop",
): Promise<Pull> {
  const pull = await at.world.pullRequest(repository, { title, author: "mona", files });
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  return pull;
}

/** Titles of our comments on lines and files, in their order. */
function titles(at: FlowHarness, pull: Pull): string[] {
  const { inline, file } = at.world.comments(pull);
  const ours = [...inline, ...file].filter(({ author }) => author === at.world.bot.login);
  return ours.flatMap(({ body }) => (/^[🔴🟠🟡🔵]/u.test(body) ? (/\*\*([^*]+)\*\*/.exec(body)?.[1] ?? []) : []));
}

function rootOf(pull: Pull, path: string): number {
  return pull.comments.find((comment) => comment.path === path && comment.inReplyTo === null)?.id ?? 0;
}

async function says(at: FlowHarness, pull: Pull, login: string, path: string, text: string): Promise<void> {
  await at.world.reply(pull, login, rootOf(pull, path), text);
  await at.answered();
}

/** Answers in the conversation stand beside it. */
function summaryOf(at: FlowHarness, pull: Pull): string {
  return at.world.comments(pull).summary.find(({ body }) => body.includes("kodiai:summary"))?.body ?? "";
}

const heldBackIn = (at: FlowHarness, pull: Pull) =>
  /<details><summary>\d+ findings? held back<\/summary>([\s\S]*?)<\/details>/.exec(summaryOf(at, pull))?.[1] ?? "";

describe("what one pull request taught", () => {
  test("a stranger's decline and an author's change nothing on other pull requests [005-05]", async () => {
    const { at, world, repository } = await play();
    const first = await opened(at, repository, { "src/session.ts": SESSION });
    await says(at, first, "rae", "src/session.ts", "/kodiai ignore never report this");
    await says(at, first, "mona", "src/session.ts", "/kodiai ignore I like it so");
    await world.closePull(first);
    const second = await opened(at, repository, { "src/session.ts": SESSION });
    expect(titles(at, second)).toHaveLength(1);
    expect(heldBackIn(at, second)).toBe("");
  });

  test("declines without a reason warn the model, and hold back once there are three by two people [005-05]", async () => {
    const { at, world, repository } = await play();
    const decliners = ["wren", "wren", "vera"];
    for (const login of decliners) {
      const pull = await opened(at, repository, { "src/session.ts": SESSION });
      expect(titles(at, pull)).toHaveLength(1);
      await says(at, pull, login, "src/session.ts", "/kodiai ignore");
      await world.closePull(pull);
    }
    expect(at.asked().findLast(({ tier }) => tier === "main")?.prompt).toContain(
      "declined by 1 person, without a reason",
    );
    const last = await opened(at, repository, { "src/session.ts": SESSION });
    expect(titles(at, last)).toEqual([]);
    expect(heldBackIn(at, last)).toMatch(/declined 3 times by 2 people, last on `?#3`? by `@vera`/);
  });
});

describe("what people answered, without a command", () => {
  test("holds back elsewhere with its reason, is listed, and is said again once restored from anywhere [005-05]", async () => {
    const { at, world, repository } = await play();
    const first = await opened(at, repository, { "src/session.ts": SESSION, "ops/backup.py": BACKUP });
    const because = "This is intentional: the cache is best effort, see #4.";
    await says(at, first, "rae", "src/session.ts", "False positive, never report this again because it is noise.");
    await says(at, first, "wren", "ops/backup.py", "By design: names come from our own list.");
    await says(at, first, "wren", "src/session.ts", because);
    await world.closePull(first);
    const second = await opened(at, repository, { "src/auth/login.ts": SESSION_MOVED, "ops/backup.py": BACKUP });
    // Security is said, with what was answered.
    expect(titles(at, second)).toEqual([expect.stringContaining("hell")]);
    expect(world.comments(second).inline[0]?.body).toContain("names come from our own list");
    const held = heldBackIn(at, second);
    expect(held).toMatch(
      /declined on `?#1`? by `@wren` on \d{4}-\d\d-\d\d: This is intentional: the cache is best effort.*\[original comment\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#discussion_r\d+\).*`\/kodiai restore mem_[0-9a-f]{12}`/,
    );
    const [, memory = ""] = /`\/kodiai restore (mem_\w+)`/.exec(held) ?? [];
    await world.comment(second, "vera", `/kodiai restore ${memory}`);
    await at.answered();
    expect(replies(world, second).at(-1)).toContain("Similar findings are reported again");
    // The answer still stands on the first pull request: looking at it once more brings nothing
    // back.
    await at.anHourPasses();
    const third = await opened(at, repository, { "src/late.ts": SESSION });
    expect(titles(at, third)).toHaveLength(1);
    expect(heldBackIn(at, third)).toBe("");
  });

  test("thumbs down hold back once there are three by two people who may write, and never what is grave [005-05]", async () => {
    const { at, world, repository } = await play();
    const reactions = [
      ["wren", "rae"],
      ["wren", "mona"],
      ["vera", "rae"],
    ];
    for (const logins of reactions) {
      const pull = await opened(at, repository, { "src/session.ts": SESSION, "ops/backup.py": BACKUP });
      expect(titles(at, pull)).toHaveLength(2);
      for (const root of pull.comments) for (const login of logins) world.react(root, login, "-1");
      await world.closePull(pull);
      await at.answered();
    }
    const last = await opened(at, repository, { "src/session.ts": SESSION, "ops/backup.py": BACKUP });
    expect(titles(at, last)).toEqual([expect.stringContaining("hell")]);
    expect(heldBackIn(at, last)).toMatch(/declined 3 times by 2 people, last on `?#3`? by `@vera`/);
  });
});

describe("comments on another open pull request", () => {
  test("is not said twice, until that one is closed; what is grave is said with the link [005-04]", async () => {
    const { at, world, repository } = await play();
    const files = { "src/session.ts": SESSION, "ops/backup.py": BACKUP };
    const first = await opened(at, repository, files);
    expect(titles(at, first)).toHaveLength(2);
    const backport = await opened(at, repository, { ...files, "README.md": "# Old shop\n" }, "feat: shop (backport)");
    expect(titles(at, backport)).toEqual([expect.stringContaining("hell")]);
    expect(world.comments(backport).inline[0]?.body).toMatch(/on \[#1\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#/);
    expect(heldBackIn(at, backport)).toMatch(
      /src\/session\.ts.*said on `?#1`?, which is open, on \d{4}-\d\d-\d\d \(\[original comment\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#/,
    );
    await world.closePull(first);
    await world.push(backport, { "src/etag.ts": LOGIN });
    await at.settled(backport);
    expect(titles(at, backport)).toHaveLength(2);
    expect(heldBackIn(at, backport)).toBe("");
  });

  test("a rule that was declined in one file is said in another, and no more once it was declined in three", async () => {
    const { at, world, repository } = await play();
    const parse = (name: string) =>
      ["import requests", `def ${name}(url):`, "    return requests.get(url).json()", ""].join("\n");
    for (const name of ["parse", "scan", "lex"]) {
      const pull = await opened(at, repository, { [`src/${name}.py`]: parse(name) });
      expect(titles(at, pull)).toHaveLength(1);
      await says(at, pull, "wren", `src/${name}.py`, "/kodiai ignore the proxy has one");
      await world.closePull(pull);
    }
    const same = await opened(at, repository, { "src/parse.py": parse("parse"), "src/other.py": parse("other") });
    expect(titles(at, same)).toEqual([]);
    expect(heldBackIn(at, same)).toContain("src/other.py");
  });
});
