// A world with one pull request in it, from plain data: what is not given is an ordinary, small,
// reviewable change.

import type { Changes, ChangesSince, ListedFile } from "../../src/domain/changes.ts";
import type { Repo, ReviewJob } from "../../src/domain/job.ts";
import type { AuthorFacts, OwnComment, PullRequest, RootEntry } from "../../src/domain/pull-request.ts";
import { NO_REPORT } from "../../src/domain/tool-result.ts";
import type { Earlier } from "../../src/gather/gather.ts";
import type { ToolResults } from "../../src/ports/tools.ts";
import type { PullRequests } from "../../src/ports.ts";
import { aPullRequest, aRepo, aReviewJob } from "../builders/pull-request.ts";

export const HEAD = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const BASE = "83baae61804e65cc73a7201a7252750c76066a30";

export const REPO: Repo = aRepo({ id: 1021, ownerId: 77, name: "player", visibility: "public" });

/** A person's open pull request into main. */
export function aPull(over: Partial<PullRequest> = {}): PullRequest {
  return aPullRequest(aJob(), {
    title: "fix(demux): do not read past the end of a short packet",
    body: "Fixes #17",
    author: { login: "mona", id: 583231, type: "User", association: "CONTRIBUTOR" },
    base: { ref: "main", sha: BASE },
    head: { ref: "short-packets", sha: HEAD, repo: "mona/player" },
    commits: [{ sha: HEAD, message: "Do not read past the end of a short packet" }],
    ...over,
  });
}

export function aJob(over: Partial<ReviewJob> = {}): ReviewJob {
  return aReviewJob({ repo: REPO, number: 42, installationId: 9, headSha: HEAD, ...over });
}

/** One line added at the top of a file, unless told otherwise. */
export function aListedFile(path: string, over: Partial<ListedFile> = {}): ListedFile {
  const patch = "@@ -1 +1,2 @@\n+int size = packet.size();\n int read();";
  return { path, previousPath: null, status: "modified", additions: 1, deletions: 0, patch, ...over };
}

/** Of a pull request without an earlier review. */
export const NOTHING_EARLIER: Earlier = {
  reviews: [],
  fingerprint: () => "",
  declined: [],
  pausedBy: null,
  mayWrite: async () => true,
  settled: async () => null,
};

export const NO_TOOLS: ToolResults = { of: async () => NO_REPORT };

export interface World {
  readonly pull?: PullRequest;
  readonly changes?: Changes;
  /** What changed since any earlier head; unknown when left out. */
  readonly changesSince?: ChangesSince;
  /** `SHA:PATH` → text: files of the repository at a commit. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly rootEntries?: readonly RootEntry[];
  /** The newest commit of the base's branch, if it moved. */
  readonly baseTip?: string;
  /** `REPOSITORY:PATH` → text: files of the owner's other repositories. */
  readonly ownersTexts?: Readonly<Record<string, string>>;
  readonly authorFacts?: AuthorFacts;
  readonly ownComments?: readonly OwnComment[];
  readonly issues?: Readonly<Record<number, { readonly title: string; readonly body: string }>>;
  /** The answer to a question is this error: `authorFacts`, or with its subject `text SHA:PATH`. */
  readonly fails?: Readonly<Record<string, Error>>;
}

export interface FakePullRequests extends PullRequests {
  /**
   * Every question in order: `pull 42`, `text SHA:PATH`, `ownersText REPOSITORY:PATH`, `changes`, …
   */
  readonly asked: readonly string[];
}

/** Implements the port over plain data, and remembers what it was asked. */
export function fakePullRequests(world: World = {}): FakePullRequests {
  const asked: string[] = [];
  const answer = async <Value>(method: string, subject: string, value: Value): Promise<Value> => {
    const question = subject === "" ? method : `${method} ${subject}`;
    asked.push(question);
    const error = world.fails?.[question] ?? world.fails?.[method];
    if (error !== undefined) throw error;
    return value;
  };
  const texts = new Map(Object.entries(world.texts ?? {}));
  const ownersTexts = new Map(Object.entries(world.ownersTexts ?? {}));
  return {
    asked,
    pull: (_repo, number) => answer("pull", String(number), world.pull ?? aPull()),
    baseTip: (_repo, { base }) => answer("baseTip", base.ref, world.baseTip ?? base.sha),
    changes: () =>
      answer("changes", "", world.changes ?? { kind: "listing", files: [aListedFile("src/demux.cpp")], total: 1 }),
    changesSince: (_repo, _pull, { headSha }) =>
      answer("changesSince", headSha, world.changesSince ?? { kind: "unknown", reason: "nobody knows" }),
    text: (_repo, path, sha, maxBytes) =>
      answer("text", `${sha}:${path}`, within(texts.get(`${sha}:${path}`), maxBytes)),
    rootEntries: (_repo, sha) => answer("rootEntries", sha, world.rootEntries ?? []),
    ownersText: (_repo, name, path, maxBytes) =>
      answer("ownersText", `${name}:${path}`, shown(within(ownersTexts.get(`${name}:${path}`), maxBytes))),
    authorFacts: () => answer("authorFacts", "", world.authorFacts ?? { mergedPullRequests: 3 }),
    issue: (_repo, number) => answer("issue", String(number), world.issues?.[number] ?? null),
    ownComments: (_repo, number) => answer("ownComments", String(number), world.ownComments ?? []),
  };
}

function within(text: string | undefined, maxBytes: number): string | null {
  return text === undefined || Buffer.byteLength(text) > maxBytes ? null : text;
}

function shown(text: string | null) {
  return text === null ? null : { text, isShown: true };
}
