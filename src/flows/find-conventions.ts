// Everything that was said in reviews of one repository -> what recurs there, and the rules that could be made of it.

import type { Repo } from "../domain/job.ts";
import type { Conventions } from "../domain/memory/convention.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { proposeConventions } from "../learn/learn.ts";
import { type ExportPorts, recordsOf } from "./export-memory.ts";

/**
 * Reads and writes nothing else.
 *
 * @param recurrence `least` distinct pull requests; `since` epoch milliseconds or null
 * @throws Transient when memory cannot be read now
 */
export async function findConventions(
  repo: Repo,
  recurrence: { readonly least: number; readonly since: number | null },
  ports: ExportPorts,
): Promise<Conventions> {
  const records: MemoryRecord[] = [];
  for await (const record of recordsOf({ repo, corpora: ["review_comment", "finding"] }, ports)) records.push(record);
  return proposeConventions(records, recurrence);
}
