// What the log says of a room's value beside how long it took: decisions and sizes, never the text of others.
import type { Precedents } from "../domain/retrieval.ts";

/**
 * Facts for the log, {} where the value has none. Of precedents: the gate's decision, how long the query text is and what
 * of it was dropped, how many queries were asked, and how many memories were found and used.
 */
export function stepFacts(value: unknown): Readonly<Record<string, unknown>> {
  if (!isPrecedents(value)) return {};
  const { gate, query, ranked, provenance, degraded } = value;
  return {
    gate,
    query:
      query === null ? null : { chars: query.text.length, dropped: query.dropped, variants: query.variants.length },
    candidates: provenance.totalCandidates,
    used: ranked.length,
    method: provenance.method,
    degraded,
  };
}

function isPrecedents(value: unknown): value is Precedents {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "precedents";
}
