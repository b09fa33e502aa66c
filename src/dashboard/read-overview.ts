// Ports -> what the pages about everything show: overview, repositories, reviews, retrieval, jobs.

import { retrievalAlerts } from "../domain/figures/retrieval-figures.ts";
import type { RepoKey } from "../domain/memory.ts";
import type { JobState, KeptJob } from "../ports/jobs.ts";
import type { DashboardPorts, MemoryShown } from "./dashboard-ports.ts";
import { DAY_MS, lastDays, lastWeeks } from "./days.ts";
import { readChosen, readKnown, scopeOf } from "./read-known.ts";

/** As many weeks show where something goes. */
const LEAST_WEEKS = 12;
/** Lines under a heading of what needs attention, and the reviews that are looked through for what was held back. */
const MOST_LINES = 5;
const LATEST_REVIEWS = 20;
const ONE_PAGE = 25;
const MOST_JOBS = 200;
/** Points in a picture that is a few hundred pixels wide. */
const MOST_TIMES = 500;
const OPEN: readonly JobState[] = ["waiting", "running", "parked"];

export type Overview = Awaited<ReturnType<typeof readOverview>>;
export type RepositoryLine = Awaited<ReturnType<typeof readRepositories>>[number];
export type ReviewsView = Awaited<ReturnType<typeof readReviews>>;
export type RetrievalView = Awaited<ReturnType<typeof readRetrieval>>;
export type JobsView = Awaited<ReturnType<typeof readJobs>>;

/** @param wanted the repository that the page is asked for; all together without it */
export async function readOverview(ports: DashboardPorts, days: number, wanted: string) {
  const { work, memory, health, model, now, viewer } = ports;
  const at = now();
  const [since = at] = lastDays(at, days);
  const weeks = lastWeeks(at, Math.max(LEAST_WEEKS, Math.ceil(days / 7) + 1));
  const choice = await readChosen(ports, wanted);
  const of = choice.chosen;
  const [reviewDays, reviews, spending] = await Promise.all([
    work.reviewDays(of, since),
    work.reviews(of, { skip: 0, most: LATEST_REVIEWS }),
    work.spendingDays(of, since),
  ]);
  const decidedDays = (await memory?.figures.decidedDays(of, Math.min(since, weeks[0] ?? since))) ?? [];
  const isOperator = viewer === null;
  return {
    now: at,
    days,
    /** Mondays (UTC) of the weeks for which acceptance is shown, this week's last. */
    weeks,
    choice,
    reviewDays,
    decidedDays,
    spending,
    model,
    reviews: reviews.total,
    /** What a person may want to answer, change or undo, newest first. */
    attention: {
      unanswered: await unanswered(memory, of),
      declinedRules: (await memory?.figures.declinedRules(of, MOST_LINES)) ?? [],
      heldBack: reviews.reviews
        .flatMap((one) => one.review.heldBack.map((held) => ({ of: one, held })))
        // Each push of a pull request holds the same finding back again.
        .filter(({ held }, at, all) => all.findIndex((one) => one.held.finding.id === held.finding.id) === at)
        .slice(0, MOST_LINES),
    },
    /** Null if memory could not be opened. */
    findings: (await memory?.figures.findingOutcomes(of)) ?? null,
    // Of the process and not of a repository: null for a person.
    jobs: isOperator ? await work.jobCounts() : null,
    health: isOperator ? await health() : null,
  };
}

/** Findings without an answer. */
async function unanswered(memory: MemoryShown | null, of: RepoKey | null) {
  if (memory === null) return { total: 0, newest: [] };
  const wanted = { corpus: "finding", outcome: "posted", language: null } as const;
  const { total, ids } = await memory.figures.memories(of, wanted, { skip: 0, most: MOST_LINES });
  const newest = await Promise.all(ids.map(({ repo, id }) => memory.export.recall.records(scopeOf(repo), [id])));
  return { total, newest: newest.flat() };
}

/** By name. */
export async function readRepositories(ports: DashboardPorts) {
  const { work, memory } = ports;
  const reviewed = new Map((await work.reviewed()).map((one) => [one.repo, one]));
  const lines = (await readKnown(ports)).map(async ({ key, name, visibility, isRemembered }) => {
    const memories = isRemembered ? (await memory?.export.recall.counts(scopeOf(key)))?.total : 0;
    const { reviews = 0, posted = 0, lastAt = null } = reviewed.get(key) ?? {};
    return { key, name, visibility, memories: memory === null ? null : (memories ?? null), reviews, posted, lastAt };
  });
  return (await Promise.all(lines)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param wanted as for the overview */
export async function readReviews(ports: DashboardPorts, wanted: string, page: number) {
  const choice = await readChosen(ports, wanted);
  const { total, reviews } = await ports.work.reviews(choice.chosen, { skip: (page - 1) * ONE_PAGE, most: ONE_PAGE });
  return { choice, total, reviews, page, pages: Math.max(1, Math.ceil(total / ONE_PAGE)) };
}

/** @param wanted as for the overview */
export async function readRetrieval(ports: DashboardPorts, days: number, wanted: string) {
  const { statistics, work, now } = ports;
  const ms = days * DAY_MS;
  const choice = await readChosen(ports, wanted);
  const figures = await statistics.read({ ms, repo: choice.chosen });
  const times = await work.searchTimes(choice.chosen, now() - ms, MOST_TIMES);
  return { days, choice, figures, alerts: retrievalAlerts(figures), times };
}

/** @param state "" for what needs a look, or will happen */
export async function readJobs({ jobs, work, viewer, now }: DashboardPorts, state: JobState | "", formToken: string) {
  const kept = await jobs.list(state === "" ? OPEN : [state], MOST_JOBS);
  return {
    state,
    jobs: kept.map((one) => shownJob(one, now())),
    /** Of all repositories; null for a person, who sees their own alone. */
    counts: viewer === null ? await work.jobCounts() : null,
    formToken,
    most: MOST_JOBS,
  };
}

/** What a job is about, never what people wrote. `at` is when it was accepted, in epoch milliseconds. */
function shownJob({ job, ageMs, ...kept }: KeptJob, now: number) {
  const kind = job.kind === "command" && job.command.kind === "verb" ? job.command.verb : job.kind;
  return { ...kept, at: now - ageMs, kind, repo: job.repo, number: "number" in job ? (job.number ?? null) : null };
}
