// What people said about a finding on one pull request, and what becomes of the like of it on the
// next ones; more of it is in test/flows/held-back.test.ts.
import { afterEach, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { answered, replies, repliesIn } from "./conversation-helpers.ts";
import { type Defect, type SeeingModel, seeingModel } from "./seeing-model.ts";

let harness: Harness | undefined;
let model: SeeingModel | undefined;
afterEach(async () => {
  await harness?.close();
  await model?.anthropic.close();
  harness = undefined;
  model = undefined;
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

const TOTAL_LINE = "  return items.reduce((sum, item) => sum + item.price - item.price * item.discount * 100, 0);";
const cart = (line: string) => ["export function total(items: readonly Item[]): number {", line, "}", ""].join("\n");
const CART = cart(TOTAL_LINE);
const CART_FIXED = cart("  return items.reduce((sum, item) => sum + item.price * (1 - item.discount), 0);");
const CART_BACK = [
  "export const basketTotal = (items: readonly Item[]): number => {",
  "    return items.reduce(",
  "        (sum, item) =>",
  "            sum + item.price - item.price * item.discount * 100,",
  "        0,",
  "    );",
  "};",
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
const DISCOUNT: Defect = {
  line: /item\.discount \* 100/,
  category: "correctness",
  severity: "major",
  words: [
    ["The discount is taken a hundred times", "`discount` is a share; times 100 it makes totals negative."],
    ["Totals become negative", "A share is multiplied by one hundred here."],
  ],
};

async function play() {
  model = await seeingModel([SWALLOWED, DISCOUNT]);
  harness = await openHarness({ app: { model: model.choice } });
  const { world } = harness;
  world.person("wren", { permission: "write", association: "MEMBER" });
  world.person("vera", { permission: "write", association: "MEMBER" });
  world.person("rae", { permission: "read", association: "NONE" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  return { at: harness, world, repository, seen: model };
}

async function opened(
  at: Harness,
  repository: Repository,
  files: Record<string, string>,
  title = "feat: shop",
): Promise<Pull> {
  const pull = await at.world.pullRequest(repository, { title, author: "mona", files });
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  return pull;
}

/** Titles of our comments on lines and files, in their order. */
function titles(at: Harness, pull: Pull): string[] {
  const { inline, file } = at.world.comments(pull);
  const ours = [...inline, ...file].filter(({ author }) => author === at.world.bot.login);
  return ours.flatMap(({ body }) => (/^[🔴🟠🟡🔵]/u.test(body) ? (/\*\*([^*]+)\*\*/.exec(body)?.[1] ?? []) : []));
}

function rootOf(pull: Pull, path: string): number {
  return pull.comments.find((comment) => comment.path === path && comment.inReplyTo === null)?.id ?? 0;
}

async function says(at: Harness, pull: Pull, login: string, path: string, text: string): Promise<void> {
  await at.world.reply(pull, login, rootOf(pull, path), text);
  await answered(at);
}

const TODAY = /\d{4}-\d\d-\d\d/.source;
/** Answers in the conversation stand beside it. */
function summaryOf(at: Harness, pull: Pull): string {
  return at.world.comments(pull).summary.find(({ body }) => body.includes("kodiai:summary"))?.body ?? "";
}

const heldBackIn = (at: Harness, pull: Pull) =>
  /<details><summary>\d+ findings? held back<\/summary>([\s\S]*?)<\/details>/.exec(summaryOf(at, pull))?.[1] ?? "";

describe("what one pull request taught", () => {
  test("is held back with reason and link, re-introduced with link, said again once restored [005-02][T17]", async () => {
    const { at, world, repository, seen } = await play();
    const first = await opened(at, repository, {
      "src/session.ts": SESSION,
      "src/cart.ts": CART,
      "ops/backup.py": BACKUP,
    });
    expect(titles(at, first).toSorted()).toEqual([
      "A failed save is swallowed",
      expect.stringContaining("hell"),
      "The discount is taken a hundred times",
    ]);
    await says(at, first, "wren", "src/session.ts", "/kodiai ignore the cache is best effort, see #4");
    expect(repliesIn(world, first, rootOf(first, "src/session.ts"))).toEqual([
      expect.stringContaining("On other pull requests, similar findings are held back"),
    ]);
    await says(at, first, "wren", "ops/backup.py", "/kodiai ignore names come from our own list");
    await world.push(first, { "src/cart.ts": CART_FIXED });
    await at.settled(first);
    expect(summaryOf(at, first)).toContain("May be addressed");
    await world.closePull(first, { merged: true });

    // The model sees the swallowed error again, in other words, and overlooks the discount.
    seen.blind.add(DISCOUNT);
    const again = { "src/auth/login.ts": SESSION_MOVED, "src/basket.ts": CART_BACK, "ops/backup.py": BACKUP };
    const second = await opened(at, repository, again);
    expect(titles(at, second).toSorted()).toEqual([
      expect.stringMatching(new RegExp(`^Re-introduces what \\[#1\\]\\(\\S+/pull/1\\S*\\) fixed on ${TODAY}$`)),
      expect.stringContaining("hell"),
    ]);
    const { inline } = world.comments(second);
    expect(inline.find(({ path }) => path === "src/basket.ts")).toMatchObject({ startLine: 2, line: 5 });
    expect(inline.find(({ path }) => path === "src/basket.ts")?.body).toMatch(
      /These lines were changed in.*on \[#1\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#[^)]*\) \(\d{4}-\d\d-\d\d, fixed\)/s,
    );
    // Security is said, with what was said about it.
    expect(inline.find(({ path }) => path === "ops/backup.py")?.body).toMatch(
      /\[#1\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#discussion_r\d+\) \(\d{4}-\d\d-\d\d, declined\): \*names come from our own list\*/,
    );
    const held = heldBackIn(at, second);
    expect(held).toMatch(
      /src\/auth\/login\.ts.*declined on `?#1`? by `@wren` on \d{4}-\d\d-\d\d: the cache is best effort.*\[original comment\]\(https:\/\/github\.com\/acme\/shop\/pull\/1#discussion_r\d+\).*`\/kodiai restore mem_[0-9a-f]{12}`/,
    );

    // A push that leaves the file alone keeps it on the list.
    await world.push(second, { "docs/notes.md": "# Notes\n" });
    await at.settled(second);
    expect(heldBackIn(at, second)).toContain("the cache is best effort");

    const [, memory = ""] = /`\/kodiai restore (mem_\w+)`/.exec(held) ?? [];
    await world.comment(second, "rae", `/kodiai restore ${memory}`);
    await answered(at);
    await world.push(second, { "docs/notes.md": "# More notes\n" });
    await at.settled(second);
    expect(heldBackIn(at, second)).toContain("the cache is best effort");
    await world.comment(second, "wren", `/kodiai restore ${memory}`);
    await answered(at);
    expect(replies(world, second).at(-1)).toContain("Similar findings are reported again");
    await world.push(second, { "docs/notes.md": "# Notes again\n" });
    await at.settled(second);
    expect(titles(at, second)).toHaveLength(3);
    expect(heldBackIn(at, second)).not.toContain("best effort");
    await world.closePull(second);
    const third = await opened(at, repository, { "src/late.ts": SESSION });
    expect(titles(at, third)).toHaveLength(1);
    expect(world.violations).toEqual([]);
  });
});
