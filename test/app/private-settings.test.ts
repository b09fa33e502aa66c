// A public repository takes its settings from a private one of the same owner: they hold, and
// nothing of that repository is shown where everybody reads.
import { afterEach, expect, test } from "vitest";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, summaryOf } from "./change-builders.ts";
import { answered, replies } from "./conversation-helpers.ts";

let harness: Harness | undefined;
afterEach(async () => {
  expect(harness?.world.violations).toEqual([]);
  await harness?.close();
  harness = undefined;
});

/** Two keys that are not ours, one value that is none, one that holds. */
const SETTINGS =
  "review:\n  maxComments: 7\n  profile: acquisition-of-initech\nprojectNeptune: on\nrules:\n  neptune-keys: off\n";
const WORDS = /neptune|initech|acquisition|vault\/\.kodiai/i;

async function shownBy(source: { readonly name: string; readonly isPrivate: boolean }, isPrivate: boolean) {
  harness = await openHarness();
  const { world } = harness;
  world.person("wren", { permission: "write", association: "MEMBER" });
  await world.repository("acme", source.name, { files: { ".kodiai.yml": SETTINGS }, private: source.isPrivate });
  const own = source.name === ".github" ? "review: {drafts: true}\n" : `_extends: ${source.name}\n`;
  const files = { "README.md": "# Shop\n", ".kodiai.yml": own };
  const shop = await world.repository("acme", "shop", { files, private: isPrivate });
  const pull = await world.pullRequest(shop, { title: "feat: back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  const summary = summaryOf(world, pull).body;
  await world.comment(pull, "wren", "@kodiai config");
  await answered(harness);
  return { summary, config: replies(world, pull).join("\n") };
}

test.each(["vault", ".github"])("a private %s is neither named nor quoted in a public repository", async (name) => {
  const { summary, config } = await shownBy({ name, isPrivate: true }, false);
  expect(`${summary}\n${config}`).not.toMatch(WORDS);
  expect(`${summary}\n${config}`).not.toContain("acme/.github");
  expect(summary).toContain("a file of another repository");
  expect(summary).toContain("3 problems, shown in that repository only");
  // What it says holds all the same, and which keys it set is not marked.
  expect(config).toMatch(/^review\.maxComments: 7$/m);
});

test.each([
  ["a private one to a private one", true, true],
  ["a public one to a public one", false, false],
])("%s says what is wrong", async (_, source, target) => {
  const { summary, config } = await shownBy({ name: "vault", isPrivate: source }, target);
  expect(summary).toContain("acme/vault/.kodiai.yml");
  expect(summary).toContain("projectNeptune");
  expect(config).toMatch(/^review\.maxComments: 7 # _extends$/m);
});
