// Keeps memory in step with repositories, one job at a time: documents of the default branch,
// labels (name, owner, visibility), past reviews, descriptions, removals. Deliveries come late,
// twice and out of order: each job asks the host for the current state, and can run again without
// harm.

import type { KnownRules } from "../../config/parse-config.ts";
import { OutOfReach, Transient } from "../../domain/errors.ts";
import type { DescribeJob, FollowJob, ForgetJob, HistoryJob, IndexJob, LabelJob, Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Skipped } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import { configAt } from "../../gather/gather.ts";
import type { HistoryStore, PastReviews } from "../../ports/history.ts";
import type { Embedder, Memory, Recall, RepositoryHost, RepositoryLabels, Unreachable } from "../../ports/memory.ts";
import type { ModelAccess } from "../../ports/model.ts";
import type { PullRequests, Traces } from "../../ports.ts";
import { type DescribedMemories, describedLine, describeMemories } from "../memory/describe-memories.ts";
import { knownFor } from "../review/model-allowance.ts";
import {
  type HistoryRun,
  historyLine,
  type ImportedPull,
  importedLine,
  importHistory,
  importPull,
} from "./import-history.ts";
import { type Indexed, indexRepository } from "./index-repository.ts";

/** The ports for the jobs of one repository. */
export interface FollowPorts {
  readonly host: RepositoryHost;
  readonly pulls: Pick<PullRequests, "text" | "rootEntries" | "ownersText">;
  readonly known: KnownRules;
  readonly labels: RepositoryLabels;
  readonly memory: Memory;
  readonly traces: Traces;
  readonly embedder: Embedder;
  readonly redact: (text: string) => Promise<string>;
  /** For describing: `access` is null without a model. */
  readonly describing: { readonly recall: Recall; readonly access: ModelAccess | null };
  readonly history: HistoryFollowing;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Of one run of an index job: a tenth of GitHub's 5,000 requests an hour, and minutes of work. */
export const MOST_OF_A_RUN = { files: 500, bytes: 32 * 1024 * 1024 };

export type Followed = Awaited<ReturnType<typeof followRepository>>;

/** @throws Transient when a retry may succeed; OutOfReach when the repository was removed */
export async function followRepository(job: FollowJob, ports: FollowPorts) {
  if (job.kind === "index") return index(job, ports);
  if (job.kind === "history") return followHistory(job, ports);
  if (job.kind === "describe") return describeRepository(job, ports);
  return job.kind === "label" ? label(job, ports) : forget(job, ports);
}

/** How a job ended, in one line. */
export function followedLine(done: Followed): string {
  switch (done.kind) {
    case "skipped":
      return `skipped: ${done.reason}`;
    case "relabelled":
      return `relabelled ${done.repo.owner}/${done.repo.name}, ${done.repo.visibility}${done.known ? "" : "; nothing is remembered"}`;
    case "described":
      return describedLine(done);
    case "history":
      return historyLine(done);
    case "imported":
      return importedLine(done);
    case "unconfirmed":
      return `not forgotten yet: ${done.reason}; GitHub is asked again`;
    case "forgotten":
      return `forgot ${counted(done.records, "memory", "memories")} and ${counted(done.reviews, "review")}`;
    case "indexed": {
      const { files, forgotten, leftOut, degraded } = done;
      const counts = `${counted(files.read, "file")} read, ${files.unchanged} unchanged, ${files.removed} removed, ${files.waiting} waiting`;
      const rest = degraded.map(({ part, reason }) => `; ${part}: ${reason}`).join("");
      return `indexed ${done.commit.slice(0, 12)}: ${counts}; ${forgotten} forgotten, ${leftOut.length} left out${rest}`;
    }
  }
}

async function index(job: IndexJob, ports: FollowPorts): Promise<Indexed | Skipped> {
  const at = await currentHead(ports);
  if (at.kind === "skipped") return at;
  const { repo, tree, config } = at;
  await ports.labels.give(repo, config.knowledge.sharing.gives);
  const { corpora, retrieval } = config.knowledge;
  // A corpus that is never searched need not be remembered.
  if (!corpora.docs || !retrieval.enabled) {
    await forgetDocuments(repo, ports);
    return { kind: "skipped", reason: "the configuration remembers no documents" };
  }
  const page = `https://${repo.host}/${repo.owner}/${repo.name}/blob/${tree.commit}`;
  const request = {
    repo,
    at: ports.now(),
    remembering: { redact: ports.redact },
    urlOf: (path: string) => `${page}/${path.split("/").map(encodeURIComponent).join("/")}`,
    most: MOST_OF_A_RUN,
    after: job.after,
    wordsOnly: config.knowledge.embeddings === "off",
    corpus: "doc" as const,
  };
  return indexRepository(request, { ...ports, tree });
}

async function forgetDocuments(repo: Repo, { memory, embedder }: FollowPorts): Promise<void> {
  const known = await memory.known(repoKey(repo), "doc", embedder.space, null);
  if (known.size > 0)
    await memory.forget(
      repoKey(repo),
      [...known.values()].map(({ id }) => id),
    );
}

/** `known` is false when memory has nothing about the repository. */
async function label(job: LabelJob, ports: FollowPorts) {
  const found = await ports.host.lookUp();
  // What we can no longer see ourselves is shown to no one else.
  const repo: Repo = found.kind === "reachable" ? found.repo : { ...job.repo, visibility: "private" };
  const known = await ports.labels.relabel(repo);
  const tree = found.kind === "reachable" ? await found.head() : null;
  // As the default branch configures it, with the owner's defaults.
  const now = tree === null ? null : await configAt(repo, tree.commit, ports.pulls, ports.known);
  await ports.labels.give(repo, now?.config.knowledge.sharing.gives ?? false);
  // Hidden first; what was removed is forgotten as well.
  if (found.kind === "unreachable") unreached(found);
  return { kind: "relabelled", repo, known } as const;
}

/** Before a repository without an answer is looked up again: the first delay, then doubled. */
const ASK_AGAIN_MS = { first: 5_000, longest: 60 * 60_000 };

/** Unconfirmed: its host gave no definite answer whether it still exists, and is asked again. */
async function forget(job: ForgetJob, ports: FollowPorts) {
  const found = await ports.host.lookUp();
  // Added again since, or the delivery is an old one.
  if (found.kind === "reachable") return { kind: "skipped", reason: "the App still reaches the repository" } as const;
  // As while the installation is suspended, for months perhaps: it may have been removed meanwhile.
  if (!found.isMissing) {
    // Counts attempts instead of time: clocks of several processes differ, and may be changed.
    const { first, longest } = ASK_AGAIN_MS;
    const inMs = Math.min(longest, first * 2 ** job.asked);
    return { kind: "unconfirmed", reason: found.reason, inMs } as const;
  }
  const first = await forgetAll(job.repo, ports);
  // A review that was just posted is stored shortly after, and deleted once its job has ended.
  const { running, ended } = await ports.traces.besides(job.repo, job.key);
  if (running > 0)
    throw new Transient(
      `${counted(running, "job")} about the repository not done yet; what is written is forgotten then`,
    );
  const rest = ended > 0 ? await forgetAll(job.repo, ports) : null;
  const [records, reviews] = [first.records + (rest?.records ?? 0), first.reviews + (rest?.reviews ?? 0)];
  return { kind: "forgotten", records, reviews } as const;
}

async function forgetAll(repo: Repo, { traces, memory }: FollowPorts) {
  const reviews = await traces.forgetRepository(repo);
  return { reviews, records: await memory.forgetRepository(repoKey(repo)) };
}

/**
 * The head of the default branch, with its configuration. Sets the labels before anything is added,
 * so that a write can only narrow who may read it.
 *
 * @throws Transient when its host can be asked later; OutOfReach when it says that it was removed
 */
async function currentHead({ host, pulls, known, labels, describing: { access } }: FollowPorts) {
  const found = await host.lookUp();
  if (found.kind === "unreachable") return unreached(found);
  await labels.relabel(found.repo);
  const tree = await found.head();
  if (tree === null) return { kind: "skipped", reason: "nothing was committed yet" } as const;
  const { config } = await configAt(found.repo, tree.commit, pulls, knownFor({ known, access }));
  return { kind: "head", repo: found.repo, tree, config } as const;
}

/** @throws OutOfReach when the host says that it no longer exists: then it is forgotten as well */
function unreached({ reason, isMissing }: Unreachable): Skipped {
  if (isMissing) throw new OutOfReach("missing", 404, reason);
  return { kind: "skipped", reason };
}

/** The additional ports of an import. */
export interface HistoryFollowing {
  /** The past reviews of a repository; null when it is inaccessible. */
  readonly past: (repo: Repo) => Promise<PastReviews | null>;
  readonly store: HistoryStore;
  /** Our own account: `kodiai[bot]`. */
  readonly botLogin: string;
}

/** The newest pull requests: older ones are about other code. Bounds cost, time and disk. */
const LIMIT = 2_000;

/** Requests of one run: two or three minutes, well within a worker's time for a job. */
const REQUESTS = 400;

/**
 * Imports the whole past, or one closed pull request.
 *
 * @throws Transient when GitHub or memory can be asked later; the next attempt continues there
 */
async function followHistory({ number }: HistoryJob, ports: FollowPorts): Promise<HistoryRun | ImportedPull | Skipped> {
  const { past: pastOf, store, botLogin } = ports.history;
  const at = await currentHead(ports);
  if (at.kind === "skipped") return at;
  const { repo, config } = at;
  // Reviews that are never searched need not be remembered.
  if (!config.knowledge.retrieval.enabled) return { kind: "skipped", reason: "knowledge.retrieval.enabled is false" };
  const past = await pastOf(repo);
  if (past === null) return { kind: "skipped", reason: "the App does not reach the repository" };
  const keeping = { ...ports, past };
  if (number !== null) return importPull(number, { repo, ownLogin: botLogin }, keeping);
  const request = { repo, since: null, limit: LIMIT, most: REQUESTS, ownLogin: botLogin, at: ports.now };
  return importHistory(request, { ...keeping, store });
}

/** Memories of one run: a minute or two. The rest is another job, so that others get their turn. */
const MOST_DESCRIBED = 48;

/** @throws Transient when memory or the model can be asked later; what was written stays */
async function describeRepository({ after }: DescribeJob, ports: FollowPorts): Promise<DescribedMemories | Skipped> {
  const { recall, access } = ports.describing;
  if (access === null) return { kind: "skipped", reason: "there is no model" };
  const at = await currentHead(ports);
  if (at.kind === "skipped") return at;
  const { repo, config } = at;
  if (config.knowledge.describe === "off") return { kind: "skipped", reason: "knowledge.describe is off" };
  if (config.review.model === "off") return { kind: "skipped", reason: "review.model is off" };
  const wish = {
    repo,
    most: MOST_DESCRIBED,
    after,
    usdPerMonth: config.review.budget.usdPerMonth,
    remembering: { redact: ports.redact },
  };
  const done = await describeMemories(wish, { ...ports, recall, access });
  if (done.stopped?.again === true) throw new Transient(describedLine(done), done.stopped.notBefore);
  return done;
}
