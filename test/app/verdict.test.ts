// A check is an asset: whoever opens a pull request cannot turn it green. Over loopback; the matrix is test/flows/verdict.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { Files } from "../fakes/github/emulator.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN, said, summaryOf } from "./change-builders.ts";

const GATE = "review: {checks: {enabled: true, failOn: major}}\n";
const FAULT = { "ops/b.py": BACKUP };
const STRANGER = { author: "mallory", fork: "mallory" };

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

let serial = 0;
const repository = (files: Files = {}): Promise<Repository> =>
  harness.world.repository("acme", `gate-${++serial}`, { files: { "a.md": "x\n", ".kodiai.yml": GATE, ...files } });

/** The conclusion of each check run of the head, oldest first. */
async function ends(pull: Pull, sha?: string): Promise<(string | null)[]> {
  return (await harness.world.checks(pull, sha)).map(({ conclusion }) => conclusion);
}

async function opened(files: Files, at?: Repository) {
  const pull = await harness.world.pullRequest(at ?? (await repository()), { title: "feat", ...STRANGER, files });
  await harness.settled(pull);
  return pull;
}

/** The payload of the newest delivery about a pull request itself. */
function latestOf({ repository: { id }, number }: Pull): Readonly<Record<string, unknown>> {
  const payloads = harness.world.deliveries.map(({ payload }) => payload as Record<string, unknown>);
  const isIts = (one: Record<string, unknown>) =>
    one.number === number && (one.repository as { id: number }).id === id && "pull_request" in one;
  return payloads.findLast(isIts) ?? {};
}

async function why(pull: Pull): Promise<string> {
  return (await harness.world.checks(pull)).at(-1)?.summary ?? "";
}

test("an ignore in a stranger's own code is shown as asked, and counts", async () => {
  const pull = await opened({
    "ops/b.py": BACKUP.replace("    sub", "    # kodiai-ignore shell-from-strings checked\n    sub"),
  });
  expect(await ends(pull)).toEqual(["failure"]);
  expect(said(harness.world, pull)).toEqual(["ops/b.py:4 shell-from-strings"]);
  expect(summaryOf(harness.world, pull).body).toContain("1 finding asked to ignore");
});

test("an ignore by somebody with write access hides the finding", async () => {
  harness.world.person("otto", { permission: "write" });
  const files = { "ops/b.py": BACKUP.replace("    sub", "    # kodiai-ignore shell-from-strings checked\n    sub") };
  const pull = await harness.world.pullRequest(await repository(), {
    title: "feat",
    author: "otto",
    fork: "otto",
    files,
  });
  await harness.settled(pull);
  expect(await ends(pull)).toEqual(["success"]);
  expect(said(harness.world, pull)).toEqual([]);
});

test.each([
  ["its header", { "ops/b.py": `# @generated\n${BACKUP}` }],
  ["its folder", { "src/generated/b.py": BACKUP }],
  ["its name", { "ops/b_pb2.py": BACKUP }],
  ["a vendored folder", { "vendor/lib/b.py": BACKUP }],
  ["the head's .gitattributes", { ".gitattributes": "*.py linguist-generated\n", ...FAULT }],
])("what only the change calls generated is read by rules: %s", async (_, files) => {
  const pull = await opened({ ...files, "src/e.ts": LOGIN });
  expect(await ends(pull)).toEqual(["failure"]);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("what the base's .gitattributes marks is left out, a build folder with all below it [002-16]", async () => {
  const marks = "third/** linguist-vendored\nops/*.py linguist-generated\nbuild/ linguist-generated\n";
  const pull = await opened(
    { "third/b.py": BACKUP, "build/deep/b.py": BACKUP, ...FAULT, "package-lock.json": "{}\n", "src/e.ts": LOGIN },
    await repository({ ".gitattributes": marks }),
  );
  expect(await ends(pull)).toEqual(["success"]);
  expect(summaryOf(harness.world, pull).body).toMatch(/vendored \(\.gitattributes\) \(1\): `third\/b\.py`/);
});

test("source that nobody reads does not pass: the check names the file and the key", async () => {
  const filtered = await opened(
    { ...FAULT, "src/e.ts": LOGIN },
    await repository({ ".kodiai.yml": `${GATE}pathFilters: ["!ops/**"]\n` }),
  );
  expect(await ends(filtered)).toEqual(["failure"]);
  expect(await why(filtered)).toContain("`ops/b.py` (`pathFilters: !ops/**`)");
  const binary = await opened({ "ops/b.py": new TextEncoder().encode(`${BACKUP}\0`), "src/e.ts": LOGIN });
  expect(await ends(binary)).toEqual(["failure"]);
  expect(await why(binary)).toContain("`ops/b.py`");
  const link = await opened({ "ops/b.py": { mode: "120000", content: "b.txt" }, "src/e.ts": LOGIN });
  expect(await ends(link)).toEqual(["failure"]);
  const harmless = await opened({
    "docs/a.png": new Uint8Array([0x89, 0x50, 0, 1]),
    "src/__init__.py": "",
    "docs/a.md": "A\n",
    "src/e.ts": LOGIN,
  });
  expect([await ends(harmless), await why(harmless)]).toEqual([["success"], expect.any(String)]);
});

test("a second pull request with the same head makes nothing milder, and the check follows when the worse one closes", async () => {
  const { world } = harness;
  const at = await repository();
  const one = await opened(FAULT, at);
  const held = { title: "f", ...STRANGER, files: FAULT, announce: false };
  for (const more of [{ draft: true }, { title: "[wip] f" }]) {
    const two = await world.pullRequest(at, { ...held, ...more });
    two.headSha = one.headSha;
    await world.reopen(two);
    await harness.settled(two);
    expect(await ends(one)).toEqual(["failure"]);
  }
  const mild = await world.pullRequest(at, {
    ...held,
    title: "legacy",
    branch: "legacy",
    files: { ".kodiai.yml": GATE.replace("major", "never") },
  });
  mild.state = "closed";
  const three = await world.pullRequest(at, { ...held, base: "legacy" });
  three.headSha = one.headSha;
  await world.reopen(three);
  await harness.settled(three);
  expect((await ends(one)).at(-1)).toBe("failure");
  await world.closePull(one);
  await harness.settled(three);
  expect((await ends(three)).at(-1)).toBe("neutral");
  await world.reopen(one);
  await harness.settled(one);
  expect((await ends(one)).at(-1)).toBe("failure");
});

test("going to a milder base and back leaves the check as it was", async () => {
  const { world } = harness;
  const at = await repository();
  const files = { ".kodiai.yml": GATE.replace("major", "never") };
  const old = await world.pullRequest(at, { title: "x", branch: "legacy", files, announce: false });
  old.state = "closed";
  const pull = await opened(FAULT, at);
  for (const base of ["legacy", "main"]) {
    await world.edit(pull, { base });
    await harness.settled(pull);
    expect((await ends(pull)).at(-1)).toBe("failure");
  }
});

test("a head that is away and back is reviewed again", async () => {
  const { world } = harness;
  const pull = await opened({ ...FAULT, "a.md": "a\n" });
  const first = pull.headSha;
  await world.push(pull, { "ops/b.py": null });
  await harness.settled(pull);
  const before = pull.headSha;
  pull.headSha = first;
  await world.deliver("pull_request", {
    ...latestOf(pull),
    action: "synchronize",
    before,
    after: first,
  });
  expect(await harness.settled(pull)).toMatchObject({ outcome: expect.stringMatching(/^posted/) });
  expect(await ends(pull)).toEqual(["failure", "failure"]);
});

test("a review that was saved for another base is not posted, nor one of a pull request that became a draft", async () => {
  const { world } = harness;
  const at = await repository();
  const files = { ".kodiai.yml": `${GATE}rules: {shell-from-strings: off}\n` };
  const old = await world.pullRequest(at, { title: "x", branch: "low", files, announce: false });
  old.state = "closed";
  const failing = { match: { method: "POST", path: /\/reviews$/ }, status: 503 };
  world.fail(failing);
  const top = await world.pullRequest(at, { title: "top", ...STRANGER, files: FAULT });
  await harness.waitsAgain(top);
  await world.edit(top, { base: "low" });
  await harness.hurry();
  await harness.settled(top);
  expect(said(world, top)).toEqual([]);
  world.fail(failing);
  const draft = await world.pullRequest(at, { title: "draft", ...STRANGER, files: { ...FAULT, "b.md": "b\n" } });
  await harness.waitsAgain(draft);
  draft.draft = true;
  await harness.hurry();
  expect(await harness.settled(draft)).toMatchObject({ outcome: "skipped: the pull request is a draft" });
  expect(said(world, draft)).toEqual([]);
});

test("running all checks again reviews each pull request with that head, of forks too", async () => {
  const { world } = harness;
  const at = await repository();
  const one = await opened(FAULT, at);
  const two = await world.pullRequest(at, { title: "two", ...STRANGER, files: FAULT, announce: false });
  two.headSha = one.headSha;
  await world.reopen(two);
  await harness.settled(two);
  const before = (await ends(one)).length;
  const { installation, sender } = latestOf(one);
  const app = { id: world.appCredentials.appId };
  const suite = { id: 7, head_sha: one.headSha, app, pull_requests: [] };
  const around = { installation, repository: at.json, sender };
  await world.deliver("check_suite", { ...around, action: "rerequested", check_suite: suite });
  await harness.settled(one);
  await harness.settled(two);
  expect((await ends(one)).slice(before)).toEqual(["failure", "failure"]);
});

test("an author without write access only asks to ignore a finding", async () => {
  const { world } = harness;
  const pull = await opened({ "src/cart.ts": "export function total() {\n  debugger;\n}\n" });
  const [root] = world.comments(pull).inline;
  await world.reply(pull, "mallory", pull.comments[0]?.id ?? 0, "/kodiai ignore it is fine");
  await until("the answer", () =>
    world.comments(pull).inline.some(({ body }) => body.includes("you ask to ignore this")),
  );
  await world.push(pull, { "b.md": "b\n" });
  await harness.settled(pull);
  expect(root).toBeDefined();
  expect(await ends(pull)).toEqual(["failure"]);
  expect(summaryOf(world, pull).body).toContain("1 finding asked to ignore");
});

test("a label in any case lets go of what another one held back", async () => {
  const { world } = harness;
  const at = await repository({ ".kodiai.yml": "review: {labels: [Ready], checks: {enabled: true, failOn: major}}\n" });
  const pull = await opened(FAULT, at);
  expect(await ends(pull)).toEqual(["neutral"]);
  await world.label(pull, "READY");
  await harness.settled(pull);
  expect((await ends(pull)).at(-1)).toBe("failure");
});
