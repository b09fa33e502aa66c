// The packages of one fake world, as tests put them there.

export interface AdvisoryFacts {
  readonly id: string;
  readonly type?: "reviewed" | "malware";
  readonly severity: "critical" | "high" | "medium" | "low" | "unknown";
  readonly summary: string;
  readonly cve?: string;
  /** GitHub's word: `npm`, `pip`, `actions`. */
  readonly ecosystem: string;
  readonly affects: readonly { readonly name: string; readonly range: string; readonly patched: string | null }[];
  readonly withdrawn?: boolean;
}

export interface ReleaseFacts {
  readonly tag: string;
  readonly body: string | null;
  readonly prerelease?: boolean;
  readonly draft?: boolean;
}

/** One row of a comparison; what is left out is as GitHub tells of an ordinary package of npm. */
export interface GraphFacts {
  readonly change: "added" | "removed";
  readonly manifest: string;
  readonly name: string;
  readonly version: string;
  readonly ecosystem?: string;
  readonly license?: string | null;
  readonly source?: string | null;
  readonly advisories?: readonly { readonly id: string; readonly severity: string; readonly summary: string }[];
}

/** The packages of one world; filled by tests. */
export interface PackageData {
  readonly advisories: AdvisoryFacts[];
  /** By lower-case OWNER/NAME; the repository is public. Newest first. */
  readonly releases: Map<string, readonly ReleaseFacts[]>;
  /** By lower-case OWNER/NAME of the reviewed repository; without an entry its dependency graph is off. */
  readonly graphs: Map<string, readonly GraphFacts[]>;
}

export function noPackages(): PackageData {
  return { advisories: [], releases: new Map(), graphs: new Map() };
}
