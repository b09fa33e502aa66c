import type { ConfigProblem, RepoConfig } from "../config/repo-config.ts";
import type { Declined } from "./conversation.ts";
import type { Severity } from "./finding.ts";
import type { Repo, ReviewJob } from "./job.ts";
import type { Degraded, LeftOut } from "./omissions.ts";
import type { Past } from "./review/review-history.ts";
import type { ToolReport } from "./tool-result.ts";

/** RIGHT is the head (new) side of a diff, LEFT the base (old) side: GitHub's words. */
export type Side = "LEFT" | "RIGHT";

/** A line of a hunk. `text` is without the diff's marker and the LF; a CR stays. */
export interface DiffLine {
  readonly kind: "context" | "added" | "removed";
  /** 1-based line in the base file; null on an added line. */
  readonly oldLine: number | null;
  /** 1-based line in the head file; null on a removed line. */
  readonly newLine: number | null;
  readonly text: string;
}

/** Changed lines with context. Starts are 1-based as in `@@ -old +new @@`; a length may be 0. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git prints after the second `@@`: usually the enclosing function; "" when absent. */
  readonly section: string;
  readonly lines: readonly DiffLine[];
}

export type FileStatus = "added" | "modified" | "removed" | "renamed" | "copied" | "typechanged";

/** The diff of one file. Paths are as git knows them, unquoted, with `/`. */
export interface FileDiff {
  /** The head path; for a removed file, the base path. */
  readonly path: string;
  /** The base path where it differs (rename, copy), else null. */
  readonly previousPath: string | null;
  readonly status: FileStatus;
  readonly binary: boolean;
  /** Git modes: `100644`, `120000` (symbolic link), `160000` (submodule); null if unknown. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
  /** False when the source counts changed lines that it did not deliver. */
  readonly complete: boolean;
  /** True when GitHub shows no diff: it takes comments on the file, none on its lines. */
  readonly isRebuilt?: boolean;
}

/** The author of the pull request, as GitHub reports them. */
export interface Author {
  readonly login: string;
  readonly id: number;
  readonly type: "User" | "Bot" | "Organization" | "Mannequin";
  /** GitHub's `author_association`: a hint about the tier, never a permission. */
  readonly association: string;
}

interface Commit {
  readonly sha: string;
  readonly message: string;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string | null;
  readonly state: "open" | "closed";
  readonly draft: boolean;
  readonly locked: boolean;
  readonly labels: readonly string[];
  readonly author: Author;
  readonly base: { readonly ref: string; readonly sha: string };
  /** `repo` is OWNER/NAME, or null when the fork was deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: string | null };
  readonly commits: readonly Commit[];
}

/** GitHub's label names are unique without regard to case. */
export function labelKey(name: string): string {
  return name.trim().toLowerCase();
}

/** Facts about the author beyond the payload; `mergedPullRequests` is null when unknown. */
export interface AuthorFacts {
  readonly mergedPullRequests: number | null;
}

/** A comment of ours that exists on the pull request. */
export interface OwnComment {
  /** The finding's id from our hidden marker. */
  readonly findingId: string;
  readonly url: string;
  readonly path: string;
  readonly side: Side;
  /** 1-based on `side` at the time of posting; both null for a comment on a whole file. */
  readonly startLine: number | null;
  readonly line: number | null;
  /** The diff down to the commented line at that time; "" for a comment on a whole file. */
  readonly hunk: string;
  /** The first bold words of our Markdown; "" without any. */
  readonly title: string;
  /** Null where the comment does not say it. */
  readonly severity: Severity | null;
  /** The rule that found it; null for any other source. */
  readonly rule: string | null;
}

/** An issue that the change says it closes: its untrusted text, or why it was not read. */
export type LinkedIssue =
  | {
      readonly kind: "read";
      readonly number: number;
      readonly title: string;
      /** Markdown, at most 20,000 UTF-16 units; "" without any. */
      readonly body: string;
    }
  | {
      readonly kind: "not-read";
      /** `#12`, or `owner/name#12` of another repository. */
      readonly name: string;
      readonly reason: string;
    };

/** Everything that the review knows of the pull request. No later stage asks GitHub about it. */
export interface PullRequestContext {
  readonly kind: "context";
  readonly job: ReviewJob;
  readonly repo: Repo;
  readonly pull: PullRequest;
  readonly config: RepoConfig;
  readonly configProblems: readonly ConfigProblem[];
  /** The files that the configuration is from, for people: `.kodiai.yml@4f1c2d9`, `none found`. */
  readonly configUsed: string;
  /** Every changed file to review, in the source's order. */
  readonly files: readonly FileDiff[];
  /** The files of `leftOut` that rules read all the same. */
  readonly spared: readonly FileDiff[];
  /** Files that only the head calls tests; null where no check depends on it. */
  readonly newTests: ReadonlySet<string> | null;
  /** Every other changed file, with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** Head texts of reviewed and spared files, by path, for rules. LF and CRLF as in the blob. */
  readonly headTexts: ReadonlyMap<string, string>;
  /** The base branch's instructions to contributors (AGENTS.md …), when a model will read them. */
  readonly guidance: readonly { readonly path: string; readonly text: string }[];
  /** Empty until it is known which ones they are. */
  readonly issues: readonly LinkedIssue[];
  readonly authorFacts: AuthorFacts;
  readonly ownComments: readonly OwnComment[];
  /** Findings and reading of earlier reviews. */
  readonly past: Past;
  /** Findings that people asked us not to report again here. */
  readonly declined: readonly Declined[];
  /** What other tools report about the head. */
  readonly tools: ToolReport;
  readonly degraded: readonly Degraded[];
}

/**
 * A deleted account, whose comments GitHub keeps under no user or this one. No account has this id.
 */
export const GHOST = { id: 0, login: "ghost", type: "User" } as const;

/** Each line of a hunk with its line in the head; a removed one has the line now in its place. */
export function positioned({ newStart, lines }: Hunk): readonly { readonly line: DiffLine; readonly at: number }[] {
  let next = newStart;
  return lines.map((line) => {
    const at = line.newLine ?? next;
    next = line.newLine === null ? next : line.newLine + 1;
    return { line, at };
  });
}

/** An entry of a commit; a submodule counts as a folder. */
export interface RootEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
}
