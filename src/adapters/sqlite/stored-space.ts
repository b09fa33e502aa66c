// An embedding space as memory.db knows it, and the mean of its vectors, which its sign bits are taken around.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { rotatedSize } from "../memory/rotate-vector.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { toBits } from "./quantise-vector.ts";

export interface StoredSpace {
  readonly id: number;
  /** Vectors that were ever added. */
  readonly seen: number;
  /** From how many vectors the mean was taken; with `id` it names a generation of bits. */
  readonly trained: number;
  /** Of the rotated vectors; null before there are enough of them, and when it cannot be read. */
  readonly mean: Float32Array | null;
  /** The mean in the file is not one: bits are compared without it, which finds a little less. */
  readonly damaged: boolean;
}

/**
 * The mean is taken when so many vectors have been added, and then never again. Centring lifts the share of the true 20
 * nearest among 1000 candidates from .987 to .998 (10,000 synthetic records), and any fixed mean is
 * right, only more or less useful; so it stops where rewriting all bits still takes under a tenth of a second.
 */
const TRAINED_AT = [256, 4096];

/** The space, or null when nothing was ever stored in it. */
export function storedSpace(db: Database.Database, space: EmbeddingSpace): StoredSpace | null {
  const row = prepared(db, "SELECT id, seen, trained, mean FROM spaces WHERE model = ? AND dimension = ?").get(
    space.model,
    space.dimension,
  ) as (Omit<StoredSpace, "mean" | "damaged"> & { readonly mean: Buffer | null }) | undefined;
  if (row === undefined) return null;
  const mean = row.mean === null ? null : readMean(row.mean, rotatedSize(space.dimension));
  return { ...row, mean, damaged: row.mean !== null && mean === null };
}

/** The mean, or null when the bytes hold something else. */
function readMean(bytes: Buffer, size: number): Float32Array | null {
  if (bytes.length !== size * Float32Array.BYTES_PER_ELEMENT) return null;
  const mean = new Float32Array(new Uint8Array(bytes).buffer);
  return mean.every(Number.isFinite) ? mean : null;
}

/** The space, made when it is new. Inside a write transaction. */
export function writableSpace(db: Database.Database, space: EmbeddingSpace): StoredSpace {
  const add = prepared(db, "INSERT INTO spaces (model, dimension) VALUES (?, ?) ON CONFLICT DO NOTHING");
  add.run(space.model, space.dimension);
  return storedSpace(db, space) ?? { id: 0, seen: 0, trained: 0, mean: null, damaged: false };
}

/** Counts vectors that were just added and, at the set numbers, takes the mean and rewrites the bits around it. */
export function trainSpace(db: Database.Database, space: StoredSpace, added: number): void {
  if (added === 0) return;
  const seen = space.seen + added;
  prepared(db, "UPDATE spaces SET seen = ? WHERE id = ?").run(seen, space.id);
  const due = TRAINED_AT.findLast((count) => count <= seen);
  if (due === undefined || due <= space.trained) return;
  const rows = prepared(db, "SELECT v.id, r.repo, v.v FROM vec_i8 v JOIN records r ON r.id = v.id WHERE v.space = ?");
  const vectors = (rows.all(space.id) as { id: number; repo: number; v: Buffer }[]).map((row) => ({
    ...row,
    vector: unitLength(row.v),
  }));
  const mean = meanOf(vectors.map((row) => row.vector));
  if (mean === null) return;
  prepared(db, "UPDATE spaces SET trained = ?, mean = ? WHERE id = ?").run(due, new Uint8Array(mean.buffer), space.id);
  const rewrite = prepared(db, "UPDATE vec_bit SET b = ? WHERE repo = ? AND space = ? AND id = ?");
  for (const { id, repo, vector } of vectors) rewrite.run(toBits(vector, mean), repo, space.id, id);
}

function unitLength(bytes: Buffer): Float32Array {
  const values = Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares);
  return values.map((value) => value / length);
}

function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const size = rotatedSize(vectors[0]?.length ?? 0);
  if (vectors.length === 0) return null;
  const sum = new Float64Array(size);
  for (const vector of vectors) {
    for (let at = 0; at < size; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  }
  return Float32Array.from(sum, (value) => value / vectors.length);
}
