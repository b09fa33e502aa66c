// Ports -> what pages show. Pages turn it into HTML.

import { retrievalAlerts } from "../domain/figures/retrieval-figures.ts";
import type { Repo } from "../domain/job.ts";
import { canonicalLanguage } from "../domain/language.ts";
import { CORPORA, findingMemoryId, OUTCOMES, type RepoKey, repoKey } from "../domain/memory.ts";
import { NO_ALLOWANCE } from "../domain/model.ts";
import type { Scope } from "../domain/retrieval.ts";
import { searchByHand } from "../flows/memory/search-memory.ts";
import { weighPull } from "../learn/learn.ts";
import type { PullDecisions } from "../ports/dashboard.ts";
import type { JobState, KeptJob } from "../ports/jobs.ts";
import { acceptance } from "./acceptance.ts";
import type { DashboardPorts, MemoryShown } from "./dashboard-ports.ts";
import { DAY_MS, lastDays, lastWeeks } from "./days.ts";
import type { Choice } from "./frame.ts";

/** The repository that was reviewed last comes first; then what is only remembered, by name. */
export async function readKnown({ work, memory }: DashboardPorts) {
  const labels = new Map(((await memory?.labels.all()) ?? []).map((repo) => [repoKey(repo), repo]));
  const reviewed = (await work.reviewed()).toSorted((a, b) => b.lastAt - a.lastAt).map(({ repo }) => repo);
  // Of a repository of which nothing is remembered: as its last review called it.
  const last = async (key: RepoKey) => (await work.reviews(key, { skip: 0, most: 1 })).reviews[0]?.review.repo;
  const first = await Promise.all(reviewed.map(async (key) => named(key, labels.get(key) ?? (await last(key)))));
  const rest = [...labels].flatMap(([key, repo]) => (reviewed.includes(key) ? [] : [named(key, repo)]));
  const all = [...first, ...rest.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  return all.map((known) => ({ ...known, isRemembered: labels.has(known.key) }));
}

/** OWNER/NAME, or the key where no name is known. */
function named(key: RepoKey, repo: Repo | undefined) {
  return { key, name: repo === undefined ? key : `${repo.owner}/${repo.name}`, visibility: repo?.visibility ?? null };
}

/** Everything of one repository, and nothing that others share with it. */
function scopeOf(repo: RepoKey): Scope {
  return { repo, ownerPool: null, excludePull: null, before: null };
}

/** @param wanted of the address; what is not known, or not theirs, counts as nothing */
async function readChosen(ports: DashboardPorts, wanted: string): Promise<Choice> {
  const repositories = await readKnown(ports);
  const maySeeAll = ports.viewer === null;
  const chosen = repositories.find(({ key }) => key === wanted) ?? (maySeeAll ? undefined : repositories[0]);
  return { repositories, chosen: chosen?.key ?? null, maySeeAll };
}

const LEAST_WEEKS = 12;
/** Lines under a heading of what needs attention, and the reviews searched for held-back ones. */
const MOST_LINES = 5;
const LATEST_REVIEWS = 20;
const MOST_RULES = 10;
/** A stored review is read for the author of each. */
const MOST_DECIDED_PULLS = 200;
const REVIEWS_A_PAGE = 25;
const MOST_JOBS = 200;
/** Half of so many newest reviews took the time that is shown, or less. */
const MOST_TIMES = 500;
const OPEN: readonly JobState[] = ["waiting", "running", "parked"];

export type { Imported } from "../flows/memory/memory-file.ts";
export type Overview = Awaited<ReturnType<typeof readOverview>>;
export type RepositoriesView = Awaited<ReturnType<typeof readRepositories>>;
export type RepositoryLine = Awaited<ReturnType<typeof repositoryLines>>[number];
export type ReviewsView = Awaited<ReturnType<typeof readReviews>>;
export type RetrievalView = Awaited<ReturnType<typeof readRetrieval>>;
export type JobsView = Awaited<ReturnType<typeof readJobs>>;

/** @param wanted the repository that the page is asked for; all together without it */
export async function readOverview(ports: DashboardPorts, days: number, wanted: string) {
  const { work, memory, health, model, now, viewer } = ports;
  const at = now();
  const [since = at] = lastDays(at, days);
  const before = since - days * DAY_MS;
  const weeks = lastWeeks(at, Math.max(LEAST_WEEKS, Math.ceil(days / 7) + 1));
  const choice = await readChosen(ports, wanted);
  const of = choice.chosen;
  const [reviewDays, reviews, reviewTimes, spending] = await Promise.all([
    work.reviewDays(of, before),
    work.reviews(of, { skip: 0, most: LATEST_REVIEWS }),
    work.reviewTimes(of, since, MOST_TIMES),
    work.spendingDays(of, since),
  ]);
  const decidedDays = (await memory?.figures.decidedDays(of, Math.min(before, weeks[0] ?? before))) ?? [];
  const isOperator = viewer === null;
  return {
    now: at,
    days,
    /** Midnight (UTC) at which the window begins; the days before it are as many again. */
    since,
    before,
    /** Mondays (UTC) of the weeks for which acceptance is shown, this week's last. */
    weeks,
    choice,
    reviewDays,
    decidedDays,
    reviewTimes,
    spending,
    model,
    rules: (await memory?.figures.decidedRules(of, MOST_RULES)) ?? [],
    authors: await decidedAuthors(ports, of),
    reviews: reviews.total,
    /** What a person may want to answer, change or undo, newest first. */
    attention: {
      unanswered: await unanswered(memory, of),
      heldBack: reviews.reviews
        .flatMap((review) => review.review.heldBack.map((held) => ({ of: review, held })))
        // Each push of a pull request holds the same finding back again.
        .filter(({ held }, at, all) => all.findIndex((other) => other.held.finding.id === held.finding.id) === at)
        .slice(0, MOST_LINES),
    },
    /** Null if memory could not be opened. */
    findings: (await memory?.figures.findingOutcomes(of)) ?? null,
    // Of the process and not of a repository: null for a person.
    jobs: isOperator ? await work.jobCounts() : null,
    health: isOperator ? await health() : null,
  };
}

/** Acceptance by who opened the pull request, of the newest ones with decisions. */
async function decidedAuthors({ memory, work }: DashboardPorts, of: RepoKey | null) {
  const pulls = (await memory?.figures.decidedPulls(of, MOST_DECIDED_PULLS)) ?? [];
  const keyOf = ({ repo, pull }: PullDecisions) => `${repo}#${pull}`;
  const authors = await work.authors(pulls.map(keyOf));
  const byAuthor = Map.groupBy(pulls, (pull) => authors.get(keyOf(pull)) ?? "not known");
  const sum = (list: readonly PullDecisions[], name: "taken" | "declined" | "all") =>
    list.reduce((count, pull) => count + pull[name], 0);
  return [...byAuthor]
    .map(([author, list]) => ({
      author,
      taken: sum(list, "taken"),
      declined: sum(list, "declined"),
      all: sum(list, "all"),
    }))
    .sort((a, b) => b.taken + b.declined - a.taken - a.declined || (a.author < b.author ? -1 : 1))
    .slice(0, MOST_RULES);
}

async function unanswered(memory: MemoryShown | null, of: RepoKey | null) {
  if (memory === null) return { total: 0, newest: [] };
  const wanted = { corpus: "finding", outcome: "posted", language: null } as const;
  const { total, ids } = await memory.figures.memories(of, wanted, { skip: 0, most: MOST_LINES });
  const newest = await Promise.all(ids.map(({ repo, id }) => memory.recall.records(scopeOf(repo), [id])));
  return { total, newest: newest.flat() };
}

/** Days over which the cost of a repository is summed. */
const COST_DAYS = 30;

export const REPOSITORY_ORDERS = ["name", "memories", "reviews", "taken up", "cost", "last"] as const;
export type RepositoryOrder = (typeof REPOSITORY_ORDERS)[number];

/** By the wanted order, the largest first; equals by name. */
export async function readRepositories(ports: DashboardPorts, order: RepositoryOrder) {
  const lines = (await repositoryLines(ports)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const weightOf = RANKED[order];
  return { order, lines: lines.sort((a, b) => weightOf(b) - weightOf(a)) };
}

const RANKED: Readonly<Record<RepositoryOrder, (line: RepositoryLine) => number>> = {
  name: () => 0,
  memories: ({ memories }) => memories ?? 0,
  reviews: ({ reviews }) => reviews,
  "taken up": ({ findings }) => acceptance(findings).share ?? -1,
  cost: ({ usd }) => usd,
  last: ({ lastAt }) => lastAt ?? 0,
};

async function repositoryLines(ports: DashboardPorts) {
  const { work, memory, history, jobs, now } = ports;
  const [since = now()] = lastDays(now(), COST_DAYS);
  const parked = Map.groupBy(await jobs.list(["parked"], MOST_JOBS), ({ job }) => repoKey(job.repo));
  const reviewed = new Map((await work.reviewed()).map((counts) => [counts.repo, counts]));
  const lines = (await readKnown(ports)).map(async ({ key, name, visibility, isRemembered }) => {
    const memories = isRemembered ? await memory?.figures.memoryCount(key) : 0;
    const { reviews = 0, posted = 0, lastAt = null } = reviewed.get(key) ?? {};
    const spending = await work.spendingDays(key, since);
    return {
      key,
      name,
      visibility,
      reviews,
      posted,
      lastAt,
      memories: memory === null ? null : (memories ?? null),
      /** Null if memory could not be opened. */
      findings: (await memory?.figures.findingOutcomes(key)) ?? null,
      /** US$ of the last 30 days. */
      usd: spending.reduce((sum, { usd }) => sum + usd, 0),
      isImporting: (await history.of(key))?.finishedAt === null,
      parked: parked.get(key)?.length ?? 0,
    };
  });
  return Promise.all(lines);
}

export async function readReviews(ports: DashboardPorts, wanted: string, page: number) {
  const choice = await readChosen(ports, wanted);
  const { total, reviews } = await ports.work.reviews(choice.chosen, {
    skip: (page - 1) * REVIEWS_A_PAGE,
    most: REVIEWS_A_PAGE,
  });
  return { choice, total, reviews, page, pages: Math.max(1, Math.ceil(total / REVIEWS_A_PAGE)) };
}

export async function readRetrieval(ports: DashboardPorts, days: number, wanted: string) {
  const choice = await readChosen(ports, wanted);
  const figures = await ports.statistics.read({ ms: days * DAY_MS, repo: choice.chosen });
  return { days, choice, figures, alerts: retrievalAlerts(figures) };
}

/** @param state "" for what needs a look, or will happen */
export async function readJobs({ jobs, work, viewer, now }: DashboardPorts, state: JobState | "", formToken: string) {
  const kept = await jobs.list(state === "" ? OPEN : [state], MOST_JOBS);
  return {
    state,
    jobs: kept.map((job) => shownJob(job, now())),
    /** Of all repositories; null for a person, who sees their own alone. */
    counts: viewer === null ? await work.jobCounts() : null,
    formToken,
    most: MOST_JOBS,
  };
}

/** What a job is about, never what people wrote. `at` is when it was accepted (epoch ms). */
function shownJob({ job, ageMs, ...kept }: KeptJob, now: number) {
  const kind = job.kind === "command" && job.command.kind === "verb" ? job.command.verb : job.kind;
  return { ...kept, at: now - ageMs, kind, repo: job.repo, number: "number" in job ? (job.number ?? null) : null };
}

const MEMORIES_A_PAGE = 50;
const FOUND = 20;

export type RepositoryView = NonNullable<Awaited<ReturnType<typeof readRepository>>>;
export type MemoriesView = Awaited<ReturnType<typeof readMemories>>;
export type ListedMemories = Awaited<ReturnType<typeof listed>>;
export type FoundMemories = NonNullable<Awaited<ReturnType<typeof searched>>>;
export type MemoryView = NonNullable<Awaited<ReturnType<typeof readMemory>>>;
export type ReviewView = NonNullable<Awaited<ReturnType<typeof readReview>>>;

/** As the form says it; "" asks nothing. */
export interface MemoryQuestion {
  /** "": of all repositories together, for the operator. */
  readonly repo: RepoKey;
  readonly q: string;
  readonly method: "hybrid" | "semantic" | "keyword";
  readonly corpus: string;
  readonly outcome: string;
  readonly language: string;
}

/** Null where nothing is remembered of it. */
export async function knownRepository(memory: MemoryShown, key: RepoKey): Promise<Repo | null> {
  return (await memory.labels.all()).find((repo) => repoKey(repo) === key) ?? null;
}

export async function readRepository({ work, memory, history, now }: DashboardPorts, key: RepoKey, formToken: string) {
  const repo = memory === null ? null : await knownRepository(memory, key);
  const { total, reviews } = await work.reviews(key, { skip: 0, most: 1 });
  const of = repo ?? reviews[0]?.review.repo;
  if (of === undefined) return null;
  return {
    key,
    formToken,
    name: `${of.owner}/${of.name}`,
    visibility: of.visibility,
    now: now(),
    reviews: total,
    progress: await history.of(key),
    /** Null if nothing is remembered of it, or memory could not be opened. */
    memory: memory === null || repo === null ? null : await remembered(memory, key),
  };
}

async function remembered(memory: MemoryShown, key: RepoKey) {
  return {
    counts: await memory.recall.counts(scopeOf(key)),
    fields: await memory.memory.fieldCounts(key),
    findings: await memory.figures.findingOutcomes(key),
  };
}

/** `problem` says why nothing can be asked; null when something can. */
export async function readMemories(
  { memory, health, viewer, now }: DashboardPorts,
  question: MemoryQuestion,
  page: number,
) {
  if (memory === null)
    return { repositories: [], problem: (await health()).memoryProblem ?? "memory is off", question, shown: null };
  const known = await memory.labels.all();
  const repositories = known.map((repo) => ({ key: repoKey(repo), name: `${repo.owner}/${repo.name}` }));
  const isOfAll = question.repo === "" && question.q.trim() === "" && viewer === null;
  const repo = known.find((repo) => repoKey(repo) === question.repo) ?? known[0];
  if (repo === undefined) return { repositories, problem: null, question, shown: null };
  if (isOfAll) return { repositories, problem: null, question, shown: await listed(memory, question, page) };
  const ofRepository = { ...question, repo: repoKey(repo) };
  const shown =
    question.q.trim() === ""
      ? await listed(memory, ofRepository, page)
      : await searched(memory, repo, ofRepository, now);
  return { repositories, problem: null, question: ofRepository, shown };
}

async function listed(memory: MemoryShown, question: MemoryQuestion, page: number) {
  const list = {
    corpus: CORPORA.find((name) => name === question.corpus) ?? null,
    outcome: OUTCOMES.find((name) => name === question.outcome) ?? null,
    language: question.language.trim() === "" ? null : canonicalLanguage(question.language.trim()),
  };
  const part = { skip: (page - 1) * MEMORIES_A_PAGE, most: MEMORIES_A_PAGE };
  const { total, ids } = await memory.figures.memories(question.repo === "" ? null : question.repo, list, part);
  const found = await Promise.all(
    [...Map.groupBy(ids, ({ repo }) => repo)].map(([repo, of]) =>
      memory.recall.records(
        scopeOf(repo),
        of.map(({ id }) => id),
      ),
    ),
  );
  const byId = new Map(found.flat().map((record) => [record.id, record]));
  const records = ids.flatMap(({ id }) => byId.get(id) ?? []);
  return { kind: "list" as const, records, total, page, pages: Math.max(1, Math.ceil(total / MEMORIES_A_PAGE)) };
}

/** As a review searches. The search knows no outcomes: they are filtered afterwards. */
async function searched(memory: MemoryShown, repo: Repo, question: MemoryQuestion, now: () => number) {
  const corpus = CORPORA.find((name) => name === question.corpus);
  const filter = {
    ...(corpus === undefined ? {} : { corpora: [corpus] }),
    languages: question.language.trim() === "" ? [] : [canonicalLanguage(question.language.trim())],
  };
  const wanted = { repo, method: question.method, filter, topK: FOUND, threshold: null, rerank: "auto" } as const;
  const { memories, searches } = await searchByHand([question.q], wanted, {
    ...memory,
    allowance: NO_ALLOWANCE,
    reranker: null,
    now,
  });
  const [only] = searches;
  if (only === undefined) return null;
  const kept = memories.filter(
    ({ memory: { record } }) => question.outcome === "" || record.outcome === question.outcome,
  );
  return { kind: "found" as const, memories: kept, precedents: only.precedents, ms: only.ms };
}

export async function readMemory(memory: MemoryShown, repo: RepoKey, id: string, formToken: string) {
  const [record] = await memory.recall.records(scopeOf(repo), [id]);
  if (record === undefined) return null;
  const { pull } = record.provenance;
  const all = pull === null ? [] : await memory.deciding.evidence.evidence(repo, pull);
  const weighed = weighPull(all, [record]).get(id);
  const declined = (await memory.declined.rejected(repo)).find(({ memoryId }) => memoryId === id);
  return {
    record,
    formToken,
    because: weighed?.because ?? [],
    evidence: weighed?.evidence ?? [],
    declines: declined?.each ?? [],
  };
}

export async function readReview({ work, memory }: DashboardPorts, key: string, headSha: string, formToken: string) {
  const kept = await work.review(key, headSha);
  if (kept === null) return null;
  const { repo, number, findings } = kept.review;
  const of = repoKey(repo);
  const ids = findings.map(({ finding }) => findingMemoryId(of, number, finding.id));
  const records = (await memory?.recall.records(scopeOf(of), ids)) ?? [];
  return {
    ...kept,
    formToken,
    retrieval: await work.retrievalBefore(of, number, kept.writtenAt),
    remembered: new Map(records.map((record) => [record.id, record])),
  };
}
