// Records that were found -> what a review may know of each: all of its own, patterns of others, and what is withheld, with why.
import type { Repo } from "../domain/job.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { Precedents, Scope } from "../domain/retrieval.ts";
import { crossing } from "./scope.ts";

export interface ToldRecords {
  /** By id. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
  /** Those of other repositories of which nothing may be told. */
  readonly withheld: Precedents["cut"];
}

/** @param found untrusted: what the scope does not admit is dropped without a word */
export function toldRecords(found: readonly MemoryRecord[], scope: Scope, target: Repo["visibility"]): ToldRecords {
  const records = new Map<string, MemoryRecord>();
  const withheld: { id: string; reason: string }[] = [];
  for (const one of found) {
    const told = crossing(scope, target, one);
    if (told?.kind === "pattern") records.set(one.id, told.record);
    if (told?.kind === "withheld") withheld.push({ id: one.id, reason: told.reason });
  }
  return { records, withheld };
}
