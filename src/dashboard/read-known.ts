// Ports -> the repositories that Kodiai knows, and the one of them that a page was asked for.
import type { Repo } from "../domain/job.ts";
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { Scope } from "../domain/retrieval.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";
import type { Choice } from "./frame.ts";

interface KnownRepository {
  readonly key: RepoKey;
  /** OWNER/NAME, or the key where no name is known. */
  readonly name: string;
  readonly visibility: Repo["visibility"] | null;
  /** False where nothing is remembered of it. */
  readonly isRemembered: boolean;
}

/** The repository that was reviewed last comes first; then what is only remembered, by name. */
export async function readKnown({ work, memory }: DashboardPorts): Promise<readonly KnownRepository[]> {
  const labels = new Map(((await memory?.labels.all()) ?? []).map((repo) => [repoKey(repo), repo]));
  const reviewed = (await work.reviewed()).toSorted((a, b) => b.lastAt - a.lastAt).map(({ repo }) => repo);
  const first = await Promise.all(
    reviewed.map(async (key) => named(key, labels.get(key) ?? (await lastRepo(work, key)))),
  );
  const rest = [...labels].flatMap(([key, repo]) => (reviewed.includes(key) ? [] : [named(key, repo)]));
  const all = [...first, ...rest.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  return all.map((one) => ({ ...one, isRemembered: labels.has(one.key) }));
}

function named(key: RepoKey, repo: Repo | undefined) {
  return { key, name: repo === undefined ? key : `${repo.owner}/${repo.name}`, visibility: repo?.visibility ?? null };
}

/** Everything of one repository, and nothing that others share with it. */
export function scopeOf(repo: RepoKey): Scope {
  return { repo, ownerPool: null, excludePull: null, before: null };
}

/** @param wanted of the address; what is not known, or not theirs, counts as nothing */
export async function readChosen(ports: DashboardPorts, wanted: string): Promise<Choice> {
  const repositories = await readKnown(ports);
  const maySeeAll = ports.viewer === null;
  const one = repositories.find(({ key }) => key === wanted) ?? (maySeeAll ? undefined : repositories[0]);
  return { repositories, chosen: one?.key ?? null, maySeeAll };
}

/** Of a repository of which nothing is remembered: as its last review called it. */
async function lastRepo(work: DashboardPorts["work"], key: RepoKey): Promise<Repo | undefined> {
  return (await work.reviews(key, { skip: 0, most: 1 })).reviews[0]?.review.repo;
}
