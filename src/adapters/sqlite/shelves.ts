// The repositories that a search thread holds in memory, brought up to date before each search and limited in bytes.
import { type AdmittedRepository, positionOf, type Segment, segmentBytes, vectorBytes } from "../memory/segment.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { loadSegment, readWords } from "./read-segment.ts";

export interface Shelves {
  /** The rows of a repository at this version. Call inside the read transaction that told the version. */
  segments(repository: AdmittedRepository): readonly Segment[];
  /** Whether rows of the repository are in memory, if not quite the newest. */
  holds(repository: AdmittedRepository): boolean;
  /** Rows whose words are not in memory yet; null when nothing of the repository is. In the same transaction. */
  missing(repository: AdmittedRepository): number | null;
  /** Reads the words of up to `rows` more rows of a repository. False when there are none left to read. */
  readMore(repository: AdmittedRepository, rows: number): boolean;
  /** Puts down a repository. */
  drop(repository: AdmittedRepository): void;
  held(): { readonly repositories: number; readonly rows: number; readonly bytes: number };
  /** Puts down what was not used for longest, down to the limit; what this search uses stays to its end. */
  shrink(): void;
  /** Puts down what is remembered no longer. */
  keep(repositories: ReadonlySet<number>): void;
}

interface Shelf {
  version: number;
  segments: Segment[];
}

/** With more segments than this the changes are read again as one: each segment costs a look-up of every word. */
const MOST_SEGMENTS = 8;
/** When this share of the rows has changed, the repository is read again. */
const MOST_CHANGED = 0.25;

/**
 * @param limitBytes what may stay in memory between searches
 * @param withNames false where rows are told by what the file names them
 */
export function openShelves(db: Database.Database, limitBytes: number, withNames: boolean): Shelves {
  const load = (repo: number, since: number) => loadSegment(db, repo, since, withNames);
  // In the order of last use.
  const shelves = new Map<number, Shelf>();
  const bytes = () =>
    [...shelves.values()].flatMap((shelf) => shelf.segments).reduce((sum, s) => sum + segmentBytes(s), 0);
  const segments = (repository: AdmittedRepository) => {
    const shelf = shelves.get(repository.id) ?? { version: -1, segments: [] };
    shelves.delete(repository.id);
    shelves.set(repository.id, shelf);
    if (shelf.version !== repository.version) refresh(db, shelf, repository, load);
    return shelf.segments;
  };
  const holds = ({ id }: AdmittedRepository) => (shelves.get(id)?.version ?? -1) >= 0;
  return {
    segments,
    holds,
    // Of what is held the changes are read first: as many as changed are missing.
    missing: (repository) => (holds(repository) ? rowsOf(segments(repository).filter(isWordless)) : null),
    readMore(repository, rows) {
      const segment = segments(repository).find(isWordless);
      if (segment !== undefined) readWords(db, segment, rows);
      return segments(repository).some(isWordless);
    },
    drop: ({ id }) => void shelves.delete(id),
    held: () => ({
      repositories: shelves.size,
      rows: [...shelves.values()].reduce((sum, shelf) => sum + rowsOf(shelf.segments), 0),
      bytes: bytes(),
    }),
    shrink() {
      let held = bytes();
      // Vectors first: they are the larger half, are read again the soonest, and can be done without.
      for (const segment of [...shelves.values()].flatMap((shelf) => shelf.segments)) {
        if (held <= limitBytes) return;
        held -= vectorBytes(segment);
        segment.vectors.clear();
      }
      for (const [id, shelf] of shelves) {
        if (held <= limitBytes) return;
        held -= shelf.segments.reduce((sum, segment) => sum + segmentBytes(segment), 0);
        shelves.delete(id);
      }
    },
    keep(repositories) {
      for (const id of [...shelves.keys()]) if (!repositories.has(id)) shelves.delete(id);
    },
  };
}

function isWordless({ words }: Segment): boolean {
  return words === null;
}

function rowsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.ids.length, 0);
}

type Load = (repo: number, since: number) => Segment;

function refresh(db: Database.Database, shelf: Shelf, repository: AdmittedRepository, load: Load): void {
  if (shelf.version >= 0) addChanges(db, shelf, repository, load);
  const held = shelf.segments.reduce((sum, segment) => sum + segment.ids.length, 0);
  const dead = held - shelf.segments.reduce((sum, segment) => sum + living(segment), 0);
  const [base, firstChange] = shelf.segments;
  const changed = Math.max(dead, held - (base?.ids.length ?? 0));
  if (base === undefined || changed > held * MOST_CHANGED) {
    shelf.segments = [load(repository.id, -1)];
  } else if (firstChange !== undefined && shelf.segments.length > MOST_SEGMENTS) {
    shelf.segments = [base, load(repository.id, firstChange.since)];
  }
  shelf.version = repository.version;
}

/** Rows that changed die where they are held and are read into a new segment; rows that are gone die. */
function addChanges(db: Database.Database, shelf: Shelf, repository: AdmittedRepository, load: Load): void {
  const changed = prepared(db, "SELECT id FROM records WHERE repo = ? AND stale IN (0, 1) AND changed > ?")
    .pluck()
    .all(repository.id, shelf.version) as number[];
  for (const id of changed) kill(shelf, id);
  if (changed.length > 0) shelf.segments.push(load(repository.id, shelf.version));
  const count = prepared(db, "SELECT count(*) FROM records WHERE repo = ? AND stale = 0").pluck().get(repository.id);
  // Every row in the file is held alive here by now; when more are alive here, some are gone there.
  if (shelf.segments.reduce((sum, segment) => sum + living(segment), 0) !== count) keepOnly(db, shelf, repository.id);
}

function keepOnly(db: Database.Database, shelf: Shelf, repo: number): void {
  const there = new Set(
    prepared(db, "SELECT id FROM records WHERE repo = ? AND stale = 0").pluck().all(repo) as number[],
  );
  for (const segment of shelf.segments) {
    segment.ids.forEach((id, position) => {
      if (!there.has(id)) segment.alive[position] = 0;
    });
  }
}

function kill(shelf: Shelf, id: number): void {
  for (const segment of shelf.segments) {
    const position = positionOf(segment, id);
    if (position >= 0) segment.alive[position] = 0;
  }
}

function living(segment: Segment): number {
  let count = 0;
  for (const alive of segment.alive) count += alive;
  return count;
}
