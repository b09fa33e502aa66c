// Searches the rows of a store: by terms in memory, by vectors in the database for small scopes and
// in memory for larger ones. Every answer is computed in one snapshot, and only names records: the
// store checks their scope again when it reads them.
import { LRUCache } from "lru-cache";
import { oneAtATime } from "../domain/one-at-a-time.ts";
import type { KeywordHit, MemoryCounts, MemoryFilter, Scope, VectorHit } from "../domain/retrieval.ts";
import type { Recall, ReportDegraded } from "../ports/memory.ts";
import { codeDistance, encodeVector, vectorProblem } from "./code.ts";
import type { Facet } from "./filter.ts";
import { termScorer } from "./postings.ts";
import {
  type IndexedRepository,
  indexBytes,
  type RepositoryIndex,
  readIndex,
  visibleRows,
} from "./repository-index.ts";
import type { Admitted, RowSource, Rows } from "./rows.ts";
import { queryTerms } from "./terms.ts";
import {
  byDistance,
  type ExactSearch,
  nearestRows,
  readVectors,
  type VectorIndex,
  vectorBytes,
} from "./vector-index.ts";

export interface SearchSettings {
  /** Memory limit of indexes and vectors between searches, in bytes. */
  readonly memoryBytes: number;
  /** Vector search in scopes of up to so many rows runs in the database. */
  readonly rowsInDatabase: number;
  /** Vector search in memory; null without a build of usearch: the database searches all scopes. */
  readonly exact: ExactSearch | null;
}

/**
 * Most repositories stay below 2,000 memories for years, and a server knows thousands of them:
 * their vectors need neither memory nor loading. Eleven texts take about 40 ms in the database.
 */
export const ROWS_IN_DATABASE = 2_000;

/** Approximate size of a row with its terms and a vector of 1,024 components. */
const ROW_BYTES = 1_700;

type MemorySearch = Omit<Recall, "records" | "off">;

export function memorySearch(source: RowSource, settings: SearchSettings): MemorySearch {
  const indexes = heldIndexes(settings.memoryBytes);
  const { exact } = settings;
  // One query at a time: two could read the same index twice.
  const inTurn = oneAtATime();
  const inSnapshot = <T>(work: (rows: Rows) => Promise<T>) => inTurn(() => source.snapshot(work));
  return {
    async nearest(scope, vectors, space, k, filter, report = ignore) {
      for (const vector of vectors) {
        const problem = vectorProblem(vector, space.dimension);
        if (problem !== null) throw new RangeError(problem);
      }
      const codes = vectors.map(encodeVector);
      return inSnapshot(async (rows) => {
        const repositories = await rows.admitted(scope);
        const stored = await rows.space(space);
        const others = await rows.staleEmbeddings(repositories, stored);
        if (others.rows > 0) report("stale-vectors", staleText(others.rows, others.models));
        if (stored === null || k < 1) return codes.map(() => []);
        const total = repositories.reduce((sum, one) => sum + one.rows, 0);
        if (exact === null || total <= settings.rowsInDatabase) {
          reportDamaged(await rows.damaged(repositories, stored, space.dimension), report);
          return nearestInDatabase(rows, scope, filter, stored, codes, k);
        }
        const found: VectorHit[][] = codes.map(() => []);
        let damaged = 0;
        for (const part of await indexes.read(rows, repositories, report)) {
          const held = await indexes.vectors(rows, part, stored, space.dimension);
          damaged += held.damaged.size;
          const { admitted } = visibleRows(part.index, scope, filter, part.repository.isOwn);
          const near = nearestRows(exact, held, part.index, admitted, codes, k);
          near.forEach((hits, at) => void found[at]?.push(...hits));
        }
        reportDamaged(damaged, report);
        return found.map((hits) => hits.sort(byDistance).slice(0, k));
      });
    },
    matching: (scope, texts, k, filter, report = ignore) =>
      inSnapshot(async (rows) => {
        if (k < 1) return texts.map(() => []);
        const parts = await indexes.read(rows, await rows.admitted(scope), report);
        return matchingIn(scope, filter, parts, texts, k);
      }),
    counts: (scope) =>
      inSnapshot(async (rows) => countsOf(await indexes.read(rows, await rows.admitted(scope), ignore), scope)),
    version: (repo) => source.snapshot((rows) => rows.version(repo)),
  };
}

const ignore: ReportDegraded = () => {};

function heldIndexes(memoryBytes: number) {
  interface One {
    readonly index: RepositoryIndex;
    /** By embedding space, each with its index. */
    readonly vectors: ReadonlyMap<number, { readonly vectors: VectorIndex; readonly index: RepositoryIndex }>;
  }
  const held = new LRUCache<number, One>({
    maxSize: memoryBytes,
    // An entry above the limit is not cached at all; `readIndex` bounds each one.
    sizeCalculation: ({ index, vectors }) =>
      1 + indexBytes(index) + [...vectors.values()].reduce((sum, one) => sum + vectorBytes(one.vectors), 0),
  });
  const mostRows = Math.max(1, Math.floor(memoryBytes / ROW_BYTES));
  const read = async (rows: Rows, repository: Admitted): Promise<RepositoryIndex> => {
    const known = held.get(repository.id);
    if (known?.index.version === repository.version) return known.index;
    const index = await readIndex(rows, repository, known?.index ?? null, mostRows);
    held.set(repository.id, { index, vectors: known?.vectors ?? new Map() });
    return index;
  };
  return {
    async read(rows: Rows, repositories: readonly Admitted[], report: ReportDegraded): Promise<IndexedRepository[]> {
      const parts: IndexedRepository[] = [];
      for (const repository of repositories) parts.push({ repository, index: await read(rows, repository) });
      const leftOut = parts.reduce((sum, { index }) => sum + index.leftOut, 0);
      const searched = parts.reduce((sum, { index }) => sum + index.ids.length, 0);
      const newest = `the newest ${searched} of ${searched + leftOut} memories were searched`;
      if (leftOut > 0) report("memory-bound", `${newest}; more do not fit into memory`);
      return parts;
    },
    async vectors(rows: Rows, { repository, index }: IndexedRepository, space: number, dimension: number) {
      const known = held.get(repository.id);
      const older = known?.vectors.get(space) ?? null;
      if (older?.index === index) return older.vectors;
      const vectors = await readVectors(rows, repository.id, space, dimension, index, older);
      held.set(repository.id, { index, vectors: new Map([[space, { vectors, index }]]) });
      return vectors;
    },
  };
}

/** The database computes distances in floats, and sums of whole numbers beyond 2^24 lose digits. */
const ROUNDING = 1e-4;

async function nearestInDatabase(
  rows: Rows,
  scope: Scope,
  filter: MemoryFilter,
  space: number,
  codes: readonly Int8Array[],
  k: number,
): Promise<VectorHit[][]> {
  const all = await rows.distances(scope, filter, space, codes);
  // All that may be among the k nearest: up to the k-th distance plus rounding.
  const near = codes.map((_, query) => {
    const sorted = new Float64Array(all.length);
    for (const [at, { distances }] of all.entries()) sorted[at] = distances[query] ?? 2;
    const last = (sorted.sort()[k - 1] ?? 2) + ROUNDING;
    return all.filter(({ distances }) => (distances[query] ?? 2) <= last);
  });
  const codeOf = new Map<number, Int8Array>();
  for (const [repository, ofOne] of Map.groupBy(new Set(near.flat()), ({ repo }) => repo)) {
    const ids = ofOne.map(({ id }) => id);
    for (const { id, code } of await rows.codesOf(repository, space, ids)) codeOf.set(id, code);
  }
  return codes.map((code, query) =>
    (near[query] ?? [])
      .map(({ id, mem }) => ({ id: mem, distance: codeDistance(code, codeOf.get(id) ?? NO_CODE) }))
      .sort(byDistance)
      .slice(0, k),
  );
}

const NO_CODE = new Int8Array();

function matchingIn(
  scope: Scope,
  filter: MemoryFilter,
  indexed: readonly IndexedRepository[],
  texts: readonly string[],
  k: number,
): KeywordHit[][] {
  const parts = indexed.map(({ repository, index }) => {
    const visible = visibleRows(index, scope, filter, repository.isOwn);
    return { ...visible, mems: index.mems, postings: index.postings };
  });
  const score = termScorer(parts);
  return texts.map((text) => {
    const scores = score(queryTerms(text));
    const hits = parts.flatMap(({ mems, admitted }, at): KeywordHit[] => {
      const ofPart = scores[at] ?? NO_SCORES;
      return bestRows(ofPart, admitted, mems, k).map((row) => ({ id: mems[row] ?? "", score: ofPart[row] ?? 0 }));
    });
    return hits.sort((hit, other) => other.score - hit.score || (hit.id < other.id ? -1 : 1)).slice(0, k);
  });
}

const NO_SCORES = new Float64Array();

function reportDamaged(count: number, report: ReportDegraded): void {
  if (count === 0) return;
  const are = count === 1 ? "the vector of 1 memory is" : `the vectors of ${count} memories are`;
  report("damaged-vectors", `${are} damaged and not compared; words still find them`);
}

function staleText(rows: number, models: readonly string[]): string {
  const have = rows === 1 ? "1 memory has a vector" : `${rows} memories have vectors`;
  return `${have} of another model (${models.join("; ")}), which is not compared; words find them until they are embedded again`;
}

/** Counts of the memories in a scope; maps are sorted by key. */
function countsOf(indexed: readonly IndexedRepository[], scope: Scope): MemoryCounts {
  const counted: (Facet & { readonly n: number })[] = [];
  for (const { repository, index } of indexed) {
    const { inScope } = visibleRows(index, scope, {}, repository.isOwn);
    const rows = new Uint32Array(index.facets.length);
    for (let row = 0; row < inScope.length; row += 1) {
      const facet = index.facetOf[row] ?? 0;
      rows[facet] = (rows[facet] ?? 0) + (inScope[row] ?? 0);
    }
    counted.push(...index.facets.map((facet, at) => ({ ...facet, n: rows[at] ?? 0 })).filter(({ n }) => n > 0));
  }
  const sum = (some: readonly { readonly n: number }[]) => some.reduce((all, { n }) => all + n, 0);
  const by = <Key extends string>(keyOf: (facet: Facet) => Key): ReadonlyMap<Key, number> => {
    const counts = [...Map.groupBy(counted, keyOf)].map(([key, some]) => [key, sum(some)] as const);
    return new Map(counts.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  return {
    total: sum(counted),
    byLanguage: by(({ language }) => language),
    byCorpus: by(({ corpus }) => corpus),
    byOutcome: by(({ outcome }) => outcome ?? "none"),
  };
}

/**
 * The k best admitted rows with a score above 0, best first; ties are ordered by name.
 *
 * @param scores of each row, ≥ 0
 * @param admitted 1 for each row that may be chosen
 * @param names of the rows, unique, so that the order is total
 */
export function bestRows(
  scores: Float64Array,
  admitted: Uint8Array,
  names: readonly string[],
  k: number,
): readonly number[] {
  const before = (one: number, other: number) => {
    const more = (scores[one] ?? 0) - (scores[other] ?? 0);
    return more > 0 || (more === 0 && (names[one] ?? "") < (names[other] ?? ""));
  };
  const best: number[] = [];
  if (k < 1) return best;
  let least = 0;
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    // Most rows end here, so it precedes any call.
    if (score < least || score <= 0 || admitted[row] !== 1) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(row, best[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, row);
    if (best.length > k) best.pop();
    if (best.length === k) least = scores[best[k - 1] ?? 0] ?? 0;
  }
  return best;
}
