// Streams lines of an export or a corpus into memory: an invalid line is reported and does not stop the rest. Importing
// the same file again changes nothing.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { addUp } from "../../domain/memory/write-report.ts";
import { type MemoryRecord, memoryId, repoKey } from "../../domain/memory.ts";
import { type Remembering, remember, rowRecord } from "../../learn/learn.ts";
import type { Embedder, Memory } from "../../ports/memory.ts";

interface ImportRules {
  readonly remembering: Remembering;
  /** Why a comment is not worth remembering, or null. An evaluation remembers everything. */
  readonly lowInformation?: (text: string) => string | null;
  /** The repository that receives the memories; left out: the one that each row names. */
  readonly into?: Repo;
}

export type Imported = Awaited<ReturnType<typeof importMemory>>;

const PENDING = 384;
/** Characters of a line. Longer rows are refused before they are parsed. */
const MAX_LINE = 1_048_576;
const MAX_PROBLEMS = 1_000;

/**
 * @param lines without their line ends, in any number: they are streamed
 * @returns how many lines were not empty, at most 1,000 invalid ones (1-based), and in `wrongLines` how many there were
 * @throws Transient when memory cannot be reached now, what the redactor or the source throw; the same import again
 * completes it
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
