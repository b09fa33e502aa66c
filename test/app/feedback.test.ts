// People answer what Kodiai said, with thumbs and buttons, and memory thinks of it what they made
// of it. test/flows/feedback.test.ts has everything that people do.
import { afterEach, describe, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { answered } from "./conversation-helpers.ts";
import { anHourPasses, outcome, why } from "./memory-assertions.ts";

/**
 * One finding on line 3 that is neither security nor correctness, with a suggestion: focused-test.
 */
const CART = [
  'import { total } from "../src/cart";',
  "",
  'describe.only("the cart of a customer", () => {',
  '  it("adds up", () => {',
  "    expect(total([1, 2])).toBe(3);",
  "  });",
  "});",
  "",
].join("\n");
const CART_TEST = "test/cart.test.ts";
const BACKUP_PY = "ops/backup.py";
const TODAY = new Date().toISOString().slice(0, 10);

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** Mona may not write; wren, ines and otto may. Kodiai has said one thing about each file. */
async function play(files: Record<string, string> = { [CART_TEST]: CART, [BACKUP_PY]: BACKUP }, author = "mona") {
  harness = await openHarness();
  const { world } = harness;
  for (const login of ["wren", "ines"]) world.person(login, { permission: "write", association: "MEMBER" });
  world.person("otto", { permission: "admin", association: "OWNER" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "feat: back up the carts", author, files });
  await harness.settled(pull);
  const rootOf = (path: string) => {
    const root = pull.comments.find((one) => one.path === path && one.inReplyTo === null && one.author === world.bot);
    if (root === undefined) throw new Error(`nothing was said about ${path}`);
    return root;
  };
  return { harness, world, pull, cart: rootOf(CART_TEST), rootOf };
}

describe("thumbs", () => {
  test("one by a person with write access decides weakly, is shown, and can be withdrawn [000-30][005-06]", async () => {
    const { harness: at, world, pull, cart } = await play();
    expect(await outcome(at, pull, CART_TEST)).toBe("posted");
    world.react(cart, "wren", "-1");
    await anHourPasses(at);
    expect(await outcome(at, pull, CART_TEST)).toBe(`declined ${TODAY} by @wren`);
    expect(await why(at, pull, CART_TEST)).toMatch(
      /because a reaction of @wren, without a word\n- .{16} {2}@wren \(write\) {2}thumbs-down: decided\n {4}https:\/\/github\.com/,
    );
    world.unreact(cart, "wren");
    await anHourPasses(at);
    expect(await outcome(at, pull, CART_TEST)).toBe("posted");
    expect(await why(at, pull, CART_TEST)).toContain("thumbs-down: taken back");
  });

  test("behind hundreds of other reactions the one of a maintainer is read, and where reading ends is said", async () => {
    const { harness: at, world, pull, cart } = await play();
    const stray = world.person("stray");
    const hearts = (count: number) => {
      for (let n = 0; n < count; n++) cart.reactions.push({ id: 9_000_000 + n, author: stray, content: "heart" });
    };
    hearts(250);
    world.react(cart, "otto", "+1");
    await anHourPasses(at);
    expect(await outcome(at, pull, CART_TEST)).toBe(`accepted ${TODAY} by @otto`);
    const pages = () => world.requests.filter(({ path }) => path === "/graphql").length;
    const before = pages();
    hearts(900);
    await anHourPasses(at);
    // What was read before and not now was not taken back.
    expect(await outcome(at, pull, CART_TEST)).toBe(`accepted ${TODAY} by @otto`);
    expect(pages() - before).toBe(10);
    expect(at.log.join("")).toMatch(/reactions to https:[^ ]+: 1000 of 1151 were read/);
  });

  test("a comment that is deleted between two pages of its reactions costs its own reactions and nothing else", async () => {
    const { harness: at, world, pull, cart, rootOf } = await play();
    const stray = world.person("stray");
    for (let n = 0; n < 150; n++) cart.reactions.push({ id: 9_000_000 + n, author: stray, content: "heart" });
    world.react(rootOf(BACKUP_PY), "otto", "+1");
    world.fail({ match: { path: "/graphql" }, happens: () => {} });
    world.fail({ match: { path: "/graphql" }, happens: () => world.removeComment(pull, cart) });
    await anHourPasses(at);
    expect(await outcome(at, pull, BACKUP_PY)).toBe(`accepted ${TODAY} by @otto`);
  });
});

describe("code and buttons", () => {
  test("who opens a thread again is known from the delivery: the author's click does not undo a maintainer's", async () => {
    const { harness: at, world, pull, cart } = await play();
    await world.push(pull, { [CART_TEST]: 'export const carts = ["none"];\n' });
    await world.resolve(pull, cart.id, "wren");
    await world.closePull(pull, { merged: true, by: "otto" });
    await answered(at);
    const fixed = `fixed ${TODAY} in ${pull.headSha.slice(0, 12)}`;
    expect(await outcome(at, pull, CART_TEST)).toBe(fixed);
    await world.unresolve(pull, cart.id, "mona");
    await answered(at);
    expect(await outcome(at, pull, CART_TEST)).toBe(fixed);
    await world.resolve(pull, cart.id, "mona");
    await answered(at);
    await world.unresolve(pull, cart.id, "otto");
    await answered(at);
    expect(await outcome(at, pull, CART_TEST)).toMatch(/^outdated/);
  });
});
