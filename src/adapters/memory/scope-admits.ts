// The part of a scope that looks at rows, for rows that are held in memory.
import type { Scope } from "../../domain/retrieval.ts";

/**
 * The row conditions of a scope that hold inside one admitted repository, for rows that are kept in memory. Chooses
 * candidates only: what it lets through is asked of the database again before it is told.
 *
 * @param own whether the row's repository is the scope's own
 */
export function scopeAdmits(scope: Scope, own: boolean, pull: number, at: number): boolean {
  if (own && scope.excludePull !== null && pull === scope.excludePull) return false;
  return scope.before === null || at < scope.before;
}
