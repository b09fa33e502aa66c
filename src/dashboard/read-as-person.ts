// Ports as a person sees them who may write to some repositories: what is about others, or about the process, is not there.
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
const NO_REVIEWS = { total: 0, reviews: [] };

/**
 * Every port asks first whether the repository is one of theirs, so that no page needs to.
 *
 * @param mine where they may write
 */
export function readAsPerson(
  ports: DashboardPorts,
  mine: ReadonlySet<RepoKey>,
  viewer: NonNullable<DashboardPorts["viewer"]>,
): DashboardPorts {
  const { work, jobs, statistics, history, memory } = ports;
  const isMine = (of: RepoKey | null): of is RepoKey => of !== null && mine.has(of);
  const ofPull = (key: string) => isMine(key.slice(0, key.lastIndexOf("#")));
  const ownJob = async (id: number) => {
    const found = await jobs.find(id);
    return found !== null && isMine(repoKey(found.job.repo)) ? inPublic(found) : null;
  };
  return {
    ...ports,
    viewer,
    variables: null,
    choices: [],
    memory: memory === null ? null : memoryOf(memory, isMine),
    history: { of: async (of) => (isMine(of) ? history.of(of) : null) },
    statistics: {
      read: async (window) => statistics.read({ ...window, repo: isMine(window.repo) ? window.repo : NO_REPOSITORY }),
    },
    work: {
      reviews: async (of, slice) => (isMine(of) ? work.reviews(of, slice) : NO_REVIEWS),
      review: async (key, head) => (ofPull(key) ? work.review(key, head) : null),
      reviewDays: async (of, since) => (isMine(of) ? work.reviewDays(of, since) : []),
      reviewed: async () => (await work.reviewed()).filter(({ repo }) => mine.has(repo)),
      retrievalBefore: async (of, pull, at) => (isMine(of) ? work.retrievalBefore(of, pull, at) : null),
      searchTimes: async (of, since, most) => (isMine(of) ? work.searchTimes(of, since, most) : []),
      spendingDays: async (of, since) => (isMine(of) ? work.spendingDays(of, since) : []),
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

/** How a job ended may quote an error: without hosts, addresses and paths of the machine that it ran on. */
function inPublic(job: KeptJob): KeptJob {
  return { ...job, outcome: job.outcome === null ? null : publicErrorText(job.outcome, MOST_OUTCOME) };
}

/** No repository's key looks like that: what is asked of it is nothing. */
const NO_REPOSITORY = "nobody/0";
const REFUSED = { kind: "refused", reason: "it is not of a repository of theirs" } as const;

function memoryOf(memory: MemoryShown, isMine: (of: RepoKey | null) => of is RepoKey): MemoryShown {
  const { figures, labels, forget, declined, restoring, replays, search } = memory;
  return {
    ...memory,
    figures: {
      findingOutcomes: async (of) => (isMine(of) ? figures.findingOutcomes(of) : []),
      decidedDays: async (of, since) => (isMine(of) ? figures.decidedDays(of, since) : []),
      memories: async (of, list, slice) => (isMine(of) ? figures.memories(of, list, slice) : { total: 0, ids: [] }),
      declinedRules: async (of, most) => (isMine(of) ? figures.declinedRules(of, most) : []),
      taken: async (of) => (isMine(of) ? figures.taken(of) : new Map()),
      take: async (of, id, at) => isMine(of) && figures.take(of, id, at),
      untake: async (of, ids) => (isMine(of) ? figures.untake(of, ids) : 0),
    },
    labels: { all: async () => (await labels.all()).filter((repo) => isMine(repoKey(repo))) },
    search: { ...search, recall: ownRecall(search.recall, isMine) },
    export: {
      ...memory.export,
      get space() {
        return memory.export.space;
      },
      recall: ownRecall(memory.export.recall, isMine),
    },
    forget: async (of, ids) => (isMine(of) ? forget(of, ids) : 0),
    declined: { rejected: async (of) => (isMine(of) ? declined.rejected(of) : []) },
    restoring: {
      ...restoring,
      past: {
        ...restoring.past,
        restore: async (of, id) => (isMine(of) ? restoring.past.restore(of, id) : 0),
        rejected: async (of) => (isMine(of) ? restoring.past.rejected(of) : []),
      },
      evidence: {
        ...restoring.evidence,
        pullOf: async (of, id) => (isMine(of) ? restoring.evidence.pullOf(of, id) : null),
        evidence: async (of, pull) => (isMine(of) ? restoring.evidence.evidence(of, pull) : []),
      },
    },
    replays: { ...replays, of: async (of) => (isMine(of) ? replays.of(of) : null) },
  };
}

/** Of one's own repositories, and without what others of their owner share with them: who may write here may not read there. */
export function ownRecall(recall: Recall, isMine: (of: RepoKey | null) => of is RepoKey): Recall {
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
