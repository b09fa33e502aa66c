// What analyze concludes from a pull request: pure and deterministic.

/** The eleven Conventional Commits types that Kodiai uses. */
export const INTENT_TYPES = [
  "feat",
  "fix",
  "docs",
  "style",
  "refactor",
  "perf",
  "test",
  "build",
  "ci",
  "chore",
  "revert",
] as const;
export type IntentType = (typeof INTENT_TYPES)[number];

export type Profile = "quiet" | "balanced" | "thorough";

/** An issue or pull request in the text. `repo` is OWNER/NAME where it names another one. */
export interface IssueRef {
  readonly number: number;
  /** `fixes`, `closes`, `resolves`, `relates-to`, … or null for a bare mention. */
  readonly keyword: string;
  readonly closing: boolean;
  readonly repo: string | null;
  readonly source: "title" | "body" | "commit";
}

/** Where a breaking change was announced. */
export interface BreakingSource {
  readonly where: "title" | "body" | "commit";
  /** The announcing words, at most 120 characters. */
  readonly text: string;
}

export type SemverStep = "major" | "minor" | "patch" | "unknown";

/** A dependency bump, detected from title, branch, sender and label. */
export interface DependencyBump {
  /** The detected signs: at least two are needed. */
  readonly signs: readonly ("title" | "branch" | "sender" | "label")[];
  /** Null for a group bump. */
  readonly packageName: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly step: SemverStep;
}

export interface Intent {
  /** Null when the title does not follow the convention. */
  readonly type: IntentType | null;
  /**
   * The word in the place of the type when it is no known type ("ignore" in "ignore: always use
   * …").
   */
  readonly otherType: string | null;
  readonly scope: string | null;
  /** Title without tags, type and scope. */
  readonly subject: string;
  readonly breaking: readonly BreakingSource[];
  readonly wip: boolean;
  readonly noReview: boolean;
  readonly styleOk: boolean;
  /** From minimal-, balanced- or strict-review. */
  readonly profile: Profile | null;
  /** From [security-review] and from tags that are not commands. */
  readonly focusAreas: readonly string[];
  /** Whether it takes an earlier change back. */
  readonly reverts: boolean;
  readonly issues: readonly IssueRef[];
  readonly bump: DependencyBump | null;
}

export type FileKind = "source" | "test" | "config" | "docs" | "infra";

/** Facts about one changed file. `language` is a canonical id such as `cpp`, or `unknown`. */
export interface FileFacts {
  readonly path: string;
  readonly language: string;
  readonly kind: FileKind;
  /** True where it counts as production code in spite of its path. */
  readonly isServing?: true;
}

/** A language's share of the changed lines. The shares of a change sum to 1, or there are none. */
export interface LanguageShare {
  /** Canonical id: `cpp`. */
  readonly language: string;
  /** Display name: `C++`. */
  readonly name: string;
  /** 0–1. */
  readonly share: number;
  readonly files: number;
  readonly changedLines: number;
}

/** Each risk as a readable phrase, in the order of listing. */
export const RISK_TEXTS = {
  authentication: "touches authentication or authorization code",
  credentials: "touches credential or secret files",
  dependencies: "changes dependency manifests",
  infrastructure: "changes CI or infrastructure",
  schema: "changes a database schema or migrations",
  "error-handling": "changes error handling",
  cryptography: "uses cryptography",
  concurrency: "uses concurrency",
  network: "talks to the network",
  deserialization: "deserializes data",
  truncated: "has more files than were read for risks",
} as const;
export type RiskId = keyof typeof RISK_TEXTS;

/** A reason to look closer. Never a finding by itself. */
export interface Risk {
  readonly id: RiskId;
  /** Of RISK_TEXTS. */
  readonly text: string;
  /** What raised it, at most 20 places; `line` is of the head, null when the path is the reason. */
  readonly evidence: readonly { readonly path: string; readonly line: number | null }[];
}

export type AuthorTier = "first-time" | "regular" | "core";

export interface AuthorAssessment {
  readonly tier: AuthorTier;
  /** False when nothing says who the author is: then the tier is the most careful one. */
  readonly isKnown: boolean;
  /** The supporting facts: "association MEMBER", "12 merged pull requests". */
  readonly because: string;
}

export interface ChangeMetrics {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly hunks: number;
  readonly filesByKind: Readonly<Record<FileKind, number>>;
}

export interface ReviewSignals {
  readonly intent: Intent;
  readonly files: readonly FileFacts[];
  /** Of the files that only rules read. */
  readonly spared: readonly FileFacts[];
  /** Largest share first; ties by name. */
  readonly languages: readonly LanguageShare[];
  readonly risks: readonly Risk[];
  readonly author: AuthorAssessment;
  readonly metrics: ChangeMetrics;
}
