// Sharing among an owner's repositories: patterns only, where one gives and the other takes; what a
// private repository remembers never reaches a public one, in any form.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, summaryOf } from "./change-builders.ts";
import { comment, remembering, smallTalk } from "./seed-memory.ts";

const GIVES = "knowledge: {sharing: {gives: true}}\n";
const TAKES = "knowledge: {sharing: {takes: true}}\n";
const BOTH = "knowledge: {sharing: {gives: true, takes: true}}\n";
/** The heart of it is advice in everybody's words; around it stands whose it is. */
const ADVICE = "Do not build the command from a string here: pass a list and do not use the shell";
const SAID = `${ADVICE}, or "vault master key" leaks through \`vault_backup()\` in ops/vault.py. See https://wiki.vault.example, @vaultkeeper.`;

let harness: Harness;
let retrieved: Precedents[] = [];

beforeAll(async () => {
  harness = await openHarness({
    owners: Array.from({ length: 9 }, (_, n) => `acme${n}`),
    app: {
      onStep: (_job, stage, value) => {
        if (stage === "retrieve") retrieved.push(value as Precedents);
      },
    },
  });
});
afterEach(() => {
  retrieved = [];
  expect(harness.world.violations).toEqual([]);
});
afterAll(() => harness.close());

let owners = 0;

/**
 * One repository that something was said in, and one whose change is much like it; both of a new
 * owner.
 */
async function retrieveShared(
  source: { readonly config: string; readonly isPrivate: boolean },
  target: { readonly config: string; readonly isPrivate: boolean },
  defaults: string | null = null,
) {
  const { world } = harness;
  owners += 1;
  const owner = `acme${owners}`;
  const filesOf = (config: string): Readonly<Record<string, string>> =>
    config === "" ? { "README.md": "# A\n" } : { ".kodiai.yml": config };
  const ofOwner =
    defaults === null ? null : await world.repository(owner, ".github", { files: filesOf(defaults), private: true });
  const vault = await world.repository(owner, "vault", { files: filesOf(source.config), private: source.isPrivate });
  const shop = await world.repository(owner, "shop", { files: filesOf(target.config), private: target.isPrivate });
  await remembering(harness, [comment(vault, "1", { text: SAID }), ...smallTalk(vault, 9), ...smallTalk(shop, 9)]);
  // What a repository gives is read with its default branch.
  await world.commit(vault, { "CHANGES.txt": "1\n" });
  await harness.followed(vault);
  const pull = await world.pullRequest(shop, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  const precedents = retrieved.at(-1);
  return { body: summaryOf(world, pull).body, precedents, reported: JSON.stringify(precedents), vault, shop, ofOwner };
}

test("a private repository that takes finds the pattern of a giving one's memory, and not its source [000-28]", async () => {
  const source = { config: GIVES, isPrivate: true };
  const { precedents, reported, body, vault } = await retrieveShared(source, { config: TAKES, isPrivate: true });
  expect(precedents?.provenance).toMatchObject({ sharedPoolUsed: true });
  const [pattern] = precedents?.ranked.filter(({ record }) => record.sharing === "pattern") ?? [];
  expect(pattern?.record.text).toMatch(
    /^Do not build the command from a string here pass a list and do not use the shell/,
  );
  expect(reported).not.toMatch(/vault|master key/i);
  expect(reported).not.toContain(`github.com/${vault.id}`);
  expect(body).not.toMatch(/vault|Said here before/i);
});

test.each([
  ["neither agrees", "", ""],
  ["only the one gives", GIVES, ""],
  ["only the other takes", "", TAKES],
  ["each agrees to the other direction", TAKES, GIVES],
])("nothing is found when %s", async (_, source, target) => {
  const { precedents, reported, body } = await retrieveShared(
    { config: source, isPrivate: true },
    { config: target, isPrivate: true },
  );
  expect(precedents?.gate.retrieve).toBe(true);
  expect(precedents?.provenance.sharedPoolUsed).toBe(false);
  expect(reported).not.toMatch(/vault|Do not build the command/i);
  expect(body).not.toMatch(/vault/i);
});

test("a public repository finds nothing of a private one, though both give and take and have the same texts [000-28][005-07][T15]", async () => {
  const { precedents, reported, body } = await retrieveShared(
    { config: BOTH, isPrivate: true },
    { config: BOTH, isPrivate: false },
  );
  expect(precedents?.gate.retrieve).toBe(true);
  expect(precedents?.provenance.sharedPoolUsed).toBe(false);
  // Neither its words, nor its name, nor its address, nor that there is one.
  expect(reported).not.toMatch(/vault|Do not build the command/i);
  expect(body).not.toMatch(/vault|Said here before/i);
});

test("the owner's defaults let all its repositories give and take", async () => {
  const none = { config: "", isPrivate: true };
  const { precedents, reported } = await retrieveShared(none, none, BOTH);
  expect(precedents?.provenance.sharedPoolUsed).toBe(true);
  expect(reported).toMatch(/Do not build the command/);
  expect(reported).not.toMatch(/vault/i);
});

test("a push to the owner's defaults takes back what they gave", async () => {
  const none = { config: "", isPrivate: true };
  const { vault, shop, ofOwner } = await retrieveShared(none, none, BOTH);
  if (ofOwner === null) throw new Error("no defaults");
  const { world } = harness;
  await world.commit(ofOwner, { ".kodiai.yml": TAKES });
  await harness.followed(ofOwner);
  expect((await harness.followed(vault)).at(-1)).toMatch(/^label: relabelled acme\d\/vault, private/);
  const pull = await world.pullRequest(shop, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  expect(retrieved.at(-1)?.provenance.sharedPoolUsed).toBe(false);
});
