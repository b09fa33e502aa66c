// Check runs as a visitor of the pull request sees them: begun with the review, ended however it ends.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { readManifest } from "../fakes/github/manifest.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, BALANCE, LOGIN, said, summaryOf, writes } from "./change-builders.ts";

const ON = "review: {checks: {enabled: true, failOn: major}}\n";
const FINDING = "ops/backup.py:3 failure Shell command is built from strings";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

let serial = 0;

function repositoryWith(config: string): Promise<Repository> {
  const files = { "src/login.ts": LOGIN, ".kodiai.yml": config };
  return harness.world.repository("acme", `shop-${++serial}`, { files });
}

async function open(
  config: string,
  files: Readonly<Record<string, string>> = { "ops/backup.py": BACKUP },
  title = "Back up",
) {
  return harness.world.pullRequest(await repositoryWith(config), { title, files });
}

async function checksOf(pull: Pull) {
  await harness.settled(pull);
  return harness.world.checks(pull);
}

/** `STATUS CONCLUSION TITLE` of each check run. */
async function endsOf(pull: Pull, sha?: string): Promise<string[]> {
  const runs = await harness.world.checks(pull, sha);
  return runs.map(({ status, conclusion, title }) => `${status} ${conclusion}: ${title}`);
}

test("without the setting there is no check run", async () => {
  expect(await checksOf(await open(""))).toEqual([]);
});

test("a check informs by default: its findings are annotations on the lines, and it does not judge", async () => {
  const pull = await open("review: {checks: {enabled: true}}");
  const [check, ...more] = await checksOf(pull);
  expect(more).toEqual([]);
  expect(check).toMatchObject({ name: "Kodiai", status: "completed", conclusion: "neutral", title: "1 finding" });
  expect(check?.annotations).toEqual([FINDING]);
  expect(check?.summary).toMatch(/^This check informs and never fails\. See the \[summary\]\(https:/);
  expect(check?.text).toContain("**1 finding**: 1 major");
  expect(check?.text).not.toContain("<!--");
});

test("it fails when a posted finding is severe enough, and succeeds when a complete review has none", async () => {
  const failing = await open(ON);
  const calm = await open(ON, { "src/etag.ts": LOGIN });
  const mild = await open("review: {checks: {enabled: true, failOn: critical}}");
  expect(await checksOf(failing)).toMatchObject([{ conclusion: "failure", title: "1 finding" }]);
  expect(await checksOf(calm)).toMatchObject([
    { conclusion: "success", title: "No rule fired in 1 file; no model read it" },
  ]);
  expect(await checksOf(mild)).toMatchObject([{ conclusion: "success", annotations: [FINDING] }]);
});

test("a review that is incomplete never succeeds, and says what is missing", async () => {
  harness.world.fail({ match: { method: "GET", path: "/search/issues" }, status: 503 });
  const pull = await harness.world.pullRequest(await repositoryWith(ON), {
    title: "Add etags",
    author: harness.world.person("ines").login,
    files: { "src/etag.ts": LOGIN },
  });
  const [check] = await checksOf(pull);
  expect(check?.conclusion).toBe("neutral");
  expect(check?.summary).toContain("The review is **incomplete**: degraded: author-tier.");
});

test("a pull request that policy leaves alone gets its check too: a required one must come to an end", async () => {
  const pull = await open(ON, { "ops/backup.py": BACKUP }, "[wip] Back up");
  expect(await checksOf(pull)).toMatchObject([{ status: "completed", conclusion: "neutral", title: "Not reviewed" }]);
  expect((await harness.world.checks(pull))[0]?.summary).toContain("the title is tagged");
});

test.each([
  ["opened by a bot", { author: "fixer[bot]" }, "opened by a bot, fixer"],
  ["in a locked conversation", { isLocked: true }, "the conversation is locked"],
] as const)(
  "a pull request %s gets its check too",
  async (_, {
    author = "mona",
    isLocked = false,
  }: { readonly author?: string; readonly isLocked?: boolean }, reason) => {
    const { world } = harness;
    world.person("fixer[bot]", { id: 424_243, type: "Bot" });
    const repository = await repositoryWith(ON);
    const files = { "ops/backup.py": BACKUP };
    const pull = await world.pullRequest(repository, { title: "Back up", author, files, announce: !isLocked });
    if (isLocked) {
      world.lock(pull);
      await world.push(pull, { "docs/a.md": "A\n" });
    }
    expect(await checksOf(pull)).toMatchObject([{ status: "completed", conclusion: "neutral", title: "Not reviewed" }]);
    expect((await world.checks(pull))[0]?.summary).toContain(reason);
  },
);

test("a paused pull request gets its check too", async () => {
  const { world } = harness;
  world.person("otto", { permission: "admin", association: "OWNER" });
  const pull = await open(ON);
  await harness.settled(pull);
  await world.comment(pull, "otto", "/kodiai pause");
  await until(
    "it is paused",
    () => harness.rows("SELECT 1 FROM jobs WHERE lane = 'command' AND state = 'done'").length > 0,
  );
  await world.push(pull, { "docs/a.md": "A\n" });
  await harness.settled(pull);
  expect(await endsOf(pull)).toEqual(["completed neutral: Not reviewed"]);
});

test("what a merge queue would merge gets a neutral check where checks are on, beside the review of its pull request", async () => {
  const pull = await open(ON);
  const head = await harness.world.mergeGroup(pull);
  const ended = async () => (await endsOf(pull, head)).join();
  for (let tries = 0; tries < 500 && (await ended()) !== "completed neutral: Not reviewed"; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await ended()).toBe("completed neutral: Not reviewed");
  expect((await harness.world.checks(pull, head))[0]?.summary).toContain("reviewed on their pull requests");
  await harness.settled(pull);
  expect(await endsOf(pull)).toEqual(["completed failure: 1 finding"]);
  const without = await open("");
  const other = await harness.world.mergeGroup(without);
  await until(
    "both groups ended",
    () => harness.rows("SELECT 1 FROM jobs WHERE key LIKE '%!merge-%' AND state = 'done'").length === 2,
  );
  expect(await endsOf(without, other)).toEqual([]);
});

test("checks of other Apps, and GitHub's events about ours, are answered and not stored", async () => {
  const { world } = harness;
  const pull = await open(ON);
  await harness.settled(pull);
  const kept = harness.rows("SELECT 1 FROM deliveries").length;
  for (const event of ["check_run", "check_suite"] as const)
    for (const action of ["created", "completed"] as const)
      expect(await world.otherCheck(pull, event, action)).toMatchObject({ status: 202 });
  const other = { id: 1, head_sha: pull.headSha, app: { id: 1 } };
  await world.deliver("check_run", { action: "rerequested", check_run: other });
  expect(harness.rows("SELECT 1 FROM deliveries")).toHaveLength(kept);
});

test("re-running all checks of a head re-runs the review", async () => {
  const pull = await open(ON);
  await harness.settled(pull);
  const { id } = await harness.world.rerequestAll(pull);
  await harness.settled(pull);
  expect(harness.outcomeOf(id)).toMatchObject({ outcome: "review", reason: "rerequested" });
  expect(await endsOf(pull)).toHaveLength(2);
});

test("the check of a head that moved ends as superseded, and the new head has its own", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  const old = pull.headSha;
  expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
  await harness.world.push(pull, { "ops/backup.py": null, "src/balance.py": BALANCE });
  await harness.settled(pull);
  expect(await endsOf(pull, old)).toEqual(["completed neutral: Superseded"]);
  expect(await endsOf(pull)).toEqual(["completed failure: 1 finding"]);
});

test("a review that is tried again goes on with its check", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  await harness.crash();
  await harness.settled(pull);
  expect(await endsOf(pull)).toEqual(["completed failure: 1 finding"]);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("the check of a review that failed for good, or of a process that died, fails: a required one lets nothing pass [R32]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.prepare("UPDATE jobs SET state = 'parked' WHERE state = 'waiting'").run();
  db.close();
  await harness.restart();
  await expect.poll(() => endsOf(pull), { timeout: 20_000 }).toEqual(["completed failure: Not reviewed"]);
});

/** The check is begun, and neither its answer nor a look tells us so. */
function loseBegin(looks: number) {
  harness.world.fail({ match: { method: "POST", path: /\/check-runs$/ }, status: 502, afterApplying: true });
  harness.world.fail({ match: { method: "GET", path: /\/check-runs/ }, status: 422, times: looks });
}

test.each([
  ["suspended", "This installation has been suspended", "unsuspend"],
  ["without a permission", "Resource not accessible by integration", "new_permissions_accepted"],
])(
  "the check of a review that was given up while the App was %s ends when it no longer is",
  async (_, message, back) => {
    const { world } = harness;
    let isRefused = true;
    const refused = { status: 403, body: { message }, times: 1_000, chance: () => isRefused };
    world.fail({ match: { method: "POST", path: /\/reviews$/ }, ...refused });
    world.fail({ match: { method: "PATCH", path: /\/check-runs\/\d+$/ }, ...refused });
    const pull = await open(ON);
    expect(await harness.settled(pull)).toMatchObject({ state: "parked" });
    await until("it was tried", () => harness.log.some((line) => line.includes('"outcome":"refused"')));
    expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
    isRefused = false;
    const installation = { id: 1, account: { login: "acme", id: 1, type: "Organization" }, suspended_at: null };
    await world.deliver("installation", { action: back, installation });
    await expect.poll(() => endsOf(pull)).toEqual([expect.stringMatching(/^completed /)]);
  },
);

test("a check whose creation was uncertain ends with its review", async () => {
  loseBegin(2);
  const pull = await open(ON);
  await harness.settled(pull);
  expect(await endsOf(pull)).toEqual(["completed failure: 1 finding"]);
});

test("a check that is on GitHub and was never recorded is ended by the sweep", async () => {
  loseBegin(2);
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.prepare("UPDATE jobs SET state = 'parked' WHERE state = 'waiting'").run();
  expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
  await harness.restart();
  const unknown = () => db.prepare("SELECT count(*) FROM intents WHERE state = 'sent'").pluck().get();
  await expect.poll(unknown, { timeout: 20_000 }).toBe(0);
  db.close();
  await harness.restart();
  await expect.poll(() => endsOf(pull), { timeout: 20_000 }).toEqual(["completed failure: Not reviewed"]);
});

test("a conclusion that did not reach GitHub is sent later, unchanged", async () => {
  harness.world.fail({ match: { method: "PATCH", path: /\/check-runs\// }, status: 503 });
  const pull = await open(ON);
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
  await harness.restart();
  await expect.poll(() => endsOf(pull), { timeout: 20_000 }).toEqual(["completed failure: 1 finding"]);
});

test("many findings are sent in several requests, fifty annotations each", async () => {
  const call = '    subprocess.run("tar czf /backup/" + name + ".tgz /srv", shell=True, check=True)\n';
  const many = `import subprocess\ndef backup(name: str) -> None:\n${call.repeat(120)}`;
  const pull = await open(ON, { "ops/backup.py": many });
  const [check] = await checksOf(pull);
  const sent = harness.world.requests
    .filter(({ method, path }) => method === "PATCH" && path.endsWith(`/check-runs/${check?.id}`))
    .map(({ body }) => (body as { output: { annotations: unknown[] } }).output.annotations.length);
  expect(sent).toEqual([50, 50, 20]);
  expect(check?.conclusion).toBe("failure");
});

test("a problem of the configuration is annotated on its line if the pull request contains the file", async () => {
  const config = "rules: {weak-hash: high}\nreview: {checks: {enabled: true}}\n";
  const carried = await open(config, { ".kodiai.yml": `# Ours\n${config}`, "src/etag.ts": LOGIN });
  const [beside] = await checksOf(carried);
  expect(beside?.annotations).toEqual([".kodiai.yml:2 warning Configuration error"]);
  const [elsewhere] = await checksOf(await open(config, { "src/etag.ts": LOGIN }));
  expect(elsewhere?.annotations).toEqual([]);
  expect(elsewhere?.text).toContain("`.kodiai.yml:1:");
});

test("a problem of the configuration that a pull request proposes is annotated on its line, before it is merged", async () => {
  const config = "review: {checks: {enabled: true}}\n";
  const pull = await open(config, { ".kodiai.yml": `# Ours\n${config}pathFilter: ["!docs/**"]\n` });
  const [check] = await checksOf(pull);
  expect(check?.annotations).toEqual([".kodiai.yml:3 warning Configuration error"]);
  expect(check?.text).toMatch(
    /Problems in the proposed `\.kodiai\.yml`:[\s\S]{1,20}`\.kodiai\.yml:3:1`: error: unknown key `pathFilter`; did you mean `pathFilters`\?/,
  );
  const fixed = await open(`${config}pathFilter: ["!docs/**"]\n`, { ".kodiai.yml": config });
  expect((await checksOf(fixed))[0]?.annotations).toEqual([]);
});

test("re-running the check gives a review, against any policy", async () => {
  const pull = await open("review: {enabled: false, checks: {enabled: true, failOn: major}}\n");
  const [skipped] = await checksOf(pull);
  expect(skipped).toMatchObject({
    title: "Not reviewed",
    externalId: expect.stringMatching(`^pull/${pull.number}/[0-9a-f]{32}$`),
  });
  const { id } = await harness.world.rerequest(pull, skipped?.id ?? 0);
  await harness.settled(pull);
  expect(harness.outcomeOf(id)).toMatchObject({ outcome: "review", reason: "rerequested" });
  expect(said(harness.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect((await endsOf(pull)).at(-1)).toBe("completed failure: 1 finding");
});

test("an App that was not granted check runs reviews without, and says so", async () => {
  const manifest = readManifest();
  const { checks, ...permissions } = manifest.permissions;
  expect(checks).toBe("write");
  const other = await openHarness({ manifest: { ...manifest, permissions } });
  try {
    const files = { "README.md": "# Shop\n", ".kodiai.yml": ON };
    const repository = await other.world.repository("acme", "shop", { files });
    const pull = await other.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    expect(await other.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
    expect(said(other.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
    expect(summaryOf(other.world, pull).body).toContain("the App needs the permission `checks: write`");
    expect(await other.world.checks(pull)).toEqual([]);
  } finally {
    await other.close();
  }
});

test("a dry run makes no check run and logs how it would end", async () => {
  await harness.restart({ dryRun: true });
  const before = writes(harness.world).length;
  const pull = await open(ON);
  expect(await checksOf(pull)).toEqual([]);
  expect(writes(harness.world)).toHaveLength(before);
  expect(harness.log.join("")).toMatch(/"what":"check run","body":"failure: 1 finding"/);
  await harness.restart();
});
