// One record into the tables of memory.db, inside a transaction that the caller holds.
import type { EmbeddedRecord, MemoryRecord } from "../../domain/memory.ts";
import { keptSource } from "../memory/embedded-fields.ts";
import { recordWords } from "../memory/record-words.ts";
import { rotateVector } from "../memory/rotate-vector.ts";
import type { Database } from "./database.ts";
import { toBits, toInt8 } from "./quantise-vector.ts";
import { RECORD_COLUMNS, RECORD_CONTENTS, readRecord } from "./read-record.ts";
import { repositoryLabeller } from "./repository-label.ts";
import type { StoredSpace } from "./stored-space.ts";

/** Writes one record at a version of its repository. The id of a record of another repository is `taken`. */
export type RecordWriter = (row: EmbeddedRecord, space: StoredSpace, version: number) => "added" | "updated" | "taken";

/** Statements are compiled once for the life of the connection. */
export function recordWriter(db: Database.Database): RecordWriter {
  const find = db.prepare("SELECT id, repo FROM records WHERE mem = ?");
  const insert = db.prepare(
    "INSERT INTO records (repo, mem, stale, at, corpus, language, changed) VALUES (?,?,0,0,'','',0)",
  );
  const read = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN ${RECORD_CONTENTS} WHERE r.id = ?`,
    )
    .raw();
  const label = repositoryLabeller(db);
  const fill = fillStatements(db);
  const vectors = vectorWriter(db);
  const hash = db.prepare("INSERT OR REPLACE INTO hashes (id, record, embedded) VALUES (?, ?, ?)");
  const describe = descriptionWriter(db);
  const unhash = db.prepare("DELETE FROM hashes WHERE id = ?");
  return ({ record, vector, hashes }, space, version) => {
    const repo = label(record, version);
    const found = find.get(record.id) as { id: number; repo: number } | undefined;
    if (found !== undefined && found.repo !== repo) return "taken";
    const keepsVector = found !== undefined && vector === null && keptSource(readRecord(read.get(found.id)), record);
    const id = found?.id ?? Number(insert.run(repo, record.id).lastInsertRowid);
    fill(id, record, version);
    if (hashes === undefined) unhash.run(id);
    else hash.run(id, hashes.record, hashes.embedded);
    describe(id, record.described);
    if (!keepsVector) vectors.remove(id);
    if (vector !== null) vectors.add(id, repo, vector, space);
    return found === undefined ? "added" : "updated";
  };
}

function fillStatements(db: Database.Database): (id: number, record: MemoryRecord, version: number) => void {
  const facts = db.prepare(`
    UPDATE records SET stale = ?, pull = ?, at = ?, corpus = ?, language = ?, chunk_type = ?, category = ?, severity = ?,
      outcome = ?, path = ?, changed = ? WHERE id = ?`);
  // What code became is learnt later than what was said, and not known to whoever writes that again.
  const contents = db.prepare(`INSERT OR REPLACE INTO contents
    (id, source_id, repo_name, text, replies, situation, lesson, tags, symbol, hunk, url, author, author_is_bot, sha,
     flagged_code, fixed_code)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,
      coalesce(?, (SELECT flagged_code FROM contents WHERE id = ?)),
      coalesce(?, (SELECT fixed_code FROM contents WHERE id = ?)))`);
  // An update that changes no word leaves the index alone: most updates only learn an outcome.
  const words = db.prepare(`
    INSERT INTO words (id, text, path, symbol, hunk) VALUES (@id, @text, @path, @symbol, @hunk)
    ON CONFLICT (id) DO UPDATE SET text = @text, path = @path, symbol = @symbol, hunk = @hunk
    WHERE (text, path, symbol, hunk) IS NOT (@text, @path, @symbol, @hunk)`);
  // What was learnt here outlives a record that is written again; an import brings its own where nothing was learnt.
  const decided = db.prepare(
    "INSERT INTO decided (id, outcome, at, by, reason, sha, weight) VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
  );
  const keep = db.prepare(
    "UPDATE records SET outcome = d.outcome FROM decided d WHERE d.id = records.id AND records.id = ?",
  );
  return (id, r, version) => {
    const from = r.provenance;
    facts.run(
      ...[r.stale ? 1 : 0, from.pull, from.at, r.corpus, r.language, r.chunkType, r.category, r.severity],
      ...[r.outcome, r.path, version, id],
    );
    contents.run(
      ...[id, r.sourceId, r.repoName, r.text, JSON.stringify(r.replies), r.situation, r.lesson],
      ...[JSON.stringify(r.tags), r.symbol, r.hunk, from.url, from.author, from.authorIsBot ? 1 : 0, from.sha],
      ...[r.flaggedCode ?? null, id, r.fixedCode ?? null, id],
    );
    words.run({ id, ...recordWords(r) });
    const { decided: d = null } = r;
    if (d !== null && r.outcome !== null) decided.run(id, r.outcome, d.at, d.by, d.reason, d.sha, d.weight);
    keep.run(id);
  };
}

function descriptionWriter(db: Database.Database): (id: number, described: MemoryRecord["described"]) => void {
  const add = db.prepare(
    "INSERT OR REPLACE INTO descriptions (id, by, source, confidence, problems) VALUES (?, ?, ?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM descriptions WHERE id = ?");
  return (id, described) => {
    if (described === undefined) remove.run(id);
    else add.run(id, described.by, described.source, described.confidence, JSON.stringify(described.problems));
  };
}

function vectorWriter(db: Database.Database) {
  const addBits = db.prepare("INSERT OR REPLACE INTO vec_bit (repo, space, id, b) VALUES (?, ?, ?, ?)");
  const addBytes = db.prepare("INSERT OR REPLACE INTO vec_i8 (id, space, v) VALUES (?, ?, ?)");
  const removal = vectorRemoval(db);
  return {
    remove: removal,
    add(id: number, repo: number, vector: Float32Array, space: StoredSpace): void {
      const rotated = rotateVector(vector);
      addBits.run(repo, space.id, id, toBits(rotated, space.mean));
      addBytes.run(id, space.id, toInt8(rotated));
    },
  };
}

/** Removes the vector of a record, whatever space it is of. */
export function vectorRemoval(db: Database.Database): (id: number) => void {
  const bits = db.prepare(`DELETE FROM vec_bit WHERE id = @id
    AND repo = (SELECT repo FROM records WHERE id = @id) AND space = (SELECT space FROM vec_i8 WHERE id = @id)`);
  const bytes = db.prepare("DELETE FROM vec_i8 WHERE id = ?");
  return (id) => {
    bits.run({ id });
    bytes.run(id);
  };
}
