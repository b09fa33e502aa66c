// The retrieval data as the ranker takes it: comments and changes prepared, truth beside them.
import { createHash } from "node:crypto";
import { canonicalLanguage } from "../src/domain/language.ts";
import { parseDiff } from "../src/gather/parse-diff.ts";
import {
  type ChangedHunk,
  type PreparedChange,
  type PreparedMemory,
  prepareChange,
  prepareMemory,
} from "../src/retrieve/rank/prepare-documents.ts";
import { type Lexicon, lexicon } from "../src/retrieve/rank/term-ids.ts";
import { type CorpusRow, type JudgedData, type JudgedRow, readJudged } from "./judged-data.ts";

/** A comment as the ranker takes it, with what only measurements look at. */
export interface RetrievalMemory extends PreparedMemory {
  /** A canonical id. */
  readonly language: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface RetrievalQuery {
  readonly id: string;
  readonly repo: string;
  readonly pr: number;
  /** Epoch milliseconds. */
  readonly asOf: number;
  readonly change: PreparedChange;
  /** Canonical ids of its files' languages. */
  readonly languages: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
  readonly gold: ReadonlySet<string>;
  readonly grades: ReadonlyMap<string, number>;
}

export interface RetrievalRows {
  readonly memories: ReadonlyMap<string, readonly RetrievalMemory[]>;
  readonly queries: readonly RetrievalQuery[];
  /** With which all of it was prepared. */
  readonly lexicon: Lexicon;
  readonly fingerprint: string;
  /** Diffs of which a part could not be read. */
  readonly refusedDiffs: number;
}

/**
 * Reads corpus and queries from a folder and prepares them. @throws Error when a truth id is
 * missing from the corpus
 */
export async function readRetrieval(folder: string): Promise<RetrievalRows> {
  return prepareRows(await readJudged(folder));
}

export function prepareRows({ corpus, queries: asked, fingerprint }: JudgedData): RetrievalRows {
  let refusedDiffs = 0;
  const words = lexicon();
  const queries = asked.map((query) => {
    const { files: diffs, refused } = parseDiff(query.diff);
    if (refused.length > 0) refusedDiffs += 1;
    const hunks = diffs.flatMap((file) => file.hunks);
    return queryOf(query, hunks, words);
  });
  const memories = Map.groupBy(corpus, (row) => row.repo);
  return {
    memories: new Map([...memories].map(([repo, list]) => [repo, list.map((row) => memoryOf(row, words))])),
    queries,
    lexicon: words,
    fingerprint,
    refusedDiffs,
  };
}

function memoryOf({ id, pr, filePath, text, hunk, language, createdAt }: CorpusRow, words: Lexicon): RetrievalMemory {
  const prepared = prepareMemory({ id, pr, path: filePath, text, hunk: hunk ?? "" }, words);
  return { ...prepared, language: canonicalLanguage(language ?? ""), createdAt: Date.parse(createdAt) };
}

function queryOf(row: JudgedRow, hunks: readonly ChangedHunk[], words: Lexicon): RetrievalQuery {
  const { title, body, files } = row;
  return {
    id: row.id,
    repo: row.repo,
    pr: row.pr,
    asOf: Date.parse(row.asOf),
    change: prepareChange({ title, body: body ?? "", paths: files.map(({ path }) => path), hunks }, words),
    languages: new Set(files.map(({ language }) => canonicalLanguage(language ?? ""))),
    own: new Set(row.own),
    gold: new Set(row.relevantGold),
    grades: new Map(Object.entries(row.grades)),
  };
}

/**
 * Task G and H: same repository, another pull request, written before the change was asked about.
 */
export function earlier(rows: RetrievalRows, query: RetrievalQuery): readonly RetrievalMemory[] {
  const all = rows.memories.get(query.repo) ?? [];
  return all.filter((memory) => memory.pr !== query.pr && memory.createdAt < query.asOf);
}

/** Ids by score, best first; equal scores are ordered by a hash of the id, which favours none. */
export function rank(ids: readonly string[], scores: ArrayLike<number>): string[] {
  const order = ids.map((id, at) => ({
    id,
    score: scores[at] ?? 0,
    tie: createHash("sha256").update(id).digest("hex"),
  }));
  return order.sort((a, b) => b.score - a.score || (a.tie < b.tie ? -1 : 1)).map((entry) => entry.id);
}
