// What the vet room may ask of the world about a dependency update. Reads only, and of what is public about packages: nothing
// is installed or run. Methods never reject: an answer that cannot be had is a value with its reason.
import type { Answer, GraphRow, PublishedAdvisory } from "../domain/dependency-update.ts";
import type { Repo } from "../domain/job.ts";

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
