// A repository's memory as lines of a file: exports records, or pairs for tuning an embedder, and
// imports an export or a corpus. An invalid line is reported and does not stop the rest; importing
// a file again changes nothing. Also derives missing languages.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import { addUp } from "../../domain/memory/write-report.ts";
import { type Corpus, type EmbeddingSpace, type MemoryRecord, memoryId, repoKey } from "../../domain/memory.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { exportLine, type Remembering, remember, rowRecord, trainingPairs } from "../../learn/learn.ts";
import type { Embedder, Memory, Recall } from "../../ports/memory.ts";

export interface ExportPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly space: EmbeddingSpace;
}

interface ExportWish {
  readonly repo: Repo;
  readonly corpora: readonly Corpus[];
  readonly what: "records" | "pairs";
}

const PAGE = 500;
/** How many of the most similar memories are considered as counterexamples. */
const ALIKE = 10;

/**
 * One JSON text per line, without line ends, by corpus, then id: the same memory gives the same
 * file. Without stale records and vectors; an import computes vectors again.
 *
 * @throws Transient when memory cannot be read now
 */
export async function* exportMemory(wish: ExportWish, ports: ExportPorts): AsyncGenerator<string> {
  if (wish.what === "records") {
    for await (const record of recordsOf(wish, ports)) yield exportLine(record);
    return;
  }
  const records = await Array.fromAsync(recordsOf(wish, ports));
  for (const pair of trainingPairs(records, await alikeOf(records, wish, ports))) yield JSON.stringify(pair);
}

/**
 * A repository's whole memory, as its owner sees it, by corpus, then id.
 *
 * @param wish `after`: only memories after this CORPUS/ID, for corpora in alphabetical order
 */
export async function* recordsOf(
  { repo, corpora, after = null }: Pick<ExportWish, "repo" | "corpora"> & { readonly after?: string | null },
  { memory, recall, space }: ExportPorts,
): AsyncGenerator<MemoryRecord> {
  const scope = ownScope(repo);
  for (const corpus of corpora) {
    const known = await memory.known(scope.repo, corpus, space, null);
    const all = [...known.values()].map(({ id }) => id).sort();
    const ids = after === null ? all : all.filter((id) => `${corpus}/${id}` > after);
    for (let at = 0; at < ids.length; at += PAGE) yield* await recall.records(scope, ids.slice(at, at + PAGE));
  }
}

async function alikeOf(records: readonly MemoryRecord[], { repo, corpora }: ExportWish, { recall }: ExportPorts) {
  const alike = new Map<string, readonly string[]>();
  for (const { id, situation, text, provenance } of records) {
    const scope = ownScope(repo, provenance.pull);
    const [hits = []] = await recall.matching(scope, [situation ?? text], ALIKE, { corpora });
    alike.set(
      id,
      hits.map((hit) => hit.id),
    );
  }
  return alike;
}

/** Corpora with code paths; documents get their language from tags, code from its grammar. */
const TOLD_BY_PATH: readonly Corpus[] = ["finding", "review_comment"];

/**
 * Derives the language of rows without one from their path, and embeds them again: the language is
 * part of the embedded text. Running it again changes nothing.
 *
 * @returns the rows `without` a language, how many got which (canonical ids), and how many stay
 *   unknown
 * @throws Transient when memory cannot be reached now; the same call again completes it
 */
export async function backfillLanguages(
  repo: Repo,
  ports: Omit<ExportPorts, "space"> & { readonly embedder: Embedder },
  remembering: Remembering,
) {
  const { memory, embedder } = ports;
  const byLanguage = new Map<string, number>();
  const fixed = [];
  let without = 0;
  for await (const record of recordsOf({ repo, corpora: TOLD_BY_PATH }, { ...ports, space: embedder.space })) {
    if (record.language !== "" && record.language !== UNKNOWN_LANGUAGE) continue;
    without += 1;
    const language = record.path === null ? UNKNOWN_LANGUAGE : languageOf(record.path);
    if (language === UNKNOWN_LANGUAGE) continue;
    byLanguage.set(language, (byLanguage.get(language) ?? 0) + 1);
    fixed.push({ ...record, language });
  }
  const remembered = await remember(fixed, embedder, memory, remembering);
  return { without, byLanguage, unknown: without - fixed.length, remembered };
}

interface ImportRules {
  readonly remembering: Remembering;
  /** Why a comment is not worth remembering, or null. An evaluation remembers everything. */
  readonly lowInformation: (text: string) => string | null;
  /** The repository that receives the memories; left out: the one that each row names. */
  readonly into?: Repo;
}

export type Imported = Awaited<ReturnType<typeof importMemory>>;

const PENDING = 384;
/** Characters of a line. Longer rows are refused before they are parsed. */
const MAX_LINE = 1_048_576;
const MAX_PROBLEMS = 1_000;

/**
 * @param lines without their line ends; they are streamed
 * @returns how many lines were not empty, the first 1,000 invalid ones (1-based), and how many
 *   there were
 * @throws Transient when memory cannot be reached now, and what redactor or source throw; the same
 *   import again completes it
 */
export async function importMemory(
  lines: AsyncIterable<string> | Iterable<string>,
  rules: ImportRules,
  { embedder, memory }: { readonly embedder: Embedder; readonly memory: Memory },
) {
  const pending: MemoryRecord[] = [];
  const problems: { readonly line: number; readonly reason: string }[] = [];
  const notRemembered: { readonly line: number; readonly reason: string }[] = [];
  const counts = { lines: 0, wrongLines: 0 };
  let remembered = addUp();
  const flush = async () => {
    remembered = addUp(remembered, await remember(pending.splice(0), embedder, memory, rules.remembering));
  };
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === "") continue;
    counts.lines += 1;
    const row = readLine(text, rules);
    if (!("kind" in row)) pending.push(row);
    else if (row.kind === "not-remembered") notRemembered.push({ line, reason: row.reason });
    else {
      counts.wrongLines += 1;
      if (problems.length < MAX_PROBLEMS) problems.push({ line, reason: row.reason });
    }
    if (pending.length >= PENDING) await flush();
  }
  if (pending.length > 0) await flush();
  return { ...counts, problems, notRemembered, remembered, degraded: remembered.degraded };
}

function readLine(line: string, rules: ImportRules): ReturnType<typeof rowRecord> {
  if (line.length > MAX_LINE) return { kind: "wrong", reason: `longer than ${MAX_LINE} characters` };
  const { lowInformation, into } = rules;
  const row = rowRecord(line, { languageOf, lowInformation });
  return into === undefined || "kind" in row ? row : movedRecord(row, into);
}

/** The memory as another repository's, with a new id and that repository's visibility. */
function movedRecord(record: MemoryRecord, repo: Repo): MemoryRecord {
  const key = repoKey(repo);
  return {
    ...record,
    id: memoryId(key, record.corpus, record.sourceId),
    repo: key,
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
  };
}
