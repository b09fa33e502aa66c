// What the retrieval benchmark keeps between two runs is what it would make again, and its truth is
// the truth.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtEngines } from "../../bench/built-engines.ts";
import type { Stored } from "../../bench/engines/engine.ts";
import { exactTruths, NEAREST } from "../../bench/exact-truth.ts";
import { type Asked, type Corpus, DIMENSION } from "../../bench/retrieval-corpus.ts";
import { storedRows } from "../../bench/stored-rows.ts";
import { randomFrom, syntheticVectors } from "../../bench/synthetic-memory.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import { memoryRecord } from "../adapters/contracts/memory.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-kept-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the truth of a question is the nearest rows of all blocks, and those of its language alone", () => {
  const [rows, dimension] = [5_000, 16];
  const all = syntheticVectors(rows + 2, dimension, randomFrom(7));
  const languages = Array.from({ length: rows }, (_, row) => (row % 3 === 0 ? "go" : "rust"));
  const vectors = (first: number, count: number) => all.slice(first * dimension, (first + count) * dimension);
  const stored: Stored = { rows, dimension, languages, vectors, texts: () => [] };
  const questions = [rows, rows + 1].map((row) => ({ vector: vectors(row, 1), language: "go" }));

  const truths = exactTruths(stored, questions);

  for (const [at, { vector, language }] of questions.entries()) {
    const cosine = (row: number) => vectors(row, 1).reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0);
    const ranked = Array.from({ length: rows }, (_, row) => ({ row, near: cosine(row) }))
      .sort((one, other) => other.near - one.near)
      .map(({ row }) => row);
    expect(truths[at]?.nearest).toEqual(ranked.slice(0, NEAREST));
    expect(truths[at]?.ofLanguage).toEqual(ranked.filter((row) => languages[row] === language).slice(0, NEAREST));
  }
});

test("a filled folder is taken again with the same rows and the same truth, and refused for other rows", async () => {
  const first = await storedRows(folder, corpusOf("seek"), ASKED);
  const written = statSync(join(folder, "vectors.f32")).mtimeMs;

  const again = await storedRows(folder, corpusOf("seek"), ASKED);

  expect(statSync(join(folder, "vectors.f32")).mtimeMs).toBe(written);
  expect(again.fingerprint).toBe(first.fingerprint);
  expect(again.truths).toEqual(first.truths);
  expect(again.truths[0]?.nearest).toHaveLength(NEAREST);
  // The searched repository is the second one: its rows come after thirty others.
  const batch = corpusOf("seek").batches().toArray()[1];
  expect(again.stored.rows).toBe(30);
  expect(again.stored.vectors(29, 1)).toEqual(batch?.rows[29]?.vector);
  expect(again.stored.texts(7, 2)).toEqual(
    batch?.rows.slice(7, 9).map(({ record }) => `${record.text}\n${record.path}\n`),
  );
  await expect(storedRows(folder, corpusOf("shuffle"), ASKED)).rejects.toThrow("filled with other rows");
});

test("what a way built for these rows answers the same when it is taken again, and is built again for others", async () => {
  const { stored, fingerprint } = await storedRows(folder, corpusOf("seek"), ASKED);
  const place = { folder: join(folder, "engines"), fingerprint, words: ["vec0", "FTS5"], stays: true };
  const answers = async (of: typeof place) => {
    const engines = await builtEngines(stored, of);
    const reported: { name: string; seconds: number; nearest: unknown; matching: readonly number[] }[] = [];
    for (const { name, engine, cost } of engines) {
      const nearest = await engine.nearest?.(vectorOf(ROWS), 5, "go");
      reported.push({ name, seconds: cost.seconds, nearest, matching: (await engine.matching?.("seek 44", 5)) ?? [] });
    }
    for (const { engine } of engines) await engine.close();
    return reported;
  };

  const first = await answers(place);
  expect(first.map(({ name, nearest, matching }) => [name, nearest === undefined, matching[0]])).toEqual([
    ["vec0 float32", false, undefined],
    ["vec0 int8", false, undefined],
    ["FTS5", true, 14],
    ["FTS5, 60 rarest words", true, 14],
  ]);
  // Seconds are those of the building: nobody measures the same twice.
  expect(await answers(place)).toEqual(first);
  const rebuilt = await answers({ ...place, fingerprint: "other" });
  expect(rebuilt.map(({ seconds }) => seconds)).not.toEqual(first.map(({ seconds }) => seconds));
});

const ROWS = 60;
const VECTORS = syntheticVectors(ROWS + 2, DIMENSION, randomFrom(11));

function vectorOf(row: number): Float32Array {
  return VECTORS.slice(row * DIMENSION, (row + 1) * DIMENSION);
}

/** Of a question the folder needs only what is asked for the nearest. */
const ASKED = [ROWS, ROWS + 1].map(
  (row) => ({ vectors: Array.from({ length: 16 }, () => vectorOf(row)) }) as unknown as Asked,
);

/**
 * Sixty rows in two repositories, of which the second is searched, as the generator makes a
 * million.
 */
function corpusOf(word: string): Corpus {
  const rowOf = (at: number) => ({ vector: vectorOf(at), record: recordOf(at, word) });
  function* batches() {
    for (const repository of [0, 1]) {
      const first = repository * 30;
      yield { repository, first, rows: Array.from({ length: 30 }, (_, of) => rowOf(first + of)) };
    }
  }
  return { rows: ROWS, repositories: 2, rowsEach: 30, target: 1, batches };
}

function recordOf(at: number, word: string): MemoryRecord {
  return memoryRecord({
    id: `mem_${at}`,
    repo: `github.com/${at < 30 ? 1 : 2}`,
    sourceId: String(at),
    text: `${word} past the end of clip ${at}`,
    path: `src/clip${at}.go`,
    language: at % 2 === 0 ? "go" : "rust",
    hunk: null,
  });
}
