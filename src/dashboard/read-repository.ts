// Ports -> what the pages about one repository show: its memory, conventions, import, replay, and one memory of it.

import type { Repo } from "../domain/job.ts";
import { canonicalLanguage } from "../domain/language.ts";
import { CORPORA, OUTCOMES, type RepoKey, repoKey } from "../domain/memory.ts";
import { findConventions } from "../flows/memory/memory-file.ts";
import { searchByHand } from "../flows/memory/search-memory.ts";
import { weigh } from "../learn/learn.ts";
import type { DashboardPorts, MemoryShown } from "./dashboard-ports.ts";
import { readChosen, scopeOf } from "./read-known.ts";

const ONE_PAGE = 50;
const FOUND = 20;
/** With more comments than this, what recurs among them is looked for on request only: it takes seconds. */
const QUICK_REMARKS = 400;
const LEAST_PULLS = 3;

export type RepositoryView = NonNullable<Awaited<ReturnType<typeof readRepository>>>;
export type MemoriesView = Awaited<ReturnType<typeof readMemories>>;
export type ListedMemories = Awaited<ReturnType<typeof listed>>;
export type FoundMemories = NonNullable<Awaited<ReturnType<typeof searched>>>;
export type MemoryView = NonNullable<Awaited<ReturnType<typeof readMemory>>>;
export type ReviewView = NonNullable<Awaited<ReturnType<typeof readReview>>>;
export type ConfigurationView = Awaited<ReturnType<typeof readConfiguration>>;

/** As the form says it; "" asks nothing. */
export interface MemoryQuestion {
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

/** Null for an unknown repository. */
export async function readRepository(
  { work, memory, history, now }: DashboardPorts,
  key: RepoKey,
  asked: { readonly formToken: string; readonly conventions: boolean },
) {
  const repo = memory === null ? null : await knownRepository(memory, key);
  const { total, reviews } = await work.reviews(key, { skip: 0, most: 1 });
  const of = repo ?? reviews[0]?.review.repo;
  if (of === undefined) return null;
  return {
    key,
    name: `${of.owner}/${of.name}`,
    visibility: of.visibility,
    formToken: asked.formToken,
    now: now(),
    reviews: total,
    progress: await history.of(key),
    /** Null if nothing is remembered of it, or memory could not be opened. */
    memory: memory === null || repo === null ? null : await remembered(memory, repo, asked.conventions),
  };
}

async function remembered(memory: MemoryShown, repo: Repo, isPatient: boolean) {
  const key = repoKey(repo);
  const counts = await memory.export.recall.counts(scopeOf(key));
  const remarks = (counts.byCorpus.get("review_comment") ?? 0) + (counts.byCorpus.get("finding") ?? 0);
  const recurrence = { least: LEAST_PULLS, since: null };
  return {
    counts,
    fields: await memory.export.memory.fieldCounts(key),
    findings: await memory.figures.findingOutcomes(key),
    replay: await memory.replays.of(key),
    conventions:
      remarks <= QUICK_REMARKS || isPatient
        ? await findConventions(repo, recurrence, memory.export)
        : ("not asked" as const),
    /** By memory id, epoch milliseconds. */
    taken: await memory.figures.taken(key),
  };
}

/** `problem` says why nothing can be asked; null when something can. */
export async function readMemories({ memory, health }: DashboardPorts, asked: MemoryQuestion, page: number) {
  if (memory === null)
    return { repositories: [], problem: (await health()).memoryProblem ?? "memory is off", asked, shown: null };
  const known = await memory.labels.all();
  const repositories = known.map((repo) => ({ key: repoKey(repo), name: `${repo.owner}/${repo.name}` }));
  const repo = known.find((one) => repoKey(one) === asked.repo) ?? known[0];
  if (repo === undefined) return { repositories, problem: null, asked, shown: null };
  const question = { ...asked, repo: repoKey(repo) };
  const shown = asked.q.trim() === "" ? await listed(memory, question, page) : await searched(memory, repo, question);
  return { repositories, problem: null, asked: question, shown };
}

async function listed(memory: MemoryShown, asked: MemoryQuestion, page: number) {
  const list = {
    corpus: CORPORA.find((one) => one === asked.corpus) ?? null,
    outcome: OUTCOMES.find((one) => one === asked.outcome) ?? null,
    language: asked.language.trim() === "" ? null : canonicalLanguage(asked.language.trim()),
  };
  const { total, ids } = await memory.figures.memories(asked.repo, list, {
    skip: (page - 1) * ONE_PAGE,
    most: ONE_PAGE,
  });
  const records = await memory.export.recall.records(
    scopeOf(asked.repo),
    ids.map(({ id }) => id),
  );
  return { kind: "list" as const, records, total, page, pages: Math.max(1, Math.ceil(total / ONE_PAGE)) };
}

/** As a review searches. What has another outcome is left out of what was found, as the search knows no outcomes. */
async function searched(memory: MemoryShown, repo: Repo, asked: MemoryQuestion) {
  const corpus = CORPORA.find((one) => one === asked.corpus);
  const filter = {
    ...(corpus === undefined ? {} : { corpora: [corpus] }),
    languages: asked.language.trim() === "" ? [] : [canonicalLanguage(asked.language.trim())],
  };
  const wanted = { repo, method: asked.method, filter, topK: FOUND, threshold: null };
  const { memories, searches } = await searchByHand([asked.q], wanted, { ...memory.search, reranker: null });
  const [only] = searches;
  if (only === undefined) return null;
  const kept = memories.filter(({ memory: { record } }) => asked.outcome === "" || record.outcome === asked.outcome);
  return { kind: "found" as const, memories: kept, precedents: only.precedents, ms: only.ms };
}

/** Null when there is no such memory. */
export async function readMemory(memory: MemoryShown, repo: RepoKey, id: string, formToken: string) {
  const [record] = await memory.export.recall.records(scopeOf(repo), [id]);
  if (record === undefined) return null;
  const { pull } = record.provenance;
  const all = pull === null ? [] : await memory.restoring.evidence.evidence(repo, pull);
  const weighed = weigh(all, [record]).get(id);
  const declined = (await memory.declined.rejected(repo)).find(({ memoryId }) => memoryId === id);
  return {
    record,
    formToken,
    /** Why it has its outcome, in sentences. */
    because: weighed?.because ?? [],
    evidence: weighed?.evidence ?? [],
    /** Who declined it, and holds findings like it back. */
    declines: declined?.each ?? [],
  };
}

/** Null when no such review is kept. */
export async function readReview({ work }: DashboardPorts, key: string, headSha: string) {
  const kept = await work.review(key, headSha);
  if (kept === null) return null;
  const { repo, number } = kept.review;
  return { ...kept, retrieval: await work.retrievalBefore(repoKey(repo), number, kept.writtenAt) };
}

export async function readConfiguration(ports: DashboardPorts, wanted: string) {
  const { work, variables, choices } = ports;
  const { repositories, chosen } = await readChosen(ports, wanted);
  const key = chosen ?? repositories[0]?.key ?? null;
  const last = key === null ? undefined : (await work.reviews(key, { skip: 0, most: 1 })).reviews[0];
  return {
    variables,
    choices,
    choice: { repositories, chosen: key, maySeeAll: false },
    at: last?.writtenAt ?? null,
    settings: last?.review.settings ?? null,
    problems: (last?.review.configProblems ?? []).map(
      ({ file, key: of, line, message }) => `${file}${line === null ? "" : `:${line}`}: ${of} ${message}`,
    ),
  };
}
