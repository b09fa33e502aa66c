// What is published about packages, as sources of advisories tell it: not checked.
import type { Severity } from "./finding.ts";

/** An answer, or why there is none, as a fragment of a sentence. */
export type Answer<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "unknown"; readonly reason: string };

/** An advisory that is known to hold at a version. */
export interface GraphAdvisory {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** What of a published advisory concerns one package. */
export interface AdvisedRange {
  readonly name: string;
  /** `>= 1.0, < 1.2.3`; null when the advisory does not say. */
  readonly range: string | null;
  readonly patched: string | null;
}

export interface PublishedAdvisory extends GraphAdvisory {
  readonly malware: boolean;
  readonly ranges: readonly AdvisedRange[];
}

/** One row of a dependency graph's comparison. */
export interface GraphRow {
  readonly change: "added" | "removed";
  readonly manifest: string;
  /** As in DependencyBump; null for one we have no word for. */
  readonly ecosystem: string | null;
  readonly name: string;
  /** A version, or a range where a manifest says no more. */
  readonly version: string;
  readonly licence: string | null;
  readonly sourceUrl: string | null;
  readonly advisories: readonly GraphAdvisory[];
}
