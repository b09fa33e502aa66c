// Ports as somebody sees them who may write to some repositories: whatever is about others, or about the process, is not there.
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { DashboardPorts, MemoryShown } from "./dashboard-ports.ts";

/** So many jobs are looked through for those of one's own. */
const MOST_JOBS = 5_000;
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
    return found !== null && isMine(repoKey(found.job.repo)) ? found : null;
  };
  return {
    ...ports,
    viewer,
    variables: null,
    choices: [],
    memory: memory === null ? null : memoryOf(memory, isMine),
    history: { of: async (of) => (isMine(of) ? history.of(of) : null) },
    statistics: {
      read: async (window) => statistics.read({ ...window, repo: isMine(window.repo) ? window.repo : NOBODYS }),
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
        (await jobs.list(states, MOST_JOBS)).filter(({ job }) => isMine(repoKey(job.repo))).slice(0, most),
      find: ownJob,
      retry: async (id) => ((await ownJob(id)) === null ? REFUSED : jobs.retry(id)),
      drop: async () => REFUSED,
    },
  };
}

/** No repository's key looks like that: what is asked of it is nothing. */
const NOBODYS = "nobody/0";
const REFUSED = { kind: "refused", reason: "it is not of a repository of theirs" } as const;

function memoryOf(memory: MemoryShown, isMine: (of: RepoKey | null) => of is RepoKey): MemoryShown {
  const { figures, labels, forget, declined, restoring, replays, search } = memory;
  const { recall } = memory.export;
  return {
    ...memory,
    figures: {
      findingOutcomes: async (of) => (isMine(of) ? figures.findingOutcomes(of) : []),
      decidedDays: async (of, since) => (isMine(of) ? figures.decidedDays(of, since) : []),
      memories: async (of, list, slice) => (isMine(of) ? figures.memories(of, list, slice) : { total: 0, ids: [] }),
      taken: async (of) => (isMine(of) ? figures.taken(of) : new Map()),
      take: async (of, id, at) => isMine(of) && figures.take(of, id, at),
      untake: async (of, ids) => (isMine(of) ? figures.untake(of, ids) : 0),
    },
    labels: { all: async () => (await labels.all()).filter((repo) => isMine(repoKey(repo))) },
    search,
    export: {
      ...memory.export,
      get space() {
        return memory.export.space;
      },
      recall: { ...recall, records: async (scope, ids) => (isMine(scope.repo) ? recall.records(scope, ids) : []) },
    },
    forget: async (of, ids) => (isMine(of) ? forget(of, ids) : 0),
    declined: { rejected: async (of) => (isMine(of) ? declined.rejected(of) : []) },
    restoring,
    replays: { ...replays, of: async (of) => (isMine(of) ? replays.of(of) : null) },
  };
}
