import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { lowInformation } from "../../src/domain/text/low-information.ts";
import { importMemory } from "../../src/flows/memory/memory-file.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { givenRecord } from "../learn/memory-builders.ts";

const redactor = secretRedactor();
const remembering = { redact: async (text: string) => (await redactor.redact(text)).text };

const row = (id: string, text: string, filePath = "lib/response.js") =>
  JSON.stringify({ id, repo: "expressjs/express", pr: 996, filePath, text, createdAt: "2012-02-07T06:53:40+00:00" });

test("rows of both shapes are remembered, and a wrong line does not stop the rest", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const lines = [
    row("ar:1", "Cache this getter."),
    "",
    "{broken",
    exportLine(givenRecord()),
    '{"id": 1}',
    row("ar:2", "Same here."),
  ];
  const done = await importMemory(lines, { remembering, lowInformation: () => null }, { memory, embedder });
  expect(done).toMatchObject({ lines: 5, wrongLines: 2, remembered: { added: 3, embedded: 3 } });
  expect(done.problems.map(({ line }) => line)).toEqual([3, 5]);
  expect(done.problems[0]?.reason).toBe("not JSON");
  expect(memory.all().map(({ language }) => language)).toEqual(["javascript", "cpp", "javascript"]);
});

test("importing the same lines again changes nothing", async () => {
  const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
  const lines = Array.from({ length: 900 }, (_, n) => row(`ar:${n}`, `Comment ${n} about the cache.`));
  await importMemory(lines, { remembering, lowInformation: () => null }, { memory, embedder });
  const writes = memory.writes.length;
  const again = await importMemory(lines, { remembering, lowInformation: () => null }, { memory, embedder });
  expect(again).toMatchObject({ remembered: { added: 0, updated: 0, unchanged: 900, embedded: 0 } });
  expect([memory.writes.length, memory.rows.size]).toEqual([writes, 900]);
});

test("comments of low information are left out on request, with their lines", async () => {
  const lines = [row("ar:1", "thanks!"), row("ar:2", "This getter calls getenv() each time.")];
  const done = await importMemory(
    lines,
    { remembering, lowInformation },
    { memory: fakeMemory(), embedder: fakeEmbedder() },
  );
  expect(done.notRemembered).toMatchObject([{ line: 1 }]);
  expect(done.remembered.added).toBe(1);
});

test("an endless line is refused without being parsed", async () => {
  const done = await importMemory(
    [`"${"x".repeat(2_000_000)}"`],
    { remembering, lowInformation: () => null },
    { memory: fakeMemory(), embedder: fakeEmbedder() },
  );
  expect(done.problems).toEqual([{ line: 1, reason: "longer than 1048576 characters" }]);
});

const corpus = resolve(process.cwd(), "../shared/eval/retrieval/corpus.jsonl");
test.skipIf(!existsSync(corpus))(
  `the first 500 rows of the evaluation's corpus are remembered${existsSync(corpus) ? "" : " (skipped: ../shared/eval is absent)"}`,
  async () => {
    const [memory, embedder] = [fakeMemory(), fakeEmbedder()];
    const lines: string[] = [];
    for await (const line of createInterface({ input: createReadStream(corpus) })) {
      lines.push(line);
      if (lines.length === 500) break;
    }
    const done = await importMemory(lines, { remembering, lowInformation: () => null }, { memory, embedder });
    expect(done).toMatchObject({ lines: 500, wrongLines: 0, remembered: { added: 500, repeated: 0, wordsOnly: 0 } });
    const ids = new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id));
    expect(new Set(memory.all().map(({ sourceId }) => sourceId))).toEqual(ids);
    expect(await importMemory(lines, { remembering, lowInformation: () => null }, { memory, embedder })).toMatchObject({
      remembered: { unchanged: 500, embedded: 0 },
    });
  },
);
