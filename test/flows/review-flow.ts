// A review from its job to what stands on the pull request: the real stages, the real rules and the
// real store on SQLite. Only GitHub is a fake. What a server adds (deliveries, workers, tokens,
// HTTP) is for test/app.

import type { ReviewJob } from "../../src/domain/job.ts";
import { jobKey } from "../../src/domain/job.ts";
import type { PullRequest } from "../../src/domain/pull-request.ts";
import type { CheckEnd } from "../../src/domain/review.ts";
import type { ReviewPorts } from "../../src/flows/review/review-ports.ts";
import { reviewPullRequest } from "../../src/flows/review/review-pull-request.ts";
import type { Checks } from "../../src/ports/checks.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import type { Database } from "../../src/store/sql.ts";
import { type Records, recordsOn } from "../../src/wire/store.ts";
import { type Change, portsOf } from "../app/pipeline.ts";
import { addedHunk, aFileDiff } from "../builders/file-diff.ts";
import { aJob, aPull, REPO } from "../fakes/pull-requests.ts";
import { type FakeReviews, fakeReviews } from "../fakes/reviews.ts";
import { embedder } from "../retrieve/retrieve-builders.ts";
import { sqliteInMemory } from "../store/databases.ts";

/** A check run as GitHub shows it; `end` is null while it is in progress. */
export interface ShownCheck {
  readonly id: number;
  readonly number: number;
  readonly headSha: string;
  end: CheckEnd | null;
}

export interface FakeChecks extends Checks {
  readonly runs: readonly ShownCheck[];
  /** What GitHub does with a request instead of answering it; null answers. */
  fail: (request: "begin" | "end") => { readonly error: Error; readonly when: "before" | "after" } | null;
}

/** One pull request on that GitHub; its author and text do not change, its files and head do. */
export interface FlowPull {
  readonly number: number;
  readonly key: string;
  readonly change: Omit<Change, "job">;
  readonly pull: PullRequest;
  /** What stands there. */
  readonly posted: FakeReviews;
}

export interface ReviewFlow {
  readonly db: Database;
  readonly records: Records;
  readonly checks: FakeChecks;
  /** Opens a pull request that adds `change.files`. */
  open(change: Change, more?: Partial<PullRequest>): FlowPull;
  /** The same one at its next head, which adds these files. */
  push(pull: FlowPull, files: Readonly<Record<string, string>>): FlowPull;
  /** What one of its jobs is. */
  job(pull: FlowPull, more?: Partial<ReviewJob>): ReviewJob;
  /** Runs a job of it, as a worker would. */
  review(pull: FlowPull, more?: Partial<ReviewPorts>, job?: Partial<ReviewJob>): ReturnType<typeof reviewPullRequest>;
  close(): Promise<void>;
}

/** @param now the clock of the flow and of its store */
export async function openReviewFlow(now: () => number = Date.now): Promise<ReviewFlow> {
  const db = await sqliteInMemory(now);
  const records = recordsOn(db, null, () => Promise.resolve());
  const checks = fakeChecks();
  const job: ReviewFlow["job"] = ({ number, key, pull }, more) =>
    aJob({ number, key, headSha: pull.head.sha, ...more });
  let pulls = 0;
  let heads = 0;
  return {
    db,
    records,
    checks,
    open(change, more = {}) {
      pulls += 1;
      // Heads of their own: the check of a head is the worst of its pull requests.
      const head = {
        ref: "topic",
        sha: (0xface000 + pulls).toString(16).padStart(40, "0"),
        repo: `${REPO.owner}/${REPO.name}`,
      };
      const pull = aPull({ number: pulls, head, ...more });
      const files = Object.entries(change.files ?? {}).map(([path, text]) => addedDiff(path, text));
      return {
        number: pulls,
        key: jobKey(REPO, pulls),
        change,
        pull,
        posted: fakeReviews({ headSha: pull.head.sha, files }),
      };
    },
    push({ change, pull, posted, ...same }, files) {
      heads += 1;
      const sha = heads.toString(16).padStart(40, "0");
      posted.world.headSha = sha;
      posted.world.files = Object.entries(files).map(([path, text]) => addedDiff(path, text));
      return { ...same, posted, change: { ...change, files }, pull: { ...pull, head: { ...pull.head, sha } } };
    },
    job,
    review(of, more = {}, over = {}) {
      const { change, pull, posted } = of;
      const ports: ReviewPorts = {
        ...portsOf(atHead(change, pull)),
        ...{ keeping: null, isOnGitHub: null, isLastTry: false },
        ledger: records.ledger,
        reviews: posted,
        checks,
        checkStore: records.checks,
        waits: records.waits,
        decisions: records.decisions,
        embedder: embedder(),
        memory: storedMemory(db, () => Promise.resolve()),
        redact: (text) => Promise.resolve(text),
        botLogin: "kodiai[bot]",
        now,
        ...more,
      };
      return reviewPullRequest(job(of, over), ports, async (_stage, enter) => enter());
    },
    close: () => db.close(),
  };
}

/** The change with its files at the pull request's own head. */
function atHead(change: Change, pull: PullRequest): Change {
  const texts = Object.entries(change.files ?? {}).map(([path, text]) => [`${pull.head.sha}:${path}`, text]);
  return {
    ...change,
    world: { ...change.world, pull, texts: { ...Object.fromEntries(texts), ...change.world?.texts } },
  };
}

function addedDiff(path: string, text: string) {
  return aFileDiff(path, [addedHunk(1, text.replace(/\n$/, "").split("\n"))], { status: "added" });
}

function fakeChecks(): FakeChecks {
  const runs: ShownCheck[] = [];
  const after = new Map<string, number>();
  const checks: FakeChecks = {
    runs,
    fail: () => null,
    begin: async (_repo, number, headSha, last) =>
      answered("begin", () => {
        const known = after.get(`${number} ${headSha} ${last}`);
        if (known !== undefined) return known;
        const id = runs.length + 1;
        runs.push({ id, number, headSha, end: null });
        after.set(`${number} ${headSha} ${last}`, id);
        return id;
      }),
    end: async (_repo, id, end) =>
      answered("end", () => {
        const run = runs.find((one) => one.id === id);
        if (run === undefined) throw new Error(`no check run ${id}`);
        run.end = end;
      }),
  };
  function answered<T>(request: "begin" | "end", apply: () => T): T {
    const failure = checks.fail(request);
    if (failure?.when === "before") throw failure.error;
    const answer = apply();
    if (failure !== null) throw failure.error;
    return answer;
  }
  return checks;
}
