// What a dependency update brings, as far as the world could be asked: facts with their source, and what was not looked at.
import type { Finding, Severity } from "./finding.ts";
import type { Degraded } from "./omissions.ts";

/** The rule's name under which an advisory at a new version is told, and by which `rules` of .kodiai.yml weighs it. */
export const ADVISORY_RULE = "known-advisory";

/** The part of a review that is missing when advisories could not be asked for. */
export const ADVISORIES_PART = "dependency-advisories";

/** `prerelease`: the numbers stay, only what stands after them changes. `downgrade`: the new version is the lower one. */
export type UpdateStep = "major" | "minor" | "patch" | "prerelease" | "downgrade" | "unknown";

/** A published advisory about a package. */
export interface Advisory {
  /** `GHSA-…`, checked for its form. */
  readonly id: string;
  readonly severity: Severity;
  /** One line by others: untrusted text. */
  readonly summary: string;
  readonly malware: boolean;
  /** The range that holds the version, as the advisory writes it; null where only the verdict is known. */
  readonly range: string | null;
  /** The first version without it, or null when there is none or it is not told. */
  readonly patched: string | null;
}

/** Which advisories hold before and after; or why nobody knows, as a fragment of a sentence. */
export type PackageAdvisories =
  | {
      readonly kind: "known";
      /** Held at the old version and do not hold at the new one. */
      readonly fixed: readonly Advisory[];
      /** Hold at the new version and did not at the old one; all that hold at the new one when the old one is not known. */
      readonly brought: readonly Advisory[];
      /** Hold at both. */
      readonly remaining: readonly Advisory[];
    }
  | { readonly kind: "unknown"; readonly reason: string };

/** One package of an update. Names and versions are others' text. */
export interface PackageUpdate {
  readonly name: string;
  /** As in DependencyBump. */
  readonly ecosystem: string | null;
  /** Without a leading `v` or range; null when it was not there, or is not known. */
  readonly from: string | null;
  readonly to: string | null;
  readonly change: "updated" | "added" | "removed";
  readonly step: UpdateStep;
  /** True when the new version is a prerelease. */
  readonly toPrerelease: boolean;
  /** Whether a manifest of this repository names it; null when that is not known. */
  readonly direct: boolean | null;
  /** GitHub's dependency graph, the diff of a manifest, or only what the pull request says of itself. */
  readonly source: "graph" | "diff" | "text";
  /** Where it stands: a line of a manifest's diff, or a file as a whole; null when no file is known. */
  readonly place: { readonly path: string; readonly line: number | null } | null;
  /** What the pull request says the new version is, where the change says otherwise. */
  readonly saidTo: string | null;
  readonly advisories: PackageAdvisories;
  /** Only where both are known and differ. */
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
  /** What of it was not read, and why; null when all was. */
  readonly missing: string | null;
}

/** A place of the repository that names the package. */
export interface UsagePlace {
  readonly path: string;
  /** 1-based, where it is known. */
  readonly line: number | null;
  /** Names from breaking notes that stand at this place, too. */
  readonly broken: readonly string[];
}

/** Where a package is used; or why nobody looked. */
export type PackageUsage = {
  readonly name: string;
} & (
  | {
      readonly kind: "looked";
      /** What was searched, in our words: "the indexed code". */
      readonly where: string;
      readonly places: readonly UsagePlace[];
      /** Places beyond those listed. */
      readonly more: number;
    }
  | { readonly kind: "not-looked"; readonly reason: string }
);

/** All that was learned about a dependency update. */
export interface DependencyUpdate {
  readonly kind: "update";
  /** Direct ones first, then by name. */
  readonly packages: readonly PackageUpdate[];
  /** Packages beyond those. */
  readonly more: number;
  readonly notes: readonly PackageNotes[];
  readonly usage: readonly PackageUsage[];
  /** What was asked of the world and not answered: "the dependency graph", and why. */
  readonly notLooked: readonly { readonly what: string; readonly reason: string }[];
  /** Advisories that could not be asked for: without them the review is incomplete. */
  readonly degraded: readonly Degraded[];
  /** Advisories that the update brings, one finding a package. */
  readonly findings: readonly Finding[];
}

// What is published about packages, as sources of advisories tell it: not checked.

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
interface AdvisedRange {
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
