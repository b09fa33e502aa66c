// Reads memory ahead of whoever asks, and a little at a time: between two pieces questions are answered, and until
// a repository is read its questions are answered by the file.

import { rotatedSize } from "../memory/rotate-vector.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { readVectors, segmentBits, vectorsMissing } from "./read-segment.ts";
import type { Shelves } from "./shelves.ts";
import { type StoredSpace, storedSpace } from "./stored-space.ts";

/** What a search is asked for. */
export type SearchPart = "all" | "vectors" | "words";

/** How much of the memory is held for searching. */
export interface Warmth {
  /** Repositories that are still to be read. */
  readonly waiting: number;
  /** Repositories and rows that are held, those that are being read among them. */
  readonly repositories: number;
  readonly rows: number;
  readonly bytes: number;
  /** What they may take. */
  readonly limitBytes: number;
}

export interface WarmUp {
  /** True when what is missing of these is little enough to be read on the way to an answer; else it is wanted. */
  readonly isRead: (repositories: readonly AdmittedRepository[]) => boolean;
  /** The same of their vectors. */
  readonly hasVectors: (repositories: readonly AdmittedRepository[], space: StoredSpace) => boolean;
  /** Wants the repositories that were written to last, as many as fit. */
  readonly wantRecent: () => void;
  /** Reads one piece. False when nothing is left. Inside a read transaction. */
  readonly readMore: () => boolean;
  readonly warmth: () => Warmth;
}

export interface WarmUpSettings {
  readonly rowsIn: (repositories: readonly AdmittedRepository[]) => number;
  /** What so many rows take in memory, about, without their vectors. */
  readonly bytesFor: (rows: number) => number;
  readonly memoryBytes: number;
  readonly coldRows: number;
  readonly rowsInSql: number;
  readonly part: SearchPart;
}

/** Rows of one piece: a question waits for about a twentieth of a second (20–100 µs a row). */
const PIECE = 500;
/** Vectors of one piece, at a few µs a row. */
const VECTOR_PIECE = 5_000;
/** Rows whose facts and bits are read in the time that one row's words take. */
const WITHOUT_WORDS = 10;
/** The share of the room that is filled unasked; the rest is for what is asked. */
const UNASKED = 0.5;
const MOST_REPOSITORIES = 200;

export function warmUp(db: Database.Database, shelves: Shelves, settings: WarmUpSettings): WarmUp {
  const wanted = new Set<number>();
  const repository = (id: number): AdmittedRepository | null => {
    const find = prepared(db, "SELECT version FROM repositories WHERE id = ? AND host <> ''").pluck();
    const version = find.get(id) as number | undefined;
    return version === undefined ? null : { id, version, own: true };
  };
  const { part } = settings;
  const missing = (one: AdmittedRepository) => {
    if (part !== "vectors") return shelves.missing(one) ?? settings.rowsIn([one]);
    return shelves.holds(one) ? 0 : settings.rowsIn([one]) / WITHOUT_WORDS;
  };
  const unread = (one: AdmittedRepository, space: StoredSpace) =>
    shelves.segments(one).reduce((sum, segment) => sum + vectorsMissing(segment, space), 0);
  /** True when what is missing is little; else it is wanted, before what nobody asked for yet. */
  const isLittle = (repositories: readonly AdmittedRepository[], rows: (one: AdmittedRepository) => number) => {
    const cold = repositories.filter((one) => rows(one) > 0);
    if (cold.reduce((sum, one) => sum + rows(one), 0) <= settings.coldRows) return true;
    const rest = [...wanted];
    wanted.clear();
    for (const { id } of cold) wanted.add(id);
    for (const id of rest) wanted.add(id);
    return false;
  };
  const readPiece = (one: AdmittedRepository): boolean =>
    (part !== "vectors" && shelves.readMore(one, PIECE)) ||
    (part !== "words" && readForNearest(db, shelves, one, settings));
  return {
    isRead: (repositories) => isLittle(repositories, missing),
    hasVectors: (repositories, space) => isLittle(repositories, (one) => unread(one, space)),
    wantRecent() {
      const ids = prepared(db, "SELECT id FROM repositories WHERE host <> '' ORDER BY version DESC LIMIT ?").pluck();
      let room = settings.memoryBytes * UNASKED;
      for (const id of ids.all(MOST_REPOSITORIES) as number[]) {
        const one = repository(id);
        room -= one === null ? 0 : settings.bytesFor(settings.rowsIn([one]));
        if (room < 0) return;
        wanted.add(id);
      }
    },
    readMore() {
      const [id] = wanted;
      if (id === undefined) return false;
      const one = repository(id);
      let more = false;
      try {
        more = one !== null && readPiece(one);
      } finally {
        // What cannot be read is not tried again until somebody asks for it.
        if (!more) wanted.delete(id);
      }
      return wanted.size > 0;
    },
    warmth: () => ({ waiting: wanted.size, ...shelves.held(), limitBytes: settings.memoryBytes }),
  };
}

/**
 * Sign bits, and then a piece of the vectors while there is room, where they are searched in memory: of the space that has
 * the most vectors. False when nothing is left.
 */
function readForNearest(
  db: Database.Database,
  shelves: Shelves,
  one: AdmittedRepository,
  settings: WarmUpSettings,
): boolean {
  const rows = settings.rowsIn([one]);
  if (rows <= settings.rowsInSql) return false;
  const space = prepared(db, "SELECT model, dimension FROM spaces ORDER BY seen DESC, id LIMIT 1").get() as
    | { readonly model: string; readonly dimension: number }
    | undefined;
  const stored = space === undefined ? null : storedSpace(db, space);
  if (space === undefined || stored === null) return false;
  const components = rotatedSize(space.dimension);
  const segments = shelves.segments(one);
  for (const segment of segments) segmentBits(db, segment, stored, components / 32);
  const next = segments.find((segment) => vectorsMissing(segment, stored) > 0);
  if (next === undefined) return false;
  if (settings.bytesFor(rows) + rows * components > settings.memoryBytes) return false;
  // Vectors are the first to be put down: what would not stay is not read.
  const more = next.vectors.has(stored.id) ? 0 : next.ids.length * components;
  if (shelves.held().bytes + more > settings.memoryBytes) return false;
  readVectors(db, next, stored, components, VECTOR_PIECE);
  return segments.some((segment) => vectorsMissing(segment, stored) > 0);
}
