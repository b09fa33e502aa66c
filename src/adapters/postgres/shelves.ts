// The repositories whose words are held in memory, brought up to date before each search and limited in bytes.
import { type AdmittedRepository, positionOf, type Segment, segmentBytes } from "../memory/segment.ts";
import { readSegment } from "./read-segment.ts";
import type { Sql } from "./sql.ts";

export interface Shelves {
  /** The rows of a repository at this version, those that are missing read now. Call in the snapshot that told the version. */
  segments(sql: Sql, repository: AdmittedRepository): Promise<readonly Segment[]>;
  /** Whether rows of the repository are in memory, if not quite the newest. */
  holds(repository: Pick<AdmittedRepository, "id">): boolean;
  /** Puts down what was not used for longest, down to the limit. */
  shrink(): void;
  held(): { readonly repositories: number; readonly rows: number; readonly bytes: number };
}

interface Shelf {
  readonly version: number;
  readonly segments: readonly Segment[];
}

/** With more segments than this the changes are read again as one: each segment costs a look-up of every word. */
const MOST_SEGMENTS = 8;
/** When this share of the rows has changed, the repository is read again. */
const MOST_CHANGED = 0.25;

/** @param limitBytes what may stay in memory between searches */
export function openShelves(limitBytes: number): Shelves {
  // In the order of last use.
  const shelves = new Map<number, Shelf>();
  /** Two searches never bring the same repository up to date at the same time. */
  const busy = new Map<number, Promise<unknown>>();
  const bytes = () =>
    [...shelves.values()].flatMap(({ segments }) => segments).reduce((sum, one) => sum + segmentBytes(one), 0);
  const bringUpToDate = async (sql: Sql, repository: AdmittedRepository): Promise<readonly Segment[]> => {
    const known = shelves.get(repository.id);
    shelves.delete(repository.id);
    // What is ahead of this search's snapshot is not for it: such a repository is read once more.
    const fits = known !== undefined && known.version <= repository.version ? known : null;
    const next = fits?.version === repository.version ? fits : await refreshed(sql, fits, repository);
    shelves.set(repository.id, next);
    return next.segments;
  };
  return {
    async segments(sql, repository) {
      while (busy.has(repository.id)) await busy.get(repository.id)?.catch(() => {});
      const work = bringUpToDate(sql, repository);
      busy.set(repository.id, work);
      try {
        return await work;
      } finally {
        busy.delete(repository.id);
      }
    },
    holds: ({ id }) => shelves.has(id),
    shrink() {
      let held = bytes();
      for (const [id, { segments }] of shelves) {
        if (held <= limitBytes) return;
        held -= segments.reduce((sum, segment) => sum + segmentBytes(segment), 0);
        shelves.delete(id);
      }
    },
    held: () => {
      const segments = [...shelves.values()].flatMap((shelf) => shelf.segments);
      return {
        repositories: shelves.size,
        rows: segments.reduce((sum, { ids }) => sum + ids.length, 0),
        bytes: bytes(),
      };
    },
  };
}

async function refreshed(sql: Sql, shelf: Shelf | null, repository: AdmittedRepository): Promise<Shelf> {
  const { id, version } = repository;
  const segments = shelf === null ? [] : await withChanges(sql, shelf, id);
  const held = segments.reduce((sum, segment) => sum + segment.ids.length, 0);
  const dead = held - segments.reduce((sum, segment) => sum + living(segment), 0);
  const [base, firstChange] = segments;
  const changed = Math.max(dead, held - (base?.ids.length ?? 0));
  if (base === undefined || changed > held * MOST_CHANGED)
    return { version, segments: [await readSegment(sql, id, -1)] };
  if (firstChange === undefined || segments.length <= MOST_SEGMENTS) return { version, segments };
  return { version, segments: [base, await readSegment(sql, id, firstChange.since)] };
}

/** Rows that changed die where they are held and are read into a new segment; rows that are gone die. */
async function withChanges(sql: Sql, { segments, version }: Shelf, repo: number): Promise<readonly Segment[]> {
  const changed = await sql.all<{ id: number }>("SELECT id FROM records WHERE repo = $1 AND changed > $2", [
    repo,
    version,
  ]);
  // Copies: a search that began earlier still ranks by what it saw.
  const next = segments.map((segment) => ({ ...segment, alive: segment.alive.slice() }));
  for (const { id } of changed) kill(next, id);
  const younger = changed.length === 0 ? [] : [await readSegment(sql, repo, version)];
  const all = [...next, ...younger];
  const count = await sql.one<{ n: number }>("SELECT count(*) AS n FROM records WHERE repo = $1 AND NOT stale", [repo]);
  // Every row there is held alive here by now; when more are alive here, some are gone there.
  if (all.reduce((sum, segment) => sum + living(segment), 0) !== (count?.n ?? 0)) await keepOnly(sql, all, repo);
  return all;
}

async function keepOnly(sql: Sql, segments: readonly Segment[], repo: number): Promise<void> {
  const rows = await sql.all<{ id: number }>("SELECT id FROM records WHERE repo = $1 AND NOT stale", [repo]);
  const there = new Set(rows.map(({ id }) => id));
  for (const segment of segments) {
    segment.ids.forEach((id, position) => {
      if (!there.has(id)) segment.alive[position] = 0;
    });
  }
}

function kill(segments: readonly Segment[], id: number): void {
  for (const segment of segments) {
    const position = positionOf(segment, id);
    if (position >= 0) segment.alive[position] = 0;
  }
}

function living(segment: Segment): number {
  let count = 0;
  for (const alive of segment.alive) count += alive;
  return count;
}
