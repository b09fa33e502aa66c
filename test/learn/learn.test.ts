import { expect, test } from "vitest";
import type { Finding } from "../../src/domain/finding.ts";
import type { PostedReview } from "../../src/domain/review.ts";
import { recordsOfFindings, remember } from "../../src/learn/learn.ts";
import { fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { AT, givenRecord, REPO } from "./memory-builders.ts";

const asItIs = { redact: (text: string) => Promise.resolve(text) };
const many = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    givenRecord({ sourceId: `${index}`, id: `mem_${index}`, text: `lesson ${index}` }),
  );

test("records are embedded with their context and written with their vectors", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const done = await remember([givenRecord()], embedder, memory, asItIs);
  expect(done).toMatchObject({ added: 1, updated: 0, unchanged: 0, embedded: 1, wordsOnly: 0, degraded: [] });
  expect(embedder.asked).toEqual([
    "acme/payments · src/charge/retry · correctness\nOnly retry on timeouts: a declined card must not be charged twice.",
  ]);
  expect([...memory.rows.values()][0]?.vector).toBeInstanceOf(Float32Array);
});

test("remembered again, nothing is embedded and nothing is written", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  await remember(many(250), embedder, memory, asItIs);
  expect(memory.writes.map((ids) => ids.length)).toEqual([96, 96, 58]);
  const again = await remember(many(250), embedder, memory, asItIs);
  expect(again).toMatchObject({ added: 0, updated: 0, unchanged: 250, embedded: 0 });
  expect(embedder.asked.length).toBe(250);
  expect(memory.writes.length).toBe(3);
});

test("a new outcome is written and keeps the vector; new words are embedded", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  await remember([givenRecord()], embedder, memory, asItIs);
  const vector = [...memory.rows.values()][0]?.vector;
  const accepted = await remember([givenRecord({ outcome: "accepted" })], embedder, memory, asItIs);
  expect(accepted).toMatchObject({ updated: 1, embedded: 0, wordsOnly: 0 });
  expect([...memory.rows.values()][0]).toMatchObject({ record: { outcome: "accepted" }, vector });
  const reworded = await remember([givenRecord({ text: "Never retry." })], embedder, memory, asItIs);
  expect(reworded).toMatchObject({ updated: 1, embedded: 1 });
});

test("another embedder embeds everything again", async () => {
  const memory = fakeMemory();
  await remember(many(3), fakeEmbedder("fake-1"), memory, asItIs);
  const other = fakeEmbedder("fake-2");
  expect(await remember(many(3), other, memory, asItIs)).toMatchObject({ unchanged: 0, updated: 3, embedded: 3 });
  expect([...memory.rows.values()].map(({ space }) => space?.model)).toEqual(["fake-2", "fake-2", "fake-2"]);
});

test("what the embedder cannot do is written for words, said, and tried again the next time", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  embedder.fails = (text) => (text.endsWith("lesson 1") ? null : undefined);
  const first = await remember(many(3), embedder, memory, asItIs);
  expect(first).toMatchObject({ added: 3, embedded: 2, wordsOnly: 1 });
  expect(first.degraded).toEqual([
    { part: "embedding", reason: "1 memory has no vector and can be found by words only: the embedder gave none" },
  ]);
  expect(memory.rows.get("mem_1")?.vector).toBeNull();
  const still = await remember(many(3), embedder, memory, asItIs);
  expect(still).toMatchObject({ updated: 0, unchanged: 3, embedded: 0, wordsOnly: 1 });
  embedder.fails = null;
  const fixed = await remember(many(3), embedder, memory, asItIs);
  expect(fixed).toMatchObject({ updated: 1, unchanged: 2, embedded: 1, wordsOnly: 0, degraded: [] });
  expect(memory.rows.get("mem_1")?.vector).not.toBeNull();
});

test("a vector that nothing can be compared with counts as none", async () => {
  const bad = [new Float32Array(8), new Float32Array(4).fill(0.5), new Float32Array(8).fill(Number.NaN)];
  for (const vector of bad) {
    const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
    embedder.fails = () => vector;
    expect(await remember([givenRecord()], embedder, memory, asItIs)).toMatchObject({ added: 1, wordsOnly: 1 });
  }
});

test("secrets are hidden before anything is embedded or stored", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const redact = (text: string) => Promise.resolve(text.replaceAll("hunter2", "‹redacted:password›"));
  const record = givenRecord({
    text: "hunter2 is in the log",
    replies: ["hunter2 indeed"],
    hunk: "+ hunter2",
    flaggedCode: "login('hunter2')",
    fixedCode: "login(secret) // was hunter2",
    situation: "A hunter2 is printed.",
    lesson: "Never print hunter2.",
  });
  await remember([record], embedder, memory, { redact });
  expect(JSON.stringify([embedder.asked, memory.all()])).not.toContain("hunter2");
  expect(memory.all()[0]?.fixedCode).toBe("login(secret) // was ‹redacted:password›");
});

test("of flagged and fixed code 4,000 characters are kept", async () => {
  const memory = fakeMemory();
  const record = givenRecord({ flaggedCode: "a ".repeat(2_500), fixedCode: `${"b".repeat(3_999)}😀` });
  await remember([record], fakeEmbedder(), memory, asItIs);
  expect(memory.all()[0]?.flaggedCode).toHaveLength(4_000);
  expect(memory.all()[0]?.fixedCode?.isWellFormed()).toBe(true);
});

test("what cannot be redacted is not stored", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const redact = () => Promise.reject(new Error("detector broke"));
  await expect(remember([givenRecord()], embedder, memory, { redact })).rejects.toThrow("detector broke");
  expect(memory.rows.size + embedder.asked.length).toBe(0);
});

test("of records with one id the last one counts", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const done = await remember([givenRecord(), givenRecord({ text: "Edited." })], embedder, memory, asItIs);
  expect(done).toMatchObject({ added: 1, repeated: 1 });
  expect(memory.all().map(({ text }) => text)).toEqual(["Edited."]);
});

test("a record without words is kept without asking the embedder", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  await remember([givenRecord({ text: "" })], embedder, memory, asItIs);
  expect(await remember([givenRecord({ text: "" })], embedder, memory, asItIs)).toMatchObject({
    unchanged: 1,
    wordsOnly: 0,
  });
  expect(embedder.asked).toEqual([]);
});

function givenFinding(with_: Partial<Finding> = {}): Finding {
  return {
    id: "fnd_0a1b2c3d4e5f",
    path: "src/charge/retry.cc",
    side: "RIGHT",
    startLine: 11,
    line: 11,
    severity: "major",
    category: "reliability",
    rule: "retry-without-limit",
    title: "The retry has no limit",
    body: "A card that is declined is charged for ever.",
    source: "rule",
    confidence: 0.9,
    suggestion: null,
    precedents: [],
    ...with_,
  };
}

function givenPosted(findings: PostedReview["findings"]): PostedReview {
  const signals = { files: [{ path: "src/charge/retry.cc", language: "cpp", kind: "source" }] };
  const review = { repo: REPO, number: 12, headSha: "6dcb09b5b57875f334f61aebed695e2e4193db5e", signals };
  const hunks = [{ findingId: "fnd_0a1b2c3d4e5f", hunk: "@@ -10,4 +10,6 @@\n+    submit(card);" }];
  return {
    kind: "posted",
    // Only what remembering reads.
    review: { ...review, hunks } as unknown as PostedReview["review"],
    reviewUrl: "https://github.com/acme/payments/pull/12#pullrequestreview-1",
    summaryUrl: "https://github.com/acme/payments/pull/12#issuecomment-1",
    findings,
  };
}

test("a review's findings are remembered as posted, and older ones are not remembered twice", () => {
  const records = recordsOfFindings(
    givenPosted([
      { finding: givenFinding(), place: "inline", reason: null },
      { finding: givenFinding({ id: "fnd_1" }), place: "summary", reason: "over the limit" },
      { finding: givenFinding({ id: "fnd_2" }), place: "already-posted", reason: "said before" },
    ]),
    { at: AT, author: "kodiai[bot]" },
  );
  expect(
    records.map(({ sourceId, outcome, language, provenance }) => [sourceId, outcome, language, provenance.url]),
  ).toEqual([
    ["#12/fnd_0a1b2c3d4e5f", "posted", "cpp", "https://github.com/acme/payments/pull/12#pullrequestreview-1"],
    ["#12/fnd_1", "posted", "cpp", "https://github.com/acme/payments/pull/12#issuecomment-1"],
  ]);
  expect(records[0]).toMatchObject({
    text: "The retry has no limit\n\nA card that is declined is charged for ever.",
    severity: "major",
    category: "reliability",
    hunk: "@@ -10,4 +10,6 @@\n+    submit(card);",
    provenance: { author: "kodiai[bot]", authorIsBot: true, pull: 12, at: AT },
  });
});
