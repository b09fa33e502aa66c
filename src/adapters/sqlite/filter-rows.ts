// What a caller asked for within its scope, in SQL. Applied inside the search.
import type { MemoryFilter } from "../../domain/retrieval.ts";
import { asks } from "../memory/row-filter.ts";
import type { SqlValues } from "./scope-sql.ts";

/** A filter over `r` (records) in SQL; `admits_path` must be there as a function when the filter has paths. */
export function filterSql(filter: MemoryFilter): { readonly rows: string; readonly values: SqlValues } {
  const parts: string[] = [];
  const values: Record<string, string> = {};
  const anyOf = (name: string, wanted: readonly string[] | undefined, columns: readonly string[]) => {
    if (!asks(wanted)) return;
    parts.push(`(${columns.map((column) => `r.${column} IN (SELECT value FROM json_each(@${name}))`).join(" OR ")})`);
    values[name] = JSON.stringify(wanted);
  };
  anyOf("corpora", filter.corpora, ["corpus"]);
  anyOf("languages", filter.languages, ["language"]);
  anyOf("chunkTypes", filter.chunkTypes, ["chunk_type", "category", "severity"]);
  if (asks(filter.paths)) parts.push("admits_path(r.path) = 1");
  return { rows: parts.length === 0 ? "1" : parts.join(" AND "), values };
}
