// Ports as a person sees them: nothing about repositories that they may not write to, or about the
// process.
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { Scope } from "../domain/retrieval.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import type { KeptJob } from "../ports/jobs.ts";
import type { Recall } from "../ports/memory.ts";
import type { DashboardPorts, MemoryShown } from "./dashboard-ports.ts";

/** So many jobs are looked through for those of one's own. */
const MOST_JOBS = 5_000;
/** UTF-16 units of how a job ended. */
const MOST_OUTCOME = 500;

/** Every port asks first whether the repository is one of theirs, so that no page needs to. */
export function readAsPerson(
  ports: DashboardPorts,
  mine: ReadonlySet<RepoKey>,
  viewer: NonNullable<DashboardPorts["viewer"]>,
): DashboardPorts {
  const { work, jobs, statistics, history, memory } = ports;
  const isMine = (of: RepoKey | null): of is RepoKey => of !== null && mine.has(of);
  const only = onlyOf(isMine);
  const ownJob = async (id: number) => {
    const found = await jobs.find(id);
    return found !== null && isMine(repoKey(found.job.repo)) ? inPublic(found) : null;
  };
  return {
    ...ports,
    viewer,
    memory: memory === null ? null : memoryOf(memory, isMine),
    history: { of: only(history.of, null) },
    statistics: {
      read: async (window) => statistics.read({ ...window, repo: isMine(window.repo) ? window.repo : NO_REPOSITORY }),
    },
    work: {
      reviews: only(work.reviews, { total: 0, reviews: [] }),
      review: async (key, head) => (isMine(key.slice(0, key.lastIndexOf("#"))) ? work.review(key, head) : null),
      authors: async (keys) => work.authors(keys.filter((key) => isMine(key.slice(0, key.lastIndexOf("#"))))),
      reviewDays: only(work.reviewDays, []),
      reviewed: async () => (await work.reviewed()).filter(({ repo }) => mine.has(repo)),
      retrievalBefore: only(work.retrievalBefore, null),
      reviewTimes: only(work.reviewTimes, []),
      spendingDays: only(work.spendingDays, []),
      jobCounts: async () => [],
    },
    jobs: {
      list: async (states, most) =>
        (await jobs.list(states, MOST_JOBS))
          .filter(({ job }) => isMine(repoKey(job.repo)))
          .slice(0, most)
          .map(inPublic),
      find: ownJob,
      retry: async (id) => ((await ownJob(id)) === null ? REFUSED : jobs.retry(id)),
      drop: async () => REFUSED,
    },
  };
}

type IsMine = (of: RepoKey | null) => of is RepoKey;

/** Wraps what is asked of one repository: of any other, and of all together, there is nothing. */
function onlyOf(isMine: IsMine) {
  return <Repo extends RepoKey | null, Rest extends unknown[], Answer>(
    ask: (of: Repo, ...rest: Rest) => Promise<Answer>,
    nothing: Answer,
  ) =>
    async (of: Repo, ...rest: Rest): Promise<Answer> =>
      isMine(of) ? ask(of, ...rest) : nothing;
}

/** An error in it names no hosts, addresses and paths of the machine that the job ran on. */
function inPublic(job: KeptJob): KeptJob {
  return { ...job, outcome: job.outcome === null ? null : publicErrorText(job.outcome, MOST_OUTCOME) };
}

/** No repository's key looks like that: what is asked of it is nothing. */
const NO_REPOSITORY = "nobody/0";
const REFUSED = { kind: "refused", reason: "it is not of a repository of theirs" } as const;

function memoryOf(shown: MemoryShown, isMine: IsMine): MemoryShown {
  const { figures, labels, memory, declined, deciding } = shown;
  const { evidence } = deciding;
  const only = onlyOf(isMine);
  return {
    ...shown,
    figures: {
      memoryCount: only(figures.memoryCount, 0),
      findingOutcomes: only(figures.findingOutcomes, []),
      decidedDays: only(figures.decidedDays, []),
      memories: only(figures.memories, { total: 0, ids: [] }),
      decidedRules: only(figures.decidedRules, []),
      decidedPulls: only(figures.decidedPulls, []),
    },
    labels: { all: async () => (await labels.all()).filter((repo) => isMine(repoKey(repo))) },
    recall: ownRecall(shown.recall, isMine),
    memory: { ...memory, forget: only(memory.forget, 0) },
    declined: { rejected: only(declined.rejected, []) },
    deciding: {
      ...deciding,
      evidence: { ...evidence, pullOf: only(evidence.pullOf, null), evidence: only(evidence.evidence, []) },
    },
  };
}

/** Without what others of their owner share with them: who may write here may not read there. */
export function ownRecall(recall: Recall, isMine: IsMine): Recall {
  const own = (scope: Scope): Scope => ({
    ...scope,
    repo: isMine(scope.repo) ? scope.repo : NO_REPOSITORY,
    ownerPool: null,
  });
  return {
    ...recall,
    nearest: (scope, ...rest) => recall.nearest(own(scope), ...rest),
    matching: (scope, ...rest) => recall.matching(own(scope), ...rest),
    records: (scope, ids) => recall.records(own(scope), ids),
    counts: (scope) => recall.counts(own(scope)),
    version: (of) => recall.version(isMine(of) ? of : NO_REPOSITORY),
  };
}
