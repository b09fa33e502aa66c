// What is wrong with a row before it is written, so that one bad row neither stops its neighbours nor is stored.
import type { EmbeddedRecord, EmbeddingSpace, MemoryRecord } from "../../domain/memory.ts";
import { splitRepoKey } from "./repo-key.ts";
import { vectorProblem } from "./vector-problem.ts";

const VISIBILITIES: ReadonlySet<string> = new Set(["public", "internal", "private"]);

/** Why a row is refused, or null when it may be written. */
export function refusalReason(row: EmbeddedRecord, space: EmbeddingSpace): string | null {
  const { record, vector } = row;
  if (record.id === "") return "id is empty";
  if (splitRepoKey(record.repo) === null) return `not a repository key: ${JSON.stringify(record.repo)}`;
  if (!VISIBILITIES.has(record.visibility)) return `visibility is ${JSON.stringify(record.visibility)}`;
  if (!Number.isSafeInteger(record.ownerId)) return `owner id is not a whole number: ${record.ownerId}`;
  if (!Number.isSafeInteger(record.provenance.at)) return `time is not whole milliseconds: ${record.provenance.at}`;
  const pull = record.provenance.pull;
  if (pull !== null && !Number.isSafeInteger(pull)) return `pull request number is not a whole number: ${pull}`;
  return vector === null ? null : vectorProblem(vector, space.dimension);
}

/**
 * The record without U+0000, which review texts do contain: Postgres refuses it and C programs stop reading there.
 * Half a surrogate pair becomes U+FFFD, as UTF-8 has no form for it.
 */
export function withoutNul(record: MemoryRecord): MemoryRecord {
  return JSON.parse(JSON.stringify(record), (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value,
  ) as MemoryRecord;
}
