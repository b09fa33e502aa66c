// Memory as a Map, and an embedder that can be told to fail: the world of the learn room and its
// flows.

import { createHash } from "node:crypto";
import { UNMEASURED } from "../../src/adapters/embed-texts.ts";
import type {
  EmbeddedRecord,
  EmbeddingSpace,
  KnownSource,
  MemoryRecord,
  WrittenFields,
} from "../../src/domain/memory.ts";
import type { Embedder, Memory } from "../../src/ports/memory.ts";

export interface FakeMemory extends Memory {
  readonly rows: Map<string, EmbeddedRecord & { readonly space: EmbeddingSpace | null }>;
  /** The ids of each call of `remember`. */
  readonly writes: string[][];
  readonly all: () => MemoryRecord[];
}

export function fakeMemory(): FakeMemory {
  const rows: FakeMemory["rows"] = new Map();
  const writes: string[][] = [];
  return {
    rows,
    writes,
    all: () => [...rows.values()].map(({ record }) => record),
    remember(given, space) {
      writes.push(given.map(({ record }) => record.id));
      let [added, updated] = [0, 0];
      for (const row of given) {
        const before = rows.get(row.record.id);
        if (before === undefined) added += 1;
        else updated += 1;
        const keeps = row.vector === null && before?.hashes?.embedded === row.hashes?.embedded;
        const vector = keeps ? (before?.vector ?? null) : row.vector;
        rows.set(row.record.id, { ...row, vector, space: keeps ? (before?.space ?? null) : space });
      }
      return Promise.resolve({ added, updated, refused: [] });
    },
    known(repo, corpus, space, sourceIds) {
      const found = new Map<string, KnownSource>();
      for (const { record, hashes, vector, space: of } of rows.values()) {
        if (record.repo !== repo || record.corpus !== corpus) continue;
        if (sourceIds !== null && !sourceIds.includes(record.sourceId)) continue;
        const same = of?.model === space.model && of.dimension === space.dimension;
        found.set(record.sourceId, {
          id: record.id,
          path: record.path,
          sha: record.provenance.sha,
          hashes:
            hashes === undefined
              ? null
              : { record: hashes.record, embedded: vector !== null && same ? hashes.embedded : null },
        });
      }
      return Promise.resolve(found);
    },
    fields(repo, ids) {
      const found = new Map<string, WrittenFields>();
      for (const id of ids) {
        const record = rows.get(id)?.record;
        if (record?.repo !== repo || record.described === null) continue;
        const { situation, lesson, tags, described } = record;
        found.set(id, { situation, lesson, tags, described });
      }
      return Promise.resolve(found);
    },
    fieldCounts(repo) {
      const without = new Map<string, number>();
      const own = [...rows.values()].map(({ record }) => record).filter((record) => record.repo === repo);
      const said = own.filter(({ corpus }) => corpus === "finding" || corpus === "review_comment");
      for (const { lesson, described } of said) {
        if (lesson === null)
          for (const name of described?.problems ?? []) without.set(name, (without.get(name) ?? 0) + 1);
      }
      const described = said.filter(({ lesson }) => lesson !== null).length;
      const waiting = said.filter((record) => record.lesson === null && record.described === null).length;
      return Promise.resolve({ described, without, waiting });
    },
    forget(repo, ids) {
      const removed = ids.filter((id) => rows.get(id)?.record.repo === repo && rows.delete(id));
      return Promise.resolve(removed.length);
    },
    forgetRepository(repo) {
      const ids = [...rows.values()].filter(({ record }) => record.repo === repo).map(({ record }) => record.id);
      for (const id of ids) rows.delete(id);
      return Promise.resolve(ids.length);
    },
  };
}

export interface FakeEmbedder extends Embedder {
  /** Every text it was asked for. */
  readonly asked: string[];
  /** What it answers instead of a vector; undefined answers a vector. */
  fails: ((text: string) => Float32Array | null | undefined) | null;
}

export function fakeEmbedder(model = "fake-1"): FakeEmbedder {
  const dimension = 8;
  const asked: string[] = [];
  const embedder: FakeEmbedder = {
    asked,
    fails: null,
    space: { model, dimension },
    threshold: 0.3,
    ...UNMEASURED,
    weight: 1,
    embed(texts) {
      asked.push(...texts);
      const vectors = texts.map((text) => {
        const failed = embedder.fails?.(text);
        return failed === undefined ? vectorOf(text, dimension) : failed;
      });
      return Promise.resolve({ vectors, tokens: texts.length, usd: 0, cached: 0, failed: null });
    },
  };
  return embedder;
}

function vectorOf(text: string, dimension: number): Float32Array {
  const bytes = createHash("sha256").update(text).digest().subarray(0, dimension);
  const vector = Float32Array.from(bytes, (byte) => byte + 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
