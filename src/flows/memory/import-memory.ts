// Streams lines of an export or a corpus into memory: an invalid line is reported and does not stop the rest. Importing
// the same file again changes nothing.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { addUp, type Remembered } from "../../domain/memory/write-report.ts";
import { type MemoryRecord, memoryId, repoKey } from "../../domain/memory.ts";
import type { Degraded } from "../../domain/omissions.ts";
import { type Remembering, remember, rowRecord } from "../../learn/learn.ts";
import type { Embedder, Memory } from "../../ports/memory.ts";

interface ImportRules {
  readonly remembering: Remembering;
  /**
   * Why a comment is not worth remembering, or null. An evaluation remembers everything, or its ground truth would be
   * incomplete.
   */
  readonly lowInformation?: (text: string) => string | null;
  /** The repository that receives the memories; left out: the one that each row names. */
  readonly into?: Repo;
}

export interface Imported {
  readonly kind: "imported";
  /** Non-empty lines. */
  readonly lines: number;
  readonly remembered: Remembered;
  /** 1-based invalid lines, at most 1,000 of them; `wrongLines` counts all. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
  readonly wrongLines: number;
  readonly notRemembered: readonly { readonly line: number; readonly reason: string }[];
  readonly degraded: readonly Degraded[];
}

const PENDING = 384;
/** Characters of a line. Longer rows are refused before they are parsed. */
const MAX_LINE = 1_048_576;
const MAX_PROBLEMS = 1_000;

/**
 * @param lines without their line ends, in any number: they are streamed
 * @throws Transient when memory cannot be reached now, what the redactor or the source throw; the same import again
 * completes it
 */
export async function importMemory(
  lines: AsyncIterable<string> | Iterable<string>,
  rules: ImportRules,
  { embedder, memory }: { readonly embedder: Embedder; readonly memory: Memory },
): Promise<Imported> {
  const seen: Seen = { lines: 0, pending: [], problems: [], wrongLines: 0, notRemembered: [] };
  let sum = addUp();
  const flush = async () => {
    sum = addUp(sum, await remember(seen.pending.splice(0), embedder, memory, rules.remembering));
  };
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() !== "") sort(readLine(line, rules), number, seen);
    if (seen.pending.length >= PENDING) await flush();
  }
  if (seen.pending.length > 0) await flush();
  const { pending: _, ...counts } = seen;
  return { kind: "imported", ...counts, remembered: sum, degraded: sum.degraded };
}

interface Seen {
  lines: number;
  readonly pending: MemoryRecord[];
  readonly problems: { line: number; reason: string }[];
  wrongLines: number;
  readonly notRemembered: { line: number; reason: string }[];
}

function sort(row: ReturnType<typeof rowRecord>, line: number, seen: Seen): void {
  seen.lines += 1;
  if (!("kind" in row)) seen.pending.push(row);
  else if (row.kind === "not-remembered") seen.notRemembered.push({ line, reason: row.reason });
  else {
    seen.wrongLines += 1;
    if (seen.problems.length < MAX_PROBLEMS) seen.problems.push({ line, reason: row.reason });
  }
}

function readLine(line: string, rules: ImportRules): ReturnType<typeof rowRecord> {
  if (line.length > MAX_LINE) return { kind: "wrong", reason: `longer than ${MAX_LINE} characters` };
  const { lowInformation, into } = rules;
  const row = rowRecord(line, { languageOf, ...(lowInformation === undefined ? {} : { lowInformation }) });
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
