// Ports -> the repositories that Kodiai knows, and the one of them that a page was asked for.
import { type RepoKey, repoKey } from "../domain/memory.ts";
import type { Scope } from "../domain/retrieval.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";
import type { Choice } from "./frame.ts";

export interface KnownRepository {
  readonly key: RepoKey;
  /** OWNER/NAME, or the key where no name is known. */
  readonly name: string;
}

/** The repository that was reviewed last comes first; then what is only remembered, by name. */
export async function readKnown({ work, memory }: DashboardPorts): Promise<readonly KnownRepository[]> {
  const names = new Map(
    ((await memory?.labels.all()) ?? []).map((repo) => [repoKey(repo), `${repo.owner}/${repo.name}`]),
  );
  const reviewed = (await work.reviewed()).toSorted((a, b) => b.lastAt - a.lastAt);
  const first = await Promise.all(
    reviewed.map(async ({ repo }) => ({ key: repo, name: names.get(repo) ?? (await lastName(work, repo)) })),
  );
  const seen = new Set(reviewed.map(({ repo }) => repo));
  const rest = [...names].flatMap(([key, name]) => (seen.has(key) ? [] : [{ key, name }]));
  return [...first, ...rest.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
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
async function lastName(work: DashboardPorts["work"], repo: RepoKey): Promise<string> {
  const of = (await work.reviews(repo, { skip: 0, most: 1 })).reviews[0]?.review.repo;
  return of === undefined ? repo : `${of.owner}/${of.name}`;
}
