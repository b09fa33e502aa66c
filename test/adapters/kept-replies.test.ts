// What an earlier run of a job was answered is not asked again; everything else is.
import { expect, test } from "vitest";
import { keptReplies } from "../../src/adapters/kept-replies.ts";
import type { ModelAnswer, ModelRequest } from "../../src/domain/model.ts";
import type { Model, ReplyStore } from "../../src/ports/model.ts";

const SHAPE: ModelRequest<string>["shape"] = {
  name: "word",
  jsonSchema: { type: "object" },
  check: (value) => (typeof value === "string" ? { ok: true, value } : { ok: false, problem: "a word is missing" }),
};
const QUESTION: ModelRequest<string> = {
  ...{ purpose: "review", tier: "main", effort: "medium", maxOutputTokens: 100, shape: SHAPE },
  system: [{ text: "You review.", cache: true }],
  user: [{ text: `kodiai-${"a".repeat(32)} diff\n+x\nkodiai-${"a".repeat(32)} end of diff`, cache: false }],
};
const USAGE = { inputTokens: 900, cachedTokens: 0, outputTokens: 10, usd: 0.5, ms: 7, requests: 1 };

function world(answers: readonly Partial<ModelAnswer<string>>[] = []) {
  const rows = new Map<string, string>();
  const book: ReplyStore = {
    find: async (key, question) => rows.get(`${key} ${question}`) ?? null,
    keep: async (key, question, answer) => void rows.set(`${key} ${question}`, answer),
  };
  let asked = 0;
  const model: Model = {
    names: { main: "a-model", small: "a-small-one" },
    contextTokens: () => 1_000,
    price: () => 1,
    mask: async (text) => text,
    learned: () => [],
    async ask<T>() {
      const answer = { kind: "answered", value: `answer ${asked}`, usage: USAGE, ...answers[asked] };
      asked++;
      return answer as unknown as ModelAnswer<T>;
    },
  };
  /** As after a restart: another run of the same job, or of another. */
  const run = (key = "github.com/42#7", over: Partial<Model> = {}) =>
    keptReplies(
      { ...model, ...over },
      {
        ...{ store: book, key, now: () => 1 },
        redact: async <T>(value: T) => (typeof value === "string" ? (value.replace("secret", "***") as T) : value),
      },
    );
  return { rows, run, asked: () => asked };
}

test("a question that an earlier run answered is answered from the store, with its cost, for any delimiter [R33]", async () => {
  const { run, asked } = world();
  const first = await run().ask(QUESTION);
  const user = [{ text: QUESTION.user[0]?.text.replaceAll("a".repeat(32), "b".repeat(32)) ?? "", cache: true }];
  expect(await run().ask({ ...QUESTION, user })).toEqual(first);
  expect(first).toMatchObject({ value: "answer 0", usage: USAGE });
  expect(asked()).toBe(1);
});

test("another word, model, tier, size or shape is another question; and so is another pull request's", async () => {
  const { run, asked } = world();
  await run().ask(QUESTION);
  const others: ModelRequest<string>[] = [
    { ...QUESTION, user: [{ text: `${QUESTION.user[0]?.text} `, cache: false }] },
    { ...QUESTION, system: [{ text: "You review twice.", cache: true }] },
    { ...QUESTION, tier: "small" },
    { ...QUESTION, maxOutputTokens: 101 },
    { ...QUESTION, shape: { ...SHAPE, jsonSchema: { type: "array" } } },
    { ...QUESTION, purpose: "answer" },
  ];
  for (const one of others) await run().ask(one);
  await run("github.com/42#8").ask(QUESTION);
  await run("github.com/42#7", { names: { main: "another", small: "a-small-one" } }).ask(QUESTION);
  expect(asked()).toBe(1 + others.length + 2);
});

test("who asks the same twice in one run is answered twice", async () => {
  const { run, asked } = world();
  const model = run();
  const answers = [await model.ask(QUESTION), await model.ask(QUESTION)];
  expect(asked()).toBe(2);
  expect(answers[1]).not.toEqual(answers[0]);
});

test("failures are not kept, nor what has not the shape any more, nor secrets", async () => {
  const { rows, run, asked } = world([{ kind: "failed" }, { kind: "answered", value: "a secret" }]);
  await run().ask(QUESTION);
  expect(rows.size).toBe(0);
  expect(await run().ask(QUESTION)).toMatchObject({ value: "a secret" });
  expect([...rows.values()].join()).not.toContain("secret");
  expect(await run().ask(QUESTION)).toMatchObject({ value: "a ***" });
  for (const [key] of rows) rows.set(key, '{"value": 7}');
  expect(await run().ask(QUESTION)).toMatchObject({ value: "answer 2" });
  for (const [key] of rows) rows.set(key, "{");
  expect(await run().ask(QUESTION)).toMatchObject({ value: "answer 3" });
  expect(asked()).toBe(4);
});

test("an unreadable or read-only reply store costs no answer", async () => {
  const { run } = world();
  const no = () => Promise.reject(new Error("locked"));
  const model = keptReplies(run(), {
    ...{ store: { find: no, keep: no }, key: "k", now: () => 1, redact: async (value) => value },
  });
  expect(await model.ask(QUESTION)).toMatchObject({ kind: "answered" });
});
