import fc from "fast-check";
import { expect, test } from "vitest";
import type { Precedents } from "../../../src/domain/retrieval.ts";
import { FACTOR_NAMES } from "../../../src/retrieve/rank/factors.ts";
import { runs } from "../../property-runs.ts";
import { added, atDistance, DAY, memory, NOW, type Shape } from "../retrieve-builders.ts";
import { at, CPP, enter, ids, retrieved } from "../retrieve-harness.ts";

const CHANGE: Shape = {
  title: "feat: fetch invoices again when the gateway is busy",
  files: {
    "src/billing/invoice.ts": added("for (let attempt = 0; attempt < 3; attempt += 1) await gateway.fetch(id);"),
  },
};
const ALL = { distanceThreshold: 2, topK: 20, maxContextChars: 5000 };

const ordered = (shape: Shape, records: readonly ReturnType<typeof memory>[], embedder: null | undefined = null) =>
  enter({
    shape,
    shelved: records.map((record) => ({ record, vector: atDistance(0.2) })),
    retrieval: ALL,
    tuning: { floors: false },
    ...(embedder === null ? { embedder } : {}),
  });

const evidenceOf = (precedents: Precedents, id: string) =>
  retrieved(precedents, id)
    .terms.filter(({ name }) => ["words", "place", "meaning"].includes(name))
    .map(({ value }) => value);

test("a question that changes no file is answered by what it says", async () => {
  const records = [
    memory("mem_a", { text: "Invoices have a number." }),
    memory("mem_b", { text: "The gateway is named in the configuration." }),
    memory("mem_c", { text: "Fetch invoices again when the gateway is busy." }),
  ];
  const precedents = await ordered(
    { title: "Are invoices fetched again when the gateway is busy?", files: {} },
    records,
  );
  expect(ids(precedents)[0]).toBe("mem_c");
});

test("the probability is of text and place: a vector, however near, changes the score and not the probability", async () => {
  const records = [
    memory("mem_a", { text: "The gateway is busy: fetch the invoices again." }),
    memory("mem_b", { text: "Await a pause between two attempts at the gateway." }),
  ];
  const shelved = records.map((record) => ({ record, vector: atDistance(0.2) }));
  const asked = { shape: CHANGE, shelved, retrieval: ALL, tuning: { floors: false } };
  const [words, near] = [await enter({ ...asked, embedder: null }), await enter(asked)];
  for (const { id } of records) {
    expect(retrieved(near, id).probability).toBe(retrieved(words, id).probability);
    expect(retrieved(near, id).score).toBeGreaterThan(retrieved(words, id).score);
  }
});

test("memories without a place are ordered by what they say of the changed code", async () => {
  const records = [
    memory("mem_title", { text: "The gateway is busy: fetch the invoices again.", path: null }),
    memory("mem_attempt", {
      text: "Each `attempt` does `gateway.fetch` at once: await a pause between them.",
      path: null,
    }),
  ];
  expect(ids(await ordered(CHANGE, records))).toEqual(["mem_attempt", "mem_title"]);
});

test("of memories with a place the one in the changed file comes first when all say the same little", async () => {
  const said = "Please give this a name that says what it holds: the gateway";
  const records = [
    memory("mem_elsewhere", { path: "docs/install.rst", text: said }),
    memory("mem_other", { path: "tools/release.py", language: "python", text: `${said}.` }),
    memory("mem_here", { path: "src/billing/invoice.ts", language: "typescript", text: `${said}!` }),
  ];
  const precedents = await enter({
    shape: CHANGE,
    shelved: records.map((record) => ({ record })),
    retrieval: ALL,
    tuning: { floors: false, fold: false },
  });
  expect(ids(precedents)[0]).toBe("mem_here");
});

test("the nearer vector comes first, and what differs in language, outcome, age and id has the same evidence", async () => {
  const text = "zymurgy quux";
  const shelved = [
    at("mem_far", 0.28, { text }),
    at("mem_near", 0.02, { text }),
    at("mem_go", 0.28, { text, language: "go", outcome: "declined", provenance: { at: NOW - 900 * DAY } }),
  ];
  const precedents = await enter({ shelved, retrieval: ALL, tuning: { fold: false, factors: FACTOR_NAMES } });
  expect(ids(precedents)).toEqual(["mem_near", "mem_far", "mem_go"]);
  expect(evidenceOf(precedents, "mem_go")).toEqual(evidenceOf(precedents, "mem_far"));
});

const language = fc.constantFrom("cpp", "C++", "c", "python", "go", "unknown", "");
const said = fc.record({
  language,
  text: fc.constantFrom("round prices", "close the file", "return a total", "std::round halves"),
  distance: fc.integer({ min: 1, max: 60 }).map((part) => part / 100),
  days: fc.integer({ min: 0, max: 900 }),
});

test("switching the language factor on changes no score of a memory in another language, and lowers none", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), async (all) => {
      const shelved = all.map(({ distance, text, days, ...more }, i) =>
        at(`mem_${i}`, distance, { ...more, text: `${text} ${i}`, provenance: { at: NOW - days * DAY } }),
      );
      const room = { shape: CPP, shelved, retrieval: ALL };
      const wide = { floors: false, fold: false, budget: false };
      const on = await enter({ ...room, tuning: { ...wide, factors: FACTOR_NAMES } });
      const off = await enter({
        ...room,
        tuning: { ...wide, factors: FACTOR_NAMES.filter((one) => one !== "language") },
      });
      for (const [i, one] of all.entries()) {
        const [after, before] = [retrieved(on, `mem_${i}`).score, retrieved(off, `mem_${i}`).score];
        expect(after).toBeGreaterThanOrEqual(before);
        if (["python", "go", "unknown"].includes(one.language)) expect(after).toBe(before);
        if (["cpp", "C++"].includes(one.language)) expect(after - before).toBeCloseTo(Math.log(1.25), 9);
      }
    }),
    runs(25),
  );
});
