// The findings of a review with what memory adds to them, and what it knows of each, ready to be weighed.
import type { Finding } from "../domain/finding.ts";
import { NO_RECOLLECTION, type Recollection } from "../domain/memory/repository-history.ts";
import type { Checkpoint } from "../domain/review/review-history.ts";
import type { CodeNow } from "./code-now.ts";
import type { PastMaterial } from "./held-by-memory.ts";
import { reintroduced } from "./reintroduced.ts";
import { revived } from "./revived.ts";

export interface WithMemory {
  readonly findings: readonly Finding[];
  /** Ids of those that an earlier push brought, and only memory held back. */
  readonly revived: ReadonlySet<string>;
  readonly past: PastMaterial;
}

/** @param found what rules and model found, in order; nothing of it is lost */
export async function withMemory(
  found: readonly Finding[],
  checkpoint: Checkpoint,
  code: CodeNow,
  { flagged, rejected, openPulls, now, alikeClaims }: Recollection = NO_RECOLLECTION,
): Promise<WithMemory> {
  const again = revived(checkpoint, found, code);
  const declined = new Set(rejected.map(({ memoryId }) => memoryId));
  const findings = reintroduced([...found, ...again], flagged, declined);
  const told = await alikeClaims(findings);
  const claims = new Map(findings.map((finding, at) => [finding, told[at] ?? []]));
  return {
    findings,
    revived: new Set(again.map(({ id }) => id)),
    past: { flagged, rejected, openPulls, now, claims, previousPath: code.previousPath },
  };
}
