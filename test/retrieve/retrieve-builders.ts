// A small world for the retrieve stage: pull requests read by the real gather and analyze, memories
// as plain records, an embedder with chosen vectors and a shelf that compares by brute force.
import { UNMEASURED } from "../../src/adapters/embed-texts.ts";
import { analyze } from "../../src/analyze/analyze.ts";
import type { Repo } from "../../src/domain/job.ts";
import type { EmbeddingSpace, MemoryRecord } from "../../src/domain/memory.ts";
import type { Author, PullRequestContext } from "../../src/domain/pull-request.ts";
import type { MemoryCounts, MemoryFilter, RankedMemory, Scope } from "../../src/domain/retrieval.ts";
import type { ReviewSignals } from "../../src/domain/signals.ts";
import { parseDiff } from "../../src/gather/parse-diff.ts";
import { selectFiles, wordOfBase } from "../../src/gather/select-files.ts";
import type { Embedder, Recall } from "../../src/ports/memory.ts";
import { addedTerms, mergePostings, termScorer, vocabulary } from "../../src/search/postings.ts";
import { queryTerms, recordTerms } from "../../src/search/terms.ts";
import { aMemory, type SaidBy } from "../builders/memory-record.ts";
import { aContext, aRepo, aReviewJob } from "../builders/pull-request.ts";

export const REPO: Repo = aRepo();

/** 2026-11-21T00:00:00Z */
export const NOW = 1_795_219_200_000;
export const DAY = 86_400_000;

const PERSON: Author = { login: "mira", id: 1001, type: "User", association: "CONTRIBUTOR" };
export const DEPENDABOT: Author = { login: "dependabot[bot]", id: 49699333, type: "Bot", association: "NONE" };

export interface Shape {
  readonly title: string;
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly ref?: string;
  readonly author?: Author;
  readonly explicit?: boolean;
  readonly pathFilters?: readonly string[];
  readonly repo?: Repo;
  readonly number?: number;
  /**
   * Path → hunk lines (each begins with ` `, `+` or `-`), or the whole of git's text for the file.
   */
  readonly files: Readonly<Record<string, string>>;
}

/** A pull request and its signals as the review would have them. */
export function given(shape: Shape): { readonly context: PullRequestContext; readonly signals: ReviewSignals } {
  const text = Object.entries(shape.files)
    .map(([path, body]) => (body.startsWith("diff --git") ? body : gitDiff(path, body)))
    .join("\n");
  const { files: parsed, refused } = parseDiff(`${text}\n`);
  if (refused.length > 0) throw new Error(`the fixture's diff is refused: ${JSON.stringify(refused)}`);
  const base = { pathFilters: shape.pathFilters ?? [], attributes: "" };
  const { reviewed, spared, leftOut: out } = selectFiles(parsed, wordOfBase(base));
  const leftOut = [...out, ...spared.map(({ file: { path }, reason }) => ({ path, reason, isSpared: true as const }))];
  const job = aReviewJob({ repo: shape.repo ?? REPO, number: shape.number ?? 12, explicit: shape.explicit ?? false });
  const context = aContext(
    { job, files: reviewed, spared: spared.map(({ file }) => file), leftOut, authorFacts: { mergedPullRequests: 4 } },
    {
      title: shape.title,
      body: shape.body ?? null,
      labels: shape.labels ?? [],
      author: shape.author ?? PERSON,
      head: { ref: shape.ref ?? "topic", sha: job.headSha, repo: "acme/shop" },
    },
  );
  return { context, signals: analyze(context) };
}

/**
 * A modified file as git prints it; a line `@@ 200` in the body begins a further hunk at that line.
 */
export function gitDiff(path: string, body: string, start = 10): string {
  const [first = "", ...further] = body.split(/^@@ (\d+)\n/m);
  const hunks = [hunk(start, first)];
  for (let at = 0; at < further.length; at += 2) hunks.push(hunk(Number(further[at]), further[at + 1] ?? ""));
  const head = [`diff --git a/${path} b/${path}`, "index 1111111..2222222 100644", `--- a/${path}`, `+++ b/${path}`];
  return [...head, ...hunks].join("\n");
}

function hunk(start: number, body: string): string {
  const lines = body.replace(/\n$/, "").split("\n");
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0] ?? " ")).length;
  return [`@@ -${start},${count(" -")} +${start},${count(" +")} @@`, ...lines].join("\n");
}

/** Lines of added code. */
export function added(...lines: readonly string[]): string {
  return [" function around() {", ...lines.map((line) => `+${line}`), " }"].join("\n");
}

export function memory(id: string, { provenance, ...more }: SaidBy = {}): MemoryRecord {
  return aMemory({
    ...{ id, sourceId: id, text: `what ${id} says about it`, ...more },
    provenance: {
      url: `https://github.com/acme/shop/pull/3#discussion_${id}`,
      author: "ines",
      pull: 3,
      at: NOW - 30 * DAY,
      ...provenance,
    },
  });
}

export function rankedMemory(record: MemoryRecord, more: Partial<RankedMemory> = {}): RankedMemory {
  return {
    record,
    distance: 0.2,
    probability: null,
    adjustedDistance: null,
    vectorRank: 1,
    keywordRank: null,
    keywordScore: null,
    score: 1,
    terms: [],
    languageMatch: false,
    nearestHunk: null,
    alternateSources: [],
    confidence: null,
    rejections: null,
    rerankScore: null,
    ...more,
  };
}

const SPACE: EmbeddingSpace = { model: "chosen-vectors", dimension: 2 };

/** The unit vector at a cosine distance from the query vector of the fake embedder. */
export function atDistance(distance: number): Float32Array {
  const cosine = 1 - distance;
  return Float32Array.of(cosine, Math.sqrt(Math.max(0, 1 - cosine * cosine)));
}

export interface FakeEmbedder extends Embedder {
  /** Every request as it came in. */
  readonly asked: { readonly texts: readonly string[]; readonly kind: string }[];
}

/** Every query becomes the vector (1, 0), so that a memory's vector says its distance. */
export function embedder(embed?: Embedder["embed"]): FakeEmbedder {
  const asked: { texts: readonly string[]; kind: string }[] = [];
  return {
    space: SPACE,
    threshold: 0.3,
    ...UNMEASURED,
    weight: 1,
    asked,
    embed: async (texts, kind) => {
      asked.push({ texts, kind });
      if (embed !== undefined) return embed(texts, kind);
      return { vectors: texts.map(() => Float32Array.of(1, 0)), tokens: 0, usd: 0, cached: 0, failed: null };
    },
  };
}

export interface Shelved {
  readonly record: MemoryRecord;
  readonly vector?: Float32Array;
}

export interface FakeRecall extends Recall {
  /** Names of the methods that were called, in order. */
  readonly asked: string[];
  readonly scopes: Scope[];
}

/** A shelf over plain records: cosine by brute force, words as the real search scores them. */
export function memoryStore(shelved: readonly Shelved[], instead: Partial<Recall> = {}): FakeRecall {
  const asked: string[] = [];
  const scopes: Scope[] = [];
  const inScope = (scope: Scope, filter: MemoryFilter = {}) => {
    scopes.push(scope);
    return shelved.filter(({ record }) => {
      if (filter.corpora?.includes(record.corpus) === false) return false;
      const own = record.repo === scope.repo && record.provenance.pull !== scope.excludePull;
      const pool = scope.ownerPool;
      const gives = record.sharing === "given" && record.repo !== scope.repo;
      const shared = pool !== null && gives && record.ownerId === pool.ownerId;
      return own || (shared && (!pool.targetIsPublic || record.visibility === "public"));
    });
  };
  const fake: Recall = {
    off: null,
    nearest: async (scope, vectors, _space, k, filter) => {
      const all = inScope(scope, filter);
      return vectors.map((vector) =>
        all
          .flatMap(({ record, vector: own }) =>
            own === undefined
              ? []
              : [{ id: record.id, distance: 1 - own.reduce((sum, x, i) => sum + x * (vector[i] ?? 0), 0) }],
          )
          .sort((a, b) => a.distance - b.distance)
          .slice(0, k),
      );
    },
    matching: async (scope, texts, k, filter) => {
      const all = inScope(scope, filter);
      const score = scorerOf(all.map(({ record }) => record));
      return texts.map((text) => {
        const scores = score(text);
        return all
          .map(({ record }, row) => ({ id: record.id, score: scores[row] ?? 0 }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, k);
      });
    },
    records: async (scope, ids) => {
      const all = new Map(inScope(scope).map(({ record }) => [record.id, record]));
      return ids.flatMap((id) => all.get(id) ?? []);
    },
    counts: async (scope) => countsOf(inScope(scope).map(({ record }) => record)),
    version: async () => 1,
    ...instead,
  };
  const spied = Object.fromEntries(
    Object.entries(fake).map(([name, method]) => [
      name,
      typeof method !== "function"
        ? method
        : (...parts: readonly unknown[]) => {
            asked.push(name);
            return (method as (...all: readonly unknown[]) => unknown)(...parts);
          },
    ]),
  ) as unknown as Recall;
  return { ...spied, asked, scopes };
}

export function countsOf(records: readonly MemoryRecord[]): MemoryCounts {
  const by = <K>(key: (record: MemoryRecord) => K): ReadonlyMap<K, number> =>
    new Map([...Map.groupBy(records, key)].map(([name, group]) => [name, group.length]));
  return {
    total: records.length,
    byLanguage: by(({ language }) => language),
    byCorpus: by(({ corpus }) => corpus),
    byOutcome: by(({ outcome }) => outcome ?? "none"),
  };
}

/**
 * The score of each record for a text, by the BM25 of the real search: its floor is made for no
 * other.
 */
function scorerOf(records: readonly MemoryRecord[]): (text: string) => Float64Array {
  const known = vocabulary();
  const rows = Int32Array.from(records.keys());
  const terms = addedTerms(known, records.map(recordTerms));
  const postings = mergePostings(known, records.length, null, new Int32Array(), [terms], rows);
  const score = termScorer([{ postings, inScope: new Uint8Array(records.length).fill(1) }]);
  return (text) => score(queryTerms(text))[0]?.slice() ?? new Float64Array();
}
