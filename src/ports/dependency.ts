// Port of the vet stage for dependency updates. It reads public data about packages; nothing is installed or run. Methods
// never reject: a missing answer is a value with its reason.
import type { Answer, GraphRow, PublishedAdvisory } from "../domain/dependency-update.ts";
import type { Repo } from "../domain/job.ts";

export interface Release {
  readonly tag: string;
  /** Markdown, untrusted. */
  readonly body: string;
  readonly prerelease: boolean;
}

export interface Dependencies {
  /** The package changes between two commits, from the host's dependency graph. */
  changes(repo: Repo, baseSha: string, headSha: string): Promise<Answer<readonly GraphRow[]>>;
  /**
   * Published advisories, not withdrawn, that may affect one of these packages at its version; each may name others, too.
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
