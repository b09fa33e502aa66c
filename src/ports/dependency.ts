// What the vet room may ask of the world about a dependency update. Reads only, and of what is public about packages: nothing
// is installed or run. Methods never reject: an answer that cannot be had is a value with its reason.
import type { Severity } from "../domain/finding.ts";
import type { Repo } from "../domain/job.ts";

/** An answer, or why there is none, as a fragment of a sentence. */
export type Answer<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "unknown"; readonly reason: string };

/** What of a published advisory concerns one package. */
export interface AdvisedRange {
  readonly name: string;
  /** `>= 1.0, < 1.2.3`; null when the advisory does not say. */
  readonly range: string | null;
  readonly patched: string | null;
}

export interface PublishedAdvisory {
  /** As it came: not checked. */
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
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
  readonly advisories: readonly Omit<PublishedAdvisory, "ranges" | "malware">[];
}

export interface Release {
  readonly tag: string;
  /** Markdown by others. */
  readonly body: string;
  readonly prerelease: boolean;
}

/** Reads what the world knows about packages. */
export interface Dependencies {
  /** What changed between two commits, package by package, as the host's dependency graph knows it. */
  changes(repo: Repo, baseSha: string, headSha: string): Promise<Answer<readonly GraphRow[]>>;
  /**
   * Published advisories, not withdrawn, that may concern one of these packages at its version; each may name others, too.
   *
   * @param ecosystem as in DependencyBump
   * @param packages at most 100
   */
  advisories(
    ecosystem: string,
    packages: readonly { readonly name: string; readonly version: string }[],
    type: "reviewed" | "malware",
  ): Promise<Answer<readonly PublishedAdvisory[]>>;
  /** Published releases, newest first; `complete` is false when there are older ones. */
  releases(source: {
    readonly owner: string;
    readonly name: string;
  }): Promise<Answer<{ readonly releases: readonly Release[]; readonly complete: boolean }>>;
}
