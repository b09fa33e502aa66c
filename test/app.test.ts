// Kodiai as people meet it: somebody opens a pull request, pushes, rebases, renames, and looks at
// what stands there.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Harness, openHarness } from "./app/app-harness.ts";
import { BACKUP, BALANCE, LOGIN, said, summaryOf, WEAK_LOGIN, writes } from "./app/change-builders.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

test("an opened pull request gets one review with comments on their lines, and one summary", async () => {
  const { world } = harness;
  const shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n", "src/login.ts": LOGIN } });
  const pull = await world.pullRequest(shop, {
    title: "feat(login): hash passwords",
    files: { "src/login.ts": WEAK_LOGIN, "src/balance.py": BALANCE },
  });
  expect(world.deliveries.at(-1)).toMatchObject({ event: "pull_request", action: "opened", status: 202 });

  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expect(said(world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled", "src/login.ts:8 weak-password-hash"]);
  const { reviews, inline, file } = world.comments(pull);
  expect(reviews).toEqual([
    expect.objectContaining({ state: "COMMENTED", commitId: pull.headSha, author: "kodiai[bot]" }),
  ]);
  expect(inline.map(({ commitId }) => commitId)).toEqual([pull.headSha, pull.headSha]);
  expect(file).toEqual([]);
  const summary = summaryOf(world, pull);
  expect(summary.body).toMatch(/^\*\*2 major findings open\*\*\n\nAll inline\./);
  expect(reviews[0]?.body).toContain(`/acme/shop/pull/1#issuecomment-${summary.id}`);
});

test("a push edits the summary in place and comments on what is new only", async () => {
  const { world } = harness;
  const bank = await world.repository("acme", "bank", { files: { "src/login.ts": LOGIN } });
  const files = { "src/login.ts": WEAK_LOGIN, "src/balance.py": BALANCE };
  const pull = await world.pullRequest(bank, { title: "Ask the bank", files });
  await harness.settled(pull);
  const before = { comments: world.comments(pull).inline.map(({ id }) => id), summary: summaryOf(world, pull) };

  // The certificate is checked now, a line above the other finding moves it, and a backup is new.
  const moved = WEAK_LOGIN.replace("export function etag", "// The browser keeps it.\nexport function etag");
  const fixed = BALANCE.replace("verify=False, ", "");
  await world.push(pull, { "src/balance.py": fixed, "src/login.ts": moved, "ops/backup.py": BACKUP });
  await harness.settled(pull);

  const { inline, reviews } = world.comments(pull);
  expect(inline.slice(0, 2).map(({ id }) => id)).toEqual(before.comments);
  expect(said(world, pull).slice(2)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(reviews).toHaveLength(2);
  const summary = summaryOf(world, pull);
  expect(summary).toMatchObject({ id: before.summary.id, editedTimes: 1 });
  expect(summary.body).toMatch(/^\*\*2 .*findings open.*\*\*\n\n1 inline, 1 posted earlier\./);

  await world.push(pull, { "ops/backup.py": null, "src/login.ts": LOGIN });
  await harness.settled(pull);
  expect(world.comments(pull).inline).toHaveLength(3);
  expect(world.comments(pull).reviews).toHaveLength(2);
  expect(summaryOf(world, pull).body).toContain("**No rule fired** in 1 file; no model read it");
});

test("a force-push that keeps a finding does not say it again", async () => {
  const { world } = harness;
  const till = await world.repository("acme", "till", { files: { "src/login.ts": LOGIN } });
  const pull = await world.pullRequest(till, { title: "Hash passwords", files: { "src/login.ts": WEAK_LOGIN } });
  await harness.settled(pull);
  const [comment] = world.comments(pull).inline;

  await world.forcePush(pull, { "src/login.ts": WEAK_LOGIN, "docs/login.md": "# Logging in\n" });
  await harness.settled(pull);

  expect(world.comments(pull).inline).toEqual([comment]);
  expect(summaryOf(world, pull)).toMatchObject({ editedTimes: 1 });
  expect(summaryOf(world, pull).body).toContain("Posted earlier.");
});

test("moving a file says nothing about what was in it before", async () => {
  const { world } = harness;
  const inn = await world.repository("acme", "inn", { files: { "src/login.ts": WEAK_LOGIN } });
  const pull = await world.pullRequest(inn, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);

  await world.rename(pull, "src/login.ts", "src/auth/login.ts");
  await harness.settled(pull);

  expect(said(world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(summaryOf(world, pull).body).toContain("Posted earlier.");
});

test("a delivery that arrives again changes nothing [R3]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "echo", { files: { "src/login.ts": LOGIN } });
  const pull = await world.pullRequest(repository, { title: "Hash", files: { "src/login.ts": WEAK_LOGIN } });
  const job = await harness.settled(pull);
  const asked = world.requests.length;
  const { event, payload, id } = world.deliveries.at(-1) ?? {};

  const again = await world.deliver(event ?? "", payload, { id: id ?? "", redelivery: true });

  expect(again.status).toBe(202);
  expect(await harness.settled(pull)).toEqual(job);
  expect(harness.jobs(pull)).toHaveLength(1);
  expect(world.requests).toHaveLength(asked);
});

test("several deliveries about one head make one review", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "chorus", { files: { "src/login.ts": LOGIN } });
  const pull = await world.pullRequest(repository, { title: "Hash", files: { "src/login.ts": WEAK_LOGIN } });
  const { event, payload } = world.deliveries.at(-1) ?? {};
  // The same said under other ids, and other events that lead to the same head.
  await Promise.all([1, 2, 3].map(() => world.deliver(event ?? "", payload)));
  expect(harness.jobs(pull)).toHaveLength(1);
  const { pull_request: opened, ...rest } = payload as { readonly pull_request: object };
  const at = (minute: number) => ({ ...rest, pull_request: { ...opened, updated_at: `2030-01-01T00:0${minute}:00Z` } });
  await Promise.all([1, 2, 3].map((minute) => world.deliver(event ?? "", at(minute))));
  await harness.settled(pull);

  expect(world.comments(pull).reviews).toHaveLength(1);
  expect(world.comments(pull).inline).toHaveLength(1);
  expect(summaryOf(world, pull).editedTimes).toBe(0);
  expect(harness.jobs(pull).map(({ state }) => state)).toContain("superseded");
  // Whichever of them had the review in its hands when the next came: one has posted it, once.
  const posted = harness.jobs(pull).filter(({ outcome }) => outcome?.startsWith("posted") === true);
  expect(posted).toHaveLength(1);
});

test("only the newest head is reviewed when pushes come faster than reviews", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "haste", { files: { "src/login.ts": LOGIN } });
  const pull = await world.pullRequest(repository, { title: "Backup", files: { "ops/backup.py": BACKUP } });
  for (const year of [2024, 2025, 2026]) await world.push(pull, { "docs/year.md": `# ${year}\n` });
  await harness.settled(pull);

  expect(said(world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(summaryOf(world, pull).body).toContain(pull.headSha);
});

test("Kodiai writes comments, and nothing else", () => {
  const kinds = writes(harness.world).map((write) =>
    write.replace(/\d{2,}$/, "ID").replace(/acme\/[a-z]+/, "acme/REPO"),
  );
  expect([...new Set(kinds)].sort()).toEqual([
    "200 PATCH /repos/acme/REPO/issues/comments/ID",
    "200 POST /repos/acme/REPO/pulls/1/reviews",
    "201 POST /repos/acme/REPO/issues/1/comments",
  ]);
  const events = harness.world.requests.flatMap(({ body }) => (body as { event?: string } | undefined)?.event ?? []);
  expect(new Set(events)).toEqual(new Set(["COMMENT"]));
});
