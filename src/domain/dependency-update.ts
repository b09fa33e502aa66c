// What a dependency update brings, as far as external sources answered: facts with their source, and what was not
// checked.
import type { Finding, Severity } from "./finding.ts";
import type { Degraded } from "./omissions.ts";

/** The rule that reports an advisory at a new version; `rules` of .kodiai.yml configures it under this name. */
export const ADVISORY_RULE = "known-advisory";

/** The part of a review that is missing when advisories could not be queried. */
export const ADVISORIES_PART = "dependency-advisories";

/** `prerelease`: only the part after the numbers changes. `downgrade`: the new version is lower. */
export type UpdateStep = "major" | "minor" | "patch" | "prerelease" | "downgrade" | "unknown";

/** A published advisory about a package. */
export interface Advisory extends GraphAdvisory {
  readonly malware: boolean;
  /** The range that contains the version, as the advisory writes it; null when only the verdict is known. */
  readonly range: string | null;
  /** The first version without it; null when there is none or it is unknown. */
  readonly patched: string | null;
}

/** The advisories before and after the update; or why they are unknown, as a fragment of a sentence. */
export type PackageAdvisories =
  | {
      readonly kind: "known";
      /** Affect the old version and not the new one. */
      readonly fixed: readonly Advisory[];
      /** Affect the new version and not the old one; all of the new version when the old one is unknown. */
      readonly brought: readonly Advisory[];
      /** Affect both. */
      readonly remaining: readonly Advisory[];
    }
  | { readonly kind: "unknown"; readonly reason: string };

/** One package of an update. Names and versions are others' text. */
export interface PackageUpdate {
  readonly name: string;
  /** As in DependencyBump. */
  readonly ecosystem: string | null;
  /** Without a leading `v` or range; null when the package is new, or the version is unknown. */
  readonly from: string | null;
  readonly to: string | null;
  readonly change: "updated" | "added" | "removed";
  readonly step: UpdateStep;
  /** True when the new version is a prerelease. */
  readonly toPrerelease: boolean;
  /** Whether a manifest of this repository names it; null when unknown. */
  readonly direct: boolean | null;
  /** GitHub's dependency graph, the diff of a manifest, or only the text of the pull request. */
  readonly source: "graph" | "diff" | "text";
  /** A line of a manifest's diff, or a whole file; null when no file is known. */
  readonly place: { readonly path: string; readonly line: number | null } | null;
  /** The new version according to the pull request's text, when the diff has another one. */
  readonly saidTo: string | null;
  readonly advisories: PackageAdvisories;
  /** Only when both are known and differ. */
  readonly licence: { readonly from: string; readonly to: string } | null;
}

/** Lines of one release that announce a break. */
export interface BreakingNote {
  readonly tag: string;
  /** Untrusted text, one line each, cut. */
  readonly lines: readonly string[];
}

/** The release notes between two versions of one package. */
export interface PackageNotes {
  readonly name: string;
  /** OWNER/NAME on the same GitHub; null when no source repository is known. */
  readonly repository: string | null;
  /** Releases after the old version up to the new one that were read. */
  readonly read: number;
  readonly breaking: readonly BreakingNote[];
  /** What was not read, and why; null when everything was. */
  readonly missing: string | null;
}

/** A place in the repository that names the package. */
export interface UsagePlace {
  readonly path: string;
  /** 1-based; null when unknown. */
  readonly line: number | null;
  /** Names from breaking notes that also occur at this place. */
  readonly broken: readonly string[];
}

/** Where the changed files use a package; or why the search did not run. */
export type PackageUsage = {
  readonly name: string;
} & (
  | {
      readonly kind: "looked";
      readonly places: readonly UsagePlace[];
      /** Places beyond those listed. */
      readonly more: number;
    }
  | { readonly kind: "not-looked"; readonly reason: string }
);

/** Everything known about a dependency update. */
export interface DependencyUpdate {
  readonly kind: "update";
  /** Direct ones first, then by name. */
  readonly packages: readonly PackageUpdate[];
  /** Packages beyond those. */
  readonly more: number;
  readonly notes: readonly PackageNotes[];
  readonly usage: readonly PackageUsage[];
  /** Sources that did not answer: "the dependency graph", and why. */
  readonly notLooked: readonly { readonly what: string; readonly reason: string }[];
  /** Advisories that could not be queried: without them the review is incomplete. */
  readonly degraded: readonly Degraded[];
  /** Advisories that the update brings, one finding per package. */
  readonly findings: readonly Finding[];
}

/** An answer, or why there is none, as a fragment of a sentence. */
export type Answer<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "unknown"; readonly reason: string };

/** An advisory that affects a version. */
export interface GraphAdvisory {
  /** `GHSA-…`, checked for its form. */
  readonly id: string;
  readonly severity: Severity;
  /** One line by others: untrusted text. */
  readonly summary: string;
}

/** As its source gives it: not checked. */
export interface PublishedAdvisory extends GraphAdvisory {
  readonly malware: boolean;
  /** By package: `>= 1.0, < 1.2.3`; null when the advisory does not say. */
  readonly ranges: readonly { readonly name: string; readonly range: string | null; readonly patched: string | null }[];
}

/** One row of a dependency graph's comparison. */
export interface GraphRow {
  readonly change: "added" | "removed";
  readonly manifest: string;
  /** As in DependencyBump; null for an unknown one. */
  readonly ecosystem: string | null;
  readonly name: string;
  /** A version, or a range when the manifest has no more. */
  readonly version: string;
  readonly licence: string | null;
  readonly sourceUrl: string | null;
  readonly advisories: readonly GraphAdvisory[];
}

/** Dependency bots by the numeric id of their GitHub account: a login can be imitated, an id cannot. */
const DEPENDENCY_BOTS: ReadonlyMap<number, "dependabot" | "renovate"> = new Map([
  [49699333, "dependabot"], // dependabot[bot]
  [27856297, "dependabot"], // dependabot-preview[bot]
  [29139614, "renovate"], // renovate[bot]
]);

/** Which dependency bot an account is, or null. */
export function dependencyBot(accountId: number): "dependabot" | "renovate" | null {
  return DEPENDENCY_BOTS.get(accountId) ?? null;
}
