// A check is an asset: no one who opens a pull request can turn it green. Over loopback; the
// matrices are test/flows/verdict.test.ts and test/flows/verdict-of-a-change.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { Files } from "../fakes/github/emulator.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";

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

test("an ignore in a stranger's own code is shown as asked, and counts", async () => {
  const pull = await opened({
    "ops/b.py": BACKUP.replace("    sub", "    # kodiai-ignore shell-from-strings checked\n    sub"),
  });
  expect(await ends(pull)).toEqual(["failure"]);
  expect(said(harness.world, pull)).toEqual(["ops/b.py:4 shell-from-strings"]);
  expect(summaryOf(harness.world, pull).body).toContain("1 finding asked to ignore");
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
