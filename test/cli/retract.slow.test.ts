// kodiai retract: a bad review is taken back by the App that wrote it, and by nobody else.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { repoKey } from "../../src/domain/memory.ts";
import { openMemoryFile, reclaimFile } from "../../src/store/memory/memory-file.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { type Harness, openHarness } from "../app/app-harness.ts";
import { BACKUP, BALANCE, summaryOf, writes } from "../app/change-builders.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { kodiai } from "./kodiai.ts";

let harness: Harness;
let repository: Repository;
let env: Record<string, string>;
beforeAll(async () => {
  harness = await openHarness();
  const { world, dataDir } = harness;
  repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const { appId, privateKey, webhookSecret } = world.appCredentials;
  env = {
    APP_ID: String(appId),
    PRIVATE_KEY: privateKey,
    WEBHOOK_SECRET: webhookSecret,
    KODIAI_GITHUB_API_URL: world.apiUrl,
    KODIAI_DATA_DIR: dataDir,
  };
});
afterAll(() => harness.close());

const run = (words: readonly string[], over: Record<string, string> = env) =>
  kodiai(["retract", ...words], { cwd: "/", env: over });

async function reviewedPull(): Promise<Pull> {
  const files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files });
  await harness.settled(pull);
  return pull;
}

async function remembered(pull: Pull): Promise<number> {
  const db = await openMemoryFile(join(harness.dataDir, "memory.db"));
  try {
    const key = repoKey({ host: "github.com", id: repository.id });
    const known = await storedMemory(db, () => reclaimFile(db)).known(key, "finding", localWords().space, null);
    return [...known.keys()].filter((source) => source.startsWith(`#${pull.number}/`)).length;
  } finally {
    await db.close();
  }
}

/** Whether each comment and review of ours is folded away. */
function hidden(pull: Pull): (string | null)[] {
  const { inline, reviews } = harness.world.comments(pull);
  const { world } = harness;
  const own = ({ author }: { readonly author: string }) => author === world.bot.login;
  return [
    ...inline.filter(own).map(({ id }) => world.hidden("comment", id)),
    ...reviews.filter(own).map(({ id }) => world.hidden("review", id)),
  ];
}

test("a review is taken back: comments folded away, the summary says so, memory has forgotten; again, nothing changes", async () => {
  const pull = await reviewedPull();
  const other = await reviewedPull();
  expect(await remembered(pull)).toBe(2);
  const stranger = {
    author: harness.world.person("mona"),
    body: "Looks <!-- kodiai:finding fnd_0123456789ab --> fine",
  };
  const first = pull.comments[0];
  if (first === undefined) throw new Error("nothing was said");
  pull.comments.push({ ...first, id: first.id + 5_000_000, ...stranger });

  const rehearsal = await run([`acme/shop#${pull.number}`, "--dry-run"]);
  expect(rehearsal).toMatchObject({ code: 0, err: "", out: expect.stringContaining("would be forgotten: 2 memories") });
  expect(hidden(pull)).toEqual([null, null, null]);
  expect(await remembered(pull)).toBe(2);

  const { id } = harness.world.comments(pull).reviews.find(({ author }) => author === harness.world.bot.login) ?? {};
  const url = `https://github.com/acme/shop/pull/${pull.number}#pullrequestreview-${id}`;
  const done = await run([url]);
  expect(done).toMatchObject({ code: 0, err: "", out: expect.stringContaining("forgotten: 2 memories") });
  expect(hidden(pull)).toEqual(["OUTDATED", "OUTDATED", "OUTDATED"]);
  expect(harness.world.hidden("comment", first.id + 5_000_000)).toBeNull();
  const { body } = summaryOf(harness.world, pull);
  expect(body).toMatch(/^\*\*Retracted\*\*: the review of `[0-9a-f]{7}` was taken back\. Its 2 comments are hidden/);
  expect(body).not.toContain("2 findings");
  expect(body.endsWith("<!-- kodiai:summary -->")).toBe(true);
  expect(await remembered(pull)).toBe(0);

  expect([hidden(other), await remembered(other)]).toEqual([[null, null, null], 2]);
  const again = await run([url, "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ version: 1, rehearsal: false, summaryUrl: null, forgotten: 0 });
  expect(summaryOf(harness.world, pull).body).toBe(body);
  expect(harness.world.violations).toEqual([]);
});

test("a review that is not ours, or not there, is left alone and said so", async () => {
  const pull = await reviewedPull();
  const before = writes(harness.world).length;
  const foreign = await run([`acme/shop#${pull.number}`, "--review", "1"]);
  expect(foreign).toMatchObject({ code: 3, out: "nothing was done: review 1 is not ours\n" });
  expect(writes(harness.world)).toHaveLength(before);
});

test("wrong words and missing credentials are mistakes of usage", async () => {
  const [none, word, host, nobody] = await Promise.all([
    run([]),
    run(["shop"]),
    run(["https://github.example.com/acme/shop/pull/1"]),
    run(["acme/shop#1"], {}),
  ]);
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("name the review") });
  expect(word).toMatchObject({ code: 2, err: expect.stringContaining("neither the URL of a review nor OWNER/NAME#N") });
  expect(host).toMatchObject({ code: 2, err: expect.stringContaining("this App lives on github.com") });
  expect(nobody).toMatchObject({ code: 2, err: expect.stringContaining("or GITHUB_TOKEN") });
});

test("a token that may not write is refused by GitHub, and that is said", async () => {
  const pull = await reviewedPull();
  const token = { GITHUB_TOKEN: harness.world.personalToken("lena"), GITHUB_API_URL: harness.world.apiUrl };
  const refused = await run([`acme/shop#${pull.number}`], token);
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("could not finish") });
  expect(hidden(pull)).toEqual([null, null, null]);
});

test("what GitHub does not let the App hide is left with its address, and all else is taken back", async () => {
  const pull = await reviewedPull();
  const errors = [{ type: "FORBIDDEN", message: "Resource not accessible by integration", path: ["minimizeComment"] }];
  const body = { data: { minimizeComment: null }, errors };
  harness.world.fail({ match: { path: "/graphql" }, status: 200, body });
  const { code, out } = await run([`acme/shop#${pull.number}`]);
  expect(code).toBe(0);
  expect(out.match(/ left: /g)).toHaveLength(1);
  expect(hidden(pull).filter((why) => why === null)).toHaveLength(1);
  expect(summaryOf(harness.world, pull).body).toMatch(/was taken back\. Its (?:1 comment is|2 comments are) hidden/);
  expect(await remembered(pull)).toBe(0);
});
