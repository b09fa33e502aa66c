// The cache of query vectors where its database fails. What it promises else is in
// contracts/kept-vectors.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UNMEASURED } from "../../../src/adapters/embed-texts.ts";
import type { EmbeddingSpace } from "../../../src/domain/memory.ts";
import type { Embedder } from "../../../src/ports/memory.ts";
import { cachedEmbedder } from "../../../src/store/memory/embedding-cache.ts";
import { openMemoryFile } from "../../../src/store/memory/memory-file.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";

let folder: string;
let db: SqliteDatabase;
const now = 1_000_000_000;
let asked: (readonly string[])[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-cache-"));
  db = await openMemoryFile(join(folder, "memory.db"));
  asked = [];
});
afterEach(async () => {
  if (db.connection.open) await db.close();
  rmSync(folder, { recursive: true });
});

/** A vendor that is paid by the text and knows no text that starts with "bad". */
function vendor(space: EmbeddingSpace = { model: "voyage-code-3", dimension: 4 }): Embedder {
  return {
    space,
    threshold: 0.3,
    ...UNMEASURED,
    weight: 1,
    async embed(texts) {
      asked.push(texts);
      const vectors = texts.map((text) => (text.startsWith("bad") ? null : Float32Array.of(text.length, 1, 0, 0)));
      return { vectors, tokens: texts.length * 10, usd: texts.length, cached: 0, failed: null };
    },
  };
}

const cached = (inner = vendor()) => cachedEmbedder(inner, db, () => now);

test("a row that was damaged is a miss", async () => {
  await cached().embed(["q"], "query");
  await db.script("UPDATE embeddings SET vector = zeroblob(16)");
  expect((await cached().embed(["q"], "query")).cached).toBe(0);
  await db.script("UPDATE embeddings SET vector = x'0011'");
  expect((await cached().embed(["q"], "query")).cached).toBe(0);
});

test("an unreachable database is a miss, never an error [003-03]", async () => {
  const embedder = cached();
  await db.close();
  const reported = await embedder.embed(["q"], "query");
  expect(reported.vectors[0]?.[0]).toBe(1);
});

test("a full disk is a miss, never an error", async () => {
  db.connection.pragma("max_page_count = 1");
  const texts = Array.from({ length: 400 }, (_, n) => `query ${n}`);
  expect((await cached().embed(texts, "query")).vectors.every((vector) => vector !== null)).toBe(true);
  expect(await cached().embed(["query 1"], "query")).toMatchObject({ cached: 0, vectors: [expect.anything()] });
});
