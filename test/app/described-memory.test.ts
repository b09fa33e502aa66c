// From a webhook to the fields in memory: the running app with a model's server on loopback. The
// review is posted first; what is remembered of it is described afterwards, in the lane of upkeep,
// where the repository wants that.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/wire/store.ts";
import { says } from "../fakes/anthropic/replies.ts";
import type { ModelCall, Reply } from "../fakes/anthropic/server.ts";
import { LESSON, reply, SITUATION, TAGS } from "../learn/model-descriptions.ts";
import { WEAK_LOGIN } from "./change-builders.ts";
import { type ModelHarness, openModelHarness } from "./model-harness.ts";
import { inMemory } from "./seed-memory.ts";

let play: ModelHarness;
/** What the model says to the question about a memory, first and again. */
let memoryReplies: unknown[] = [];
const isAboutMemory = ({ system }: ModelCall) => system.startsWith("You describe one remark");

beforeAll(async () => {
  play = await openModelHarness({});
  play.anthropic.script((call): Reply => {
    if (isAboutMemory(call)) return says(memoryReplies.shift() ?? reply());
    return says({ findings: [], ruleFindings: [], walkthrough: "Hashes passwords." });
  });
});
afterAll(() => play.close());

async function reviewed(name: string, config: string) {
  const { world } = play.harness;
  const files = { "README.md": "# Shop\n", ".kodiai.yml": config };
  const repository = await world.repository("acme", name, { files });
  const asked = play.anthropic.requests.length;
  const pull = await world.pullRequest(repository, { title: "Hash passwords", files: { "src/login.ts": WEAK_LOGIN } });
  const { state } = await play.harness.settled(pull);
  const questions = () => play.anthropic.requests.slice(asked).filter(isAboutMemory);
  return { repository, state, questions };
}

function stored(id: number) {
  return inMemory(play.harness, (db) =>
    db
      .prepare(
        `SELECT r.mem, c.source_id AS source, c.text, c.situation, c.lesson, c.tags,
           c.described ->> 'by' AS by, c.described ->> 'confidence' AS confidence, c.described ->> 'problems' AS problems
         FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
         WHERE p.github_id = ? AND r.corpus = 'finding'`,
      )
      .all(String(id)),
  );
}

const WANTED = "knowledge: {describe: model}\n";

test("a posted finding that is remembered gets situation, lesson and tags from the small model", async () => {
  const { repository, state, questions } = await reviewed("described", WANTED);
  expect(state).toBe("done");
  const [reported] = (await play.harness.followed(repository)).filter((line) => line.startsWith("describe:"));
  expect(reported).toMatch(/^describe: described 1 of 1 memory; USD 0\.\d{4}$/);
  expect(stored(repository.id)).toMatchObject([
    {
      situation: SITUATION,
      lesson: LESSON,
      tags: JSON.stringify(TAGS),
      by: "claude-haiku-5-5",
      confidence: 1,
      problems: "[]",
    },
  ]);
  const [question, ...more] = questions();
  expect(more).toEqual([]);
  expect(question?.body.model).toBe("claude-haiku-5-5");
  expect(question?.prompt).toMatch(/kodiai-[0-9a-f]{32} remark\n[\s\S]*md5/i);
  expect(play.harness.log.join("")).toMatch(/"job":"github\.com\/\d+:describe"[^\n]*described 1 of 1 memory/);
});

test("the model gets the rules that its reply breaks once, by name; a second break leaves the memory without fields [002-07]", async () => {
  const broken = reply({ lesson: "The hash is weak and could be broken by anybody." });
  memoryReplies = [broken, broken];
  const { repository, questions } = await reviewed("undescribed", WANTED);
  const ended = await play.harness.followed(repository);
  expect(ended.join()).toMatch(/described 0 of 1 memory; without fields: lesson\/no-cue-word 1; USD/);
  expect(questions()).toHaveLength(2);
  const repair = JSON.stringify(questions()[1]?.body.messages.at(-1));
  expect(repair).toContain("lesson/no-cue-word");
  expect(stored(repository.id)).toMatchObject([
    { situation: null, lesson: null, tags: "[]", problems: '["lesson/no-cue-word"]' },
  ]);
});

test("what is asked about memories goes into the book that budgets are held against", async () => {
  const { repository } = await reviewed("booked", WANTED);
  await play.harness.followed(repository);
  const store = await openStore(play.harness.dataDir);
  expect((await store.spending.usage({ host: "github.com", id: repository.id }, 0)).spent).toBeGreaterThan(0);
  await store.close();
  const spent = `${WANTED}review: {budget: {usdPerMonth: 0.000001}}\n`;
  const poor = await reviewed("poor", spent);
  const ended = await play.harness.followed(poor.repository);
  expect(ended.join()).toMatch(/described 0 of 0 memories; USD 0\.0000; stopped: what is left of this month's budget/);
  expect(poor.questions()).toEqual([]);
});

test("without the setting no question is sent and no job is made", async () => {
  const { repository, questions } = await reviewed("silent", "knowledge: {describe: off}\n");
  const jobs = inQueue(repository.id);
  expect(jobs).toEqual([]);
  expect(questions()).toEqual([]);
  expect(stored(repository.id)).toMatchObject([{ situation: null, lesson: null, by: null }]);
});

function inQueue(id: number): unknown[] {
  const db = new Database(join(play.harness.dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare("SELECT key FROM jobs WHERE key = ?").all(`github.com/${id}:describe`);
  } finally {
    db.close();
  }
}
