// Ports -> what the pages about everything show: overview, repositories, reviews, retrieval, jobs.
import { repoKey } from "../domain/memory.ts";
import { retrievalAlerts } from "../domain/retrieval-alerts.ts";
import type { JobState, KeptJob } from "../ports/jobs.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";
import { DAY_MS, lastDays } from "./days.ts";
import type { JobsView, ShownJob } from "./jobs.ts";
import type { Overview } from "./overview.ts";
import type { RepositoryLine } from "./repositories.ts";
import type { RetrievalView } from "./retrieval.ts";
import type { ReviewsView } from "./reviews.ts";

const ONE_PAGE = 25;
const MOST_JOBS = 200;
/** Points in a picture that is a few hundred pixels wide. */
const MOST_TIMES = 500;
const OPEN: readonly JobState[] = ["waiting", "running", "dead"];

export async function readOverview(
  { work, memory, health, model, now }: DashboardPorts,
  days: number,
): Promise<Overview> {
  const at = now();
  const [since = at] = lastDays(at, days);
  const [reviewDays, reviews, spending, jobs, state] = await Promise.all([
    work.reviewDays(null, since),
    work.reviews(null, { skip: 0, most: 0 }),
    work.spendingDays(null, since),
    work.jobCounts(),
    health(),
  ]);
  const findings = (await memory?.figures.findingOutcomes(null)) ?? null;
  const decidedDays = (await memory?.figures.decidedDays(null, since)) ?? [];
  return {
    now: at,
    days,
    reviewDays,
    reviews: reviews.total,
    findings,
    decidedDays,
    spending,
    model,
    jobs,
    health: state,
  };
}

/** By name. A repository of which nothing is remembered is named by its last review. */
export async function readRepositories({ work, memory }: DashboardPorts): Promise<readonly RepositoryLine[]> {
  const reviewed = new Map((await work.reviewed()).map((one) => [one.repo, one]));
  const known = (await memory?.labels.all()) ?? [];
  const remembered = known.map(async (repo): Promise<RepositoryLine> => {
    const key = repoKey(repo);
    const counts = await memory?.export.recall.counts({ repo: key, ownerPool: null, excludePull: null, before: null });
    const { reviews = 0, posted = 0, lastAt = null } = reviewed.get(key) ?? {};
    const name = `${repo.owner}/${repo.name}`;
    return { key, name, visibility: repo.visibility, memories: counts?.total ?? null, reviews, posted, lastAt };
  });
  const keys = new Set(known.map((repo) => repoKey(repo)));
  const others = [...reviewed.values()].map(async ({ repo, reviews, posted, lastAt }): Promise<RepositoryLine[]> => {
    if (keys.has(repo)) return [];
    const [last] = (await work.reviews(repo, { skip: 0, most: 1 })).reviews;
    const of = last?.review.repo;
    const name = of === undefined ? repo : `${of.owner}/${of.name}`;
    const memories = memory === null ? null : 0;
    return [{ key: repo, name, visibility: of?.visibility ?? null, memories, reviews, posted, lastAt }];
  });
  const lines = [...(await Promise.all(remembered)), ...(await Promise.all(others)).flat()];
  return lines.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function readReviews(ports: DashboardPorts, repo: string | null, page: number): Promise<ReviewsView> {
  const { total, reviews } = await ports.work.reviews(repo, { skip: (page - 1) * ONE_PAGE, most: ONE_PAGE });
  const of = reviews[0]?.review.repo;
  const name = repo === null ? null : of === undefined ? repo : `${of.owner}/${of.name}`;
  return { repo, name, total, reviews, page, pages: Math.max(1, Math.ceil(total / ONE_PAGE)) };
}

export async function readRetrieval({ statistics, work, now }: DashboardPorts, days: number): Promise<RetrievalView> {
  const ms = days * DAY_MS;
  const figures = await statistics.read({ ms, repo: null });
  const times = await work.searchTimes(null, now() - ms, MOST_TIMES);
  return { days, figures, alerts: retrievalAlerts(figures), times };
}

/** @param state "" for what needs a look, or will happen */
export async function readJobs(
  { jobs, work }: DashboardPorts,
  state: JobState | "",
  formToken: string,
): Promise<JobsView> {
  const kept = await jobs.list(state === "" ? OPEN : [state], MOST_JOBS);
  return { state, jobs: kept.map(shownJob), counts: await work.jobCounts(), formToken, most: MOST_JOBS };
}

function shownJob({ job, ...kept }: KeptJob): ShownJob {
  const kind = job.kind === "command" && job.command.kind === "verb" ? job.command.verb : job.kind;
  return { ...kept, kind, repo: job.repo, number: "number" in job ? (job.number ?? null) : null };
}
