// The folder of the retrieval benchmark: memory.db, and beside it the searched repository's rows
// for the other ways and the true answers. What a folder was filled with once is taken again, if
// the rows would be made the same today.
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import type { Stored } from "./engines/engine.ts";
import { exactTruths, type Truth } from "./exact-truth.ts";
import { machineNow } from "./machine.ts";
import { type Asked, type Batch, type Corpus, DIMENSION, SPACE } from "./retrieval-corpus.ts";

export interface Filled {
  readonly stored: Stored;
  /** Of each question, in order. */
  readonly truths: readonly Truth[];
  /** Of the rows: another when the generator makes others. */
  readonly fingerprint: string;
  readonly figures: Readonly<Record<string, number>>;
}

interface Facts {
  readonly fingerprint: string;
  readonly languages: readonly string[];
  /** Where each text begins, in bytes, and where the last ends. */
  readonly starts: readonly number[];
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * Up to so many memories are written as the server writes them: synced, and what was deleted
 * overwritten.
 */
const MOST_SYNCED = 100_000;

/**
 * Takes what lies in the folder, or fills it.
 *
 * @param asked all questions of the corpus: the truth is kept of all
 * @throws Error when the folder holds other rows than these
 */
export async function storedRows(folder: string, corpus: Corpus, asked: readonly Asked[]): Promise<Filled> {
  const at = pathsIn(folder);
  if (existsSync(at.facts)) {
    const facts = JSON.parse(readFileSync(at.facts, "utf8")) as Facts;
    if (facts.fingerprint !== fingerprintNow(corpus))
      throw new Error(`${folder} was filled with other rows: remove it`);
    const stored = storedIn(folder, facts);
    return { stored, truths: truthsIn(folder, stored, asked), fingerprint: facts.fingerprint, figures: facts.figures };
  }
  mkdirSync(folder, { recursive: true });
  const facts = await filled(folder, corpus);
  writeFileSync(at.facts, JSON.stringify(facts));
  const stored = storedIn(folder, facts);
  return { stored, truths: truthsIn(folder, stored, asked), fingerprint: facts.fingerprint, figures: facts.figures };
}

/** What the question of that number is asked in besides. */
export function languageOf({ languages, rows }: Stored, question: number): string {
  return languages[question % rows] ?? "";
}

function pathsIn(folder: string) {
  return {
    memory: join(folder, "memory.db"),
    facts: join(folder, "stored.json"),
    vectors: join(folder, "vectors.f32"),
    texts: join(folder, "texts"),
    truths: join(folder, "truths.json"),
  };
}

async function filled(folder: string, corpus: Corpus): Promise<Facts> {
  const at = pathsIn(folder);
  const memory = await writer(at.memory, corpus);
  const [vectors, texts] = [openSync(at.vectors, "w"), openSync(at.texts, "w")];
  const languages: string[] = [];
  const starts = [0];
  let fingerprint = "";
  for (const batch of corpus.batches()) {
    if (fingerprint === "") fingerprint = fingerprintOf(corpus, batch);
    await memory.write(batch);
    // What lies behind the searched repository is of no account where it is filled already.
    if (memory.isFilled && batch.repository > corpus.target) break;
    if (batch.repository !== corpus.target) continue;
    for (const { record, vector } of batch.rows) {
      writeSync(vectors, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
      const text = Buffer.from([record.text, record.path, record.hunk].join("\n"));
      writeSync(texts, text);
      starts.push((starts.at(-1) ?? 0) + text.length);
      languages.push(record.language);
    }
  }
  closeSync(vectors);
  closeSync(texts);
  return { fingerprint, languages, starts, figures: await memory.close() };
}

/** Writes to memory.db; to one that is there and has all rows, nothing. */
async function writer(path: string, corpus: Corpus) {
  const db = await openMemoryFile(path);
  const known = (await db.one<{ n: number }>("SELECT count(*) AS n FROM records"))?.n ?? 0;
  if (known !== 0 && known !== corpus.rows) throw new Error(`${path} holds ${known} memories: remove it`);
  const isSynced = corpus.rows <= MOST_SYNCED;
  if (!isSynced) {
    // What is measured is reading; nothing here must survive a loss of power.
    await db.script("PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF; PRAGMA cache_size = -400000");
  }
  const memory = storedMemory(db, () => Promise.resolve());
  let ms = 0;
  return {
    isFilled: known > 0,
    async write({ rows }: Batch): Promise<void> {
      if (known > 0) return;
      const start = performance.now();
      await memory.remember(rows, SPACE);
      ms += performance.now() - start;
    },
    async close(): Promise<Readonly<Record<string, number>>> {
      await db.script("PRAGMA wal_checkpoint(TRUNCATE)");
      await db.close();
      if (known > 0) return {};
      const { load } = machineNow();
      return {
        [`memories remembered a second (${isSynced ? "" : "not "}synced)`]: (corpus.rows / ms) * 1000,
        "load while they were remembered": load,
      };
    },
  };
}

function storedIn(folder: string, { languages, starts }: Facts): Stored {
  const at = pathsIn(folder);
  // Opened when they are asked for: where all is built neither is needed any more.
  const opened = new Map<string, number>();
  const file = (path: string) => {
    const known = opened.get(path) ?? openSync(path, "r");
    opened.set(path, known);
    return known;
  };
  return {
    rows: languages.length,
    dimension: DIMENSION,
    languages,
    vectors(first, count) {
      const out = new Float32Array(count * DIMENSION);
      readAll(file(at.vectors), new Uint8Array(out.buffer), first * DIMENSION * 4);
      return out;
    },
    texts(first, count) {
      const [from = 0, to = 0] = [starts[first], starts[first + count]];
      const bytes = Buffer.alloc(to - from);
      readAll(file(at.texts), bytes, from);
      return Array.from({ length: count }, (_, row) =>
        bytes.toString("utf8", (starts[first + row] ?? 0) - from, (starts[first + row + 1] ?? 0) - from),
      );
    },
  };
}

function readAll(file: number, out: Uint8Array, from: number): void {
  for (let done = 0; done < out.length; ) {
    const read = readSync(file, out, done, Math.min(2 ** 30, out.length - done), from + done);
    if (read === 0) throw new Error("the folder's rows end too early: remove it");
    done += read;
  }
}

function truthsIn(folder: string, stored: Stored, asked: readonly Asked[]): readonly Truth[] {
  const { truths } = pathsIn(folder);
  if (existsSync(truths)) return JSON.parse(readFileSync(truths, "utf8")) as Truth[];
  const questions = asked.map((one, number) => ({ vector: askedVector(one), language: languageOf(stored, number) }));
  const exact = exactTruths(stored, questions);
  writeFileSync(truths, JSON.stringify(exact));
  return exact;
}

/** What every way is asked for the nearest of. */
export function askedVector({ vectors }: Asked): Float32Array {
  return vectors[15] ?? new Float32Array(DIMENSION);
}

/**
 * The generator starts again with the first batch only while no other was made: for a run that
 * fills nothing.
 */
function fingerprintNow(corpus: Corpus): string {
  const first = corpus.batches().next().value;
  return first === undefined ? "" : fingerprintOf(corpus, first);
}

function fingerprintOf({ rows, repositories }: Corpus, { rows: made }: Batch): string {
  const hash = createHash("sha256").update(JSON.stringify([rows, repositories]));
  for (const { record, vector } of made) {
    hash.update(JSON.stringify(record));
    hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  }
  return hash.digest("hex").slice(0, 32);
}
