// The only stage that writes memory. Unchanged rows are neither embedded nor written again; rows
// that the embedder fails on are written without a vector, found by keywords, and reported in
// `degraded`.

import type { Finding } from "../domain/finding.ts";
import { addUp, NOTHING_REMEMBERED, type Remembered } from "../domain/memory/write-report.ts";
import type { KnownSource, MemoryRecord, WrittenFields } from "../domain/memory.ts";
import type { Embedder, Memory } from "../ports/memory.ts";
import { pathLanguages } from "./documents/doc-languages.ts";
import { docSections } from "./documents/doc-sections.ts";
import { fromSections, type SourceFile } from "./documents/from-file.ts";
import { describeTokens, rejectedByRule, waitsForFields } from "./remember/describe-memory.ts";
import { digest, recordHashes, sourceHash } from "./remember/embedding-text.ts";
import { type CommentRules, fromComment, type NotRemembered } from "./remember/from-comment.ts";
import { fromFinding } from "./remember/from-finding.ts";
import { parseRow } from "./remember/parse-row.ts";
import { type Redact, redactRecord } from "./remember/redact-record.ts";

export { isDocPath, isWikiPage } from "./documents/from-file.ts";
export {
  attested,
  codeStatus,
  collectEvidence,
} from "./feedback/collect-evidence.ts";
export { fixOfComment, fixOfFinding } from "./feedback/fix-pair.ts";
export { heldEvidence, weighPull } from "./feedback/weigh-evidence.ts";
export { describeMemory } from "./remember/describe-memory.ts";
export {
  fromNote,
  fromRequest,
  fromThread,
  memoriesOfThread,
} from "./remember/from-comment.ts";
export { findingHunks, recordsOfFindings } from "./remember/from-finding.ts";
export { exportLine } from "./remember/parse-row.ts";
export { trainingPairs } from "./remember/training-pairs.ts";

export interface Remembering {
  readonly redact: Redact;
  /** What of a record is embedded, which an evaluation may change; absent: all of it. */
  readonly seenAs?: (record: MemoryRecord) => MemoryRecord;
}

/** Rows that are embedded and written together: few enough for any provider's request. */
const BATCH = 96;

/**
 * Remembers records: redacts, embeds and writes the new and changed ones. Doing it twice changes
 * nothing more.
 *
 * @throws Transient when memory cannot be read or written now; what was written until then stays,
 * and the same call again completes it. Also throws what the redactor throws: nothing unredacted is
 * embedded or stored
 */
export async function remember(
  records: readonly MemoryRecord[],
  embedder: Embedder,
  memory: Memory,
  { redact, seenAs = (record) => record }: Remembering,
): Promise<Remembered> {
  const last = [...new Map(records.map((record) => [record.id, record])).values()];
  let sum: Remembered = { ...NOTHING_REMEMBERED, repeated: records.length - last.length };
  for (let at = 0; at < last.length; at += BATCH) {
    const batch = await Promise.all(last.slice(at, at + BATCH).map((record) => redactRecord(record, redact)));
    const rows = (await withKnownFields(batch, memory)).map((record) => asRow(record, digest(seenAs(record))));
    sum = addUp(sum, await rememberBatch(rows, embedder, memory));
  }
  return sum;
}

type Row = ReturnType<typeof asRow>;

function asRow(record: MemoryRecord, embedded: string) {
  return { record, embedded, hashes: recordHashes(record, embedded) };
}

async function rememberBatch(rows: readonly Row[], embedder: Embedder, memory: Memory): Promise<Remembered> {
  const known = await knownOf(rows, memory, embedder);
  const hashesOf = ({ record }: Row) => known.get(record.id)?.hashes ?? null;
  const needsVector = (row: Row) => row.embedded !== "" && hashesOf(row)?.embedded !== row.hashes.embedded;
  const isSame = (row: Row) => hashesOf(row)?.record === row.hashes.record;

  const toEmbed = rows.filter(needsVector);
  const { vectors, failed, ...cost } = await embed(toEmbed, embedder);
  const withoutVector = rows.filter((row) => needsVector(row) && !vectors.has(row.record.id));
  // Writing a known row again without a vector gains nothing.
  const toWrite = rows.filter((row) => !isSame(row) || vectors.has(row.record.id));
  const embedded = toWrite.map(({ record, hashes }) => ({ record, hashes, vector: vectors.get(record.id) ?? null }));
  // The space is read after embedding, which may have determined the dimension.
  const written = embedded.length === 0 ? {} : await memory.remember(embedded, embedder.space);
  return {
    ...NOTHING_REMEMBERED,
    ...written,
    unchanged: rows.length - toWrite.length,
    embedded: vectors.size,
    wordsOnly: withoutVector.length,
    // The count of texts is another one here.
    wordsReason:
      withoutVector.length === 0 ? null : (failed?.replace(/ \(\d+ of \d+ texts? without a vector\)$/, "") ?? null),
    ...cost,
  };
}

/** An unchanged source keeps the fields that a model wrote: imports and reviews have none. */
async function withKnownFields(records: readonly MemoryRecord[], memory: Memory): Promise<readonly MemoryRecord[]> {
  const bare = records.filter((record) => record.described === null && waitsForFields(record));
  const known = new Map<string, WrittenFields>();
  for (const [repo, group] of Map.groupBy(bare, (record) => record.repo)) {
    const ids = group.map(({ id }) => id);
    for (const [id, fields] of await memory.fields(repo, ids)) known.set(id, fields);
  }
  return records.map((record) => {
    const fields = known.get(record.id);
    return fields !== undefined && fields.described.source === sourceHash(record) ? { ...record, ...fields } : record;
  });
}

/** What memory knows of a batch's rows, by record id. */
async function knownOf(rows: readonly Row[], memory: Memory, embedder: Embedder): Promise<Map<string, KnownSource>> {
  const found = new Map<string, KnownSource>();
  for (const group of Map.groupBy(rows, ({ record }) => `${record.corpus} ${record.repo}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const sources = group.map(({ record }) => record.sourceId);
    const known = await memory.known(first.record.repo, first.record.corpus, embedder.space, sources);
    for (const source of known.values()) found.set(source.id, source);
  }
  return found;
}

/** The usable vectors by record id, and the cost. */
async function embed(rows: readonly Row[], embedder: Embedder) {
  if (rows.length === 0)
    return { vectors: new Map<string, Float32Array>(), tokens: 0, usd: 0, cached: 0, failed: null };
  const texts = rows.map((row) => row.embedded);
  const { vectors, tokens, usd, cached, failed = null } = await embedder.embed(texts, "document");
  const usable = rows.flatMap(({ record }, at) => {
    const vector = vectors[at] ?? null;
    return vector !== null && isUsable(vector, embedder.space.dimension) ? [[record.id, vector] as const] : [];
  });
  return { vectors: new Map(usable), tokens, usd, cached, failed };
}

/** Memory refuses a row with an unusable vector; without one the row is still found by keywords. */
function isUsable(vector: Float32Array, dimension: number): boolean {
  return vector.length === dimension && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
}

/** A finding's claim, as the text that its memory is embedded by. */
export function claimOf(finding: Finding, where: Parameters<typeof fromFinding>[1]): string {
  return digest(fromFinding(finding, where));
}

/** The memories of one file, and what was left out. */
export function fileRecords(
  file: SourceFile & { readonly corpus: "doc" | "wiki" },
  text: string,
): { readonly records: readonly MemoryRecord[]; readonly skipped: readonly string[] } {
  const { sections, skipped } = docSections(text, pathLanguages(file.path));
  return { records: fromSections(file, file.corpus, sections), skipped };
}

/** Parses one line of an import into a memory, or returns why it has none. */
export function rowRecord(
  line: string,
  rules: CommentRules,
): MemoryRecord | NotRemembered | { readonly kind: "wrong"; readonly reason: string } {
  const row = parseRow(line);
  if (row.kind === "wrong") return row;
  return row.kind === "record" ? row.record : fromComment(row.comment, row.repo, rules);
}

/** Whether a memory waits to be described, and the cost of asking; null when it does not wait. */
export function describing(
  record: MemoryRecord,
): { readonly asks: boolean; readonly tokens: ReturnType<typeof describeTokens> } | null {
  if (!waitsForFields(record)) return null;
  return { asks: rejectedByRule(record) === null, tokens: describeTokens(record) };
}
