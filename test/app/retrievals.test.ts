// Each review's retrieval is written down, and what cannot be written down keeps no review from
// being posted.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openQueueFile } from "../../src/store/queue/clock.ts";
import { loggedRetrieval, type RetrievalRow, storedRetrievals } from "../../src/store/reviews/retrievals.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";
import { verb } from "../cli/kodiai.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, BALANCE, said } from "./change-builders.ts";

let harness: Harness;
let db: Database.Database;
beforeAll(async () => {
  harness = await openHarness();
  db = new Database(join(harness.dataDir, "queue.db"));
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(async () => {
  db.close();
  await harness.close();
});

/** Of the right form, and nobody's. */
const TOKEN = `ghp_${"Zk3vQ9sT1xB7mN5cR8wL".repeat(2).slice(0, 36)}`;

const rows = () =>
  (db.prepare("SELECT query, entry FROM retrievals ORDER BY row").all() as RetrievalRow[]).map(loggedRetrieval);
const stats = async (...words: readonly string[]) => {
  const { code, out, err } = await verb(["stats", "--json", "--data-dir", harness.dataDir, ...words], { cwd: "." });
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
};

test("a review writes one row, without secrets, and the statistics show it [003-08]", async () => {
  const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await harness.world.pullRequest(repository, {
    title: "feat: back up",
    files: { "ops/backup.py": BACKUP },
  });
  await harness.settled(first);
  expect(rows()).toMatchObject([
    {
      repo: `github.com/${repository.id}`,
      repoName: "acme/shop",
      pull: first.number,
      origin: "review",
      searched: false,
      gate: { decidedBy: "empty-memory" },
      query: "",
    },
  ]);

  // The first review's finding is remembered by now.
  const title = `fix: back up with token ${TOKEN}`;
  const second = await harness.world.pullRequest(repository, { title, files: { "ops/again.py": BACKUP } });
  await harness.settled(second);
  const [, row, ...more] = rows();
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    pull: second.number,
    searched: true,
    method: "hybrid",
    totalScanned: 1,
    degraded: [],
    calibrated: 0.69,
  });
  expect(row?.query).toMatch(/^fix: back up with token ‹redacted:/);
  expect(JSON.stringify(rows())).not.toContain(TOKEN);
  expect(row?.ids).toHaveLength(1);

  const shown = await stats("--repo", "acme/shop");
  expect(shown).toMatchObject({
    count: 1,
    averageResults: 1,
    embedding: { tokens: 0, usd: 0 },
    gate: { decisions: 2, skips: 1, byRule: [{ rule: "empty-memory", count: 1 }] },
    alerts: [],
  });
  expect((await stats("--repo", "acme/other")).count).toBe(0);
});

test("a log that cannot be written is one warning, and the review is posted [003-08]", async () => {
  db.exec("ALTER TABLE retrievals RENAME TO lost");
  try {
    const repository = await harness.world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
    const pull = await harness.world.pullRequest(repository, {
      title: "Read the balance",
      files: { "src/balance.py": BALANCE },
    });
    const { state } = await harness.settled(pull);
    expect(state).toBe("done");
    expect(said(harness.world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled"]);
    const warnings = harness.log.filter((line) => line.includes("a retrieval could not be logged"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("no such table: retrievals");
  } finally {
    db.exec("ALTER TABLE lost RENAME TO retrievals");
  }
});

test("each job ends with one line in the log, and its stages and findings are in the metrics", async () => {
  const ended = harness.log
    .map((line) => JSON.parse(line))
    .filter(({ msg, trigger }) => msg === "job ended" && trigger === "opened");
  expect(ended.length).toBeGreaterThanOrEqual(2);
  expect(new Set(ended.map(({ job, attempt }) => `${job} ${attempt}`)).size).toBe(ended.length);
  expect(ended[0]).toMatchObject({
    state: "done",
    ms: expect.any(Number),
    waitedMs: expect.any(Number),
    stages: { gather: expect.any(Number), review: expect.any(Number), publish: expect.any(Number) },
    counts: { files: 1, precedents: 0, findings: expect.any(Number) },
    gate: "empty-memory",
    cost: { inputTokens: 0, outputTokens: 0, usd: 0 },
  });
  const text = await (await fetch(`${harness.adminUrl()}/metrics`)).text();
  const figure = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+-]+)$`, "gm"))].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  expect(figure("kodiai_reviews_total")).toBeGreaterThanOrEqual(2);
  expect(figure("kodiai_findings_total")).toBeGreaterThanOrEqual(1);
  expect(figure("kodiai_gate_decisions_total")).toBeGreaterThanOrEqual(2);
  expect(figure("kodiai_retrieval_duration_seconds_count")).toBeGreaterThanOrEqual(1);
  expect(figure("kodiai_queue_wait_seconds_count")).toBeGreaterThanOrEqual(2);
  expect(text).toMatch(/^kodiai_stage_duration_seconds_count\{stage="remember"\} \d+$/m);
  expect(text).not.toMatch(/acme|shop|backup|ghp_/);
});

test("retrievals that became slow are one warning in the server's log, with the reason [003-33]", async () => {
  const file = await openQueueFile(join(harness.dataDir, "queue.db"));
  const embedding = { texts: 1, cached: 1, tokens: 0, usd: 0 };
  for (let at = 0; at < 20; at += 1)
    await storedRetrievals(file).write(anEntry({ createdAt: Date.now(), retrievalMs: 60_000, embedding }));
  await file.close();
  // What was read before is kept for five minutes.
  await harness.restart();
  const before = harness.log.length;
  const repository = await harness.world.repository("acme", "slow", { files: { "README.md": "# Slow\n" } });
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  const warnings = () => harness.log.slice(before).filter((line) => line.includes("retrieval alert"));
  await until("a warning", () => warnings().length > 0);
  expect(warnings().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      msg: "retrieval alert",
      alerts: expect.arrayContaining([
        expect.objectContaining({ name: "slow", text: "P95 is 60000 ms, over 1000 ms (n = 21)" }),
      ]),
    }),
  ]);
});
