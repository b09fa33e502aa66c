// A real pull request through the real pipeline up to the written review: gather reads it from the
// data, memory is an index of the data's comments that knows nothing of this pull request and
// nothing later, and the caller provides the model.

import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localWords } from "../src/adapters/local/local-embedder.ts";
import { noMemory } from "../src/adapters/no-memory/no-memory.ts";
import { CONFIG_FILE } from "../src/config/read-yaml.ts";
import { jobKey, type ReviewJob, UNSHAPED } from "../src/domain/job.ts";
import type { Skipped } from "../src/domain/omissions.ts";
import type { OwnComment, PullRequest, PullRequestContext } from "../src/domain/pull-request.ts";
import type { Review } from "../src/domain/review.ts";
import { importMemory } from "../src/flows/memory/memory-file.ts";
import { PLAIN_CHANGE } from "../src/flows/review/review-ports.ts";
import { writeReview } from "../src/flows/review/review-pull-request.ts";
import { evaluationRepo } from "../src/learn/remember/parse-row.ts";
import type { Recall } from "../src/ports/memory.ts";
import type { Model } from "../src/ports/model.ts";
import { UNLIMITED } from "../src/ports/model.ts";
import type { Snapshots } from "../src/ports/snapshot.ts";
import type { Symbols } from "../src/ports/symbols.ts";
import type { Inspector, PullRequests } from "../src/ports.ts";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedRecall } from "../src/store/memory/recall.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import { knownRules } from "../src/wire/rules.ts";
import type { RealPull } from "./pull-requests.ts";
import type { PullRepository } from "./repositories.ts";

/** Memory of the evaluation: the comments of some repositories. */
export interface CommentMemory {
  /**
   * What may be known at that time; without a date nothing, because it is unclear what was known.
   */
  recall(asOf: number | null): Recall;
  readonly memories: number;
  close(): Promise<void>;
}

/** @param corpus lines by repository; only those of `repos` are remembered */
export async function openCommentMemory(
  corpus: ReadonlyMap<string, readonly string[]>,
  repos: ReadonlySet<string>,
): Promise<CommentMemory> {
  const lines = [...corpus].flatMap(([repo, list]) => (repos.has(repo) ? list : []));
  if (lines.length === 0) return { recall: () => noMemory(), memories: 0, close: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), "kodiai-eval-"));
  const path = join(folder, "memory.db");
  const db = await openMemoryFile(path);
  const ports = { embedder: localWords(), memory: storedMemory(db, () => Promise.resolve()) };
  const imported = await importMemory(
    lines,
    { remembering: { redact: async (text) => text }, lowInformation: () => null },
    ports,
  );
  const all = storedRecall(db, db.vectorsMissing);
  return {
    recall: (asOf) => (asOf === null ? noMemory() : knownBefore(all, asOf)),
    memories: imported.remembered.added,
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function knownBefore(recall: Recall, asOf: number): Recall {
  const then = <S extends { readonly before: number | null }>(scope: S): S => ({ ...scope, before: asOf });
  return {
    off: recall.off,
    nearest: (scope, ...rest) => recall.nearest(then(scope), ...rest),
    matching: (scope, ...rest) => recall.matching(then(scope), ...rest),
    records: (scope, ids) => recall.records(then(scope), ids),
    counts: (scope) => recall.counts(then(scope)),
    version: (repo) => recall.version(repo),
  };
}

export interface Reviewer {
  readonly recall: Recall;
  /** Null: rules alone. */
  readonly model: Model | null;
  /** The rules, made once. */
  readonly rules: Inspector;
  /** Of an earlier push. */
  readonly ownComments?: readonly OwnComment[];
  /** The repository at the head, where there is one. */
  readonly repository?: PullRepository | null;
  readonly symbols?: Symbols | null;
  /** The repository's `.kodiai.yml`; without it the defaults hold. */
  readonly config?: string;
}

export interface WrittenReview {
  readonly review: Review;
  readonly context: PullRequestContext;
}

/** Every run is of the same moment, so that runs are alike. */
const NOW = Date.UTC(2026, 0, 1);

/** @throws Error when the pull request is skipped, or the error of a stage */
export async function reviewPull(pull: RealPull, reviewer: Reviewer): Promise<WrittenReview> {
  let context: PullRequestContext | null = null;
  const { model } = reviewer;
  const written: Review | Skipped = await writeReview(
    jobOf(pull),
    {
      ...PLAIN_CHANGE,
      pulls: pullsOf(pull, reviewer),
      snapshots: snapshotsOf(reviewer.repository ?? null),
      symbols: reviewer.symbols ?? null,
      inspector: reviewer.rules,
      known: knownRules(),
      embedder: localWords(),
      recall: reviewer.recall,
      access: model === null ? null : { ...UNLIMITED, model, delimiter: delimiterOf(pull) },
      now: () => pull.asOf ?? NOW,
    },
    async (room, enter) => {
      const value = await enter();
      if (room === "gather") context = value as unknown as PullRequestContext;
      return value;
    },
  );
  if (written.kind === "skipped" || context === null) {
    throw new Error(`${pull.id} was not reviewed: ${written.kind === "skipped" ? written.reason : "not gathered"}`);
  }
  return { review: written, context };
}

/** Unguessable for the author of the pull request, and the same in each run. */
function delimiterOf(pull: RealPull): () => string {
  let asked = 0;
  return () => `kodiai-${sha256(`evaluation ${pull.id} ${asked++}`).slice(0, 32)}`;
}

function jobOf(pull: RealPull): ReviewJob {
  const repo = evaluationRepo(pull.repo);
  return {
    ...UNSHAPED,
    kind: "review",
    key: jobKey(repo, pull.number),
    delivery: "eval",
    installationId: 0,
    repo,
    number: pull.number,
    headSha: headOf(pull),
    trigger: "command-line",
    explicit: true,
  };
}

function headOf(pull: RealPull): string {
  return sha256(pull.diff).slice(0, 40);
}

function snapshotsOf(repository: PullRepository | null): Snapshots | null {
  if (repository === null) return null;
  return { at: async () => ({ snapshot: await repository.snapshot(), degraded: [] }) };
}

/** The diff, and files at the head where there is a repository; nothing about the author. */
function pullsOf(
  pull: RealPull,
  { ownComments = [], repository = null, config }: Pick<Reviewer, "ownComments" | "repository" | "config">,
): PullRequests {
  const asked: PullRequest = {
    number: pull.number,
    url: `https://github.com/${pull.repo}/pull/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    author: { login: "author", id: 1, type: "User", association: "CONTRIBUTOR" },
    base: { ref: "main", sha: "b".repeat(40) },
    head: { ref: "change", sha: headOf(pull), repo: pull.repo },
    commits: [],
  };
  return {
    pull: () => Promise.resolve(asked),
    changes: () => Promise.resolve({ kind: "unified", text: pull.diff }),
    changesSince: () => Promise.resolve({ kind: "unknown", reason: "each head is read by itself" }),
    text: async (_, path, sha) => {
      if (sha === asked.head.sha) return (await repository?.text(path)) ?? null;
      return path === CONFIG_FILE ? (config ?? null) : null;
    },
    rootEntries: () => Promise.resolve([]),
    baseTip: (_repo, { base }) => Promise.resolve(base.sha),
    ownersText: () => Promise.resolve(null),
    authorFacts: () => Promise.resolve({ mergedPullRequests: null }),
    issue: () => Promise.resolve(null),
    ownComments: () => Promise.resolve(ownComments),
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
