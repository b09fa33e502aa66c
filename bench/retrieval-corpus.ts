// What the retrieval benchmark remembers and what it asks, the same on every run: made row by row,
// because a million vectors do not fit beside what is measured.
import { analyze } from "../src/analyze/analyze.ts";
import type { ListedFile } from "../src/domain/changes.ts";
import type { EmbeddedRecord, MemoryRecord } from "../src/domain/memory.ts";
import type { PullRequestContext } from "../src/domain/pull-request.ts";
import type { ReviewSignals } from "../src/domain/signals.ts";
import { gather } from "../src/gather/gather.ts";
import { aJob, aPull, fakePullRequests, NO_TOOLS, NOTHING_EARLIER, REPO } from "../test/fakes/pull-requests.ts";
import { passage, randomFrom, vectorMaker, wordMaker } from "./synthetic-memory.ts";

export const DIMENSION = 1024;
export const SPACE = { model: "synthetic", dimension: DIMENSION };
export const PULL = 42;
const SEED = 20_261_121;
/**
 * As 10,840 real review comments and the hunks under them are: 26 and 56 different words on
 * average.
 */
const TEXT = { median: 20, deviation: 1.06, most: 400, repeats: 0.2 };
const HUNK = { median: 78, deviation: 1.14, most: 460, repeats: 0.55 };
/**
 * What a pull request says of itself, and what it adds in one place. The larger places are searched
 * with: their added lines have 104 words on average, as those of the real hunks have.
 */
const BODY = { median: 60, deviation: 0, most: 60, repeats: 0.2 };
const ADDED = { median: 80, deviation: 0.3, most: 200, repeats: 0.5 };

export interface Corpus {
  readonly rows: number;
  readonly repositories: number;
  /** Rows of each repository: equal parts. */
  readonly rowsEach: number;
  /** The repository that is searched: the middle one. */
  readonly target: number;
  /** Rows in order, in batches of one repository; the vector buffer of a batch is its own. */
  batches(): Generator<Batch>;
}

export interface Batch {
  readonly repository: number;
  /** Number of its first row, counted over all repositories. */
  readonly first: number;
  readonly rows: readonly (EmbeddedRecord & { readonly vector: Float32Array })[];
}

/**
 * A pull request with everything that a search for it asks, and vectors in place of an embedder.
 */
export interface Asked {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  /** One for each text that may be embedded. */
  readonly vectors: readonly Float32Array[];
  /** The text of one hunk. */
  readonly text: string;
}

const BATCH = 2_000;
const VARIANTS = 16;
/**
 * Made before the rows for any number of questions: the rows of a folder that was filled once are
 * the same with fewer questions.
 */
export const MOST_QUESTIONS = 65;

/**
 * @param questions pull requests that ask, each about rows that are not remembered; at most
 * MOST_QUESTIONS
 */
export async function retrievalCorpus(
  rows: number,
  repositories: number,
  questions: number,
): Promise<{ readonly corpus: Corpus; readonly asked: readonly Asked[] }> {
  const random = randomFrom(SEED);
  const makeVector = vectorMaker(rows, DIMENSION, random);
  const word = wordMaker(random);
  const rowsEach = Math.floor(rows / repositories);
  const target = Math.floor(repositories / 2);
  const asked: Asked[] = [];
  if (questions > MOST_QUESTIONS) throw new RangeError(`${MOST_QUESTIONS} questions at most`);
  for (let at = 0; at < MOST_QUESTIONS; at += 1) asked.push(await question(target, makeVector, word, random));
  function* batches(): Generator<Batch> {
    for (let repository = 0; repository < repositories; repository += 1) {
      for (let at = 0; at < rowsEach; at += BATCH) {
        const size = Math.min(BATCH, rowsEach - at);
        const vectors = new Float32Array(size * DIMENSION);
        const first = repository * rowsEach + at;
        const batch = Array.from({ length: size }, (_, of) => {
          makeVector(vectors, of * DIMENSION);
          const vector = vectors.subarray(of * DIMENSION, (of + 1) * DIMENSION);
          return { record: recordAt(first + of, repository, word, random), vector };
        });
        yield { repository, first, rows: batch };
      }
    }
  }
  return {
    corpus: { rows: rowsEach * repositories, repositories, rowsEach, target, batches },
    asked: asked.slice(0, questions),
  };
}

/** The repository of that number as GitHub describes it. */
export function repoOf(repository: number) {
  return { ...REPO, id: 5_000 + repository, name: `player-${repository}` };
}

const LANGUAGES = ["typescript", "go", "python", "cpp", "rust", "java", "ruby", "csharp"];

function pathOf(at: number, extension: string): string {
  return `${at % 3 === 0 ? "src" : "lib"}/module${at % 997}/file${at % 13}.${extension}`;
}

/** As lines of real hunks are: 42 characters, 4.7 words on average. */
function inLines(passage: string): string {
  const words = passage.split(" ");
  const lines = words.flatMap((_, at) => (at % 5 === 0 ? `+${words.slice(at, at + 5).join(" ")}` : []));
  return ["@@ -1 +1 @@", ...lines].join("\n");
}

function recordAt(at: number, repository: number, word: () => string, random: () => number): MemoryRecord {
  const repo = repoOf(repository);
  return {
    id: `mem_${at}`,
    repo: `${repo.host}/${repo.id}`,
    repoName: `${repo.owner}/${repo.name}`,
    ownerId: repo.ownerId,
    visibility: repo.visibility,
    corpus: at % 10 === 0 ? "finding" : "review_comment",
    sourceId: String(at),
    text: passage(TEXT, word, random),
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    severity: null,
    category: null,
    path: pathOf(at, "ts"),
    language: LANGUAGES[at % LANGUAGES.length] ?? "go",
    symbol: null,
    flaggedCode: null,
    fixedCode: null,
    decided: null,
    described: null,
    sharing: null,
    chunkType: null,
    hunk: inLines(passage(HUNK, word, random)),
    outcome: null,
    provenance: {
      url: null,
      author: "mona",
      authorIsBot: false,
      sha: null,
      pull: at % 5_000,
      at: 1_700_000_000_000 + at,
    },
    stale: false,
  };
}

const FILES = 12;
const WORDS_A_LINE = 8;

/** Twelve files with a changed place each: eight of them are searched with. */
async function question(
  target: number,
  makeVector: (out: Float32Array, offset: number) => void,
  word: () => string,
  random: () => number,
): Promise<Asked> {
  const files = Array.from({ length: FILES }, (): ListedFile => {
    const path = pathOf(Math.floor(random() * 13_000), "ts");
    const added = passage(ADDED, word, random).split(" ");
    const lines = Array.from(
      { length: Math.ceil(added.length / WORDS_A_LINE) },
      (_, at) => `+  ${added.slice(at * WORDS_A_LINE, (at + 1) * WORDS_A_LINE).join(" ")};`,
    );
    const patch = [`@@ -10,1 +10,${lines.length + 1} @@ ${word()}`, ...lines, ` ${word()}();`].join("\n");
    return { path, previousPath: null, status: "modified", additions: lines.length, deletions: 0, patch };
  });
  const distinct = files.filter((file, at) => files.findIndex(({ path }) => path === file.path) === at);
  const pull = aPull({
    number: PULL,
    title: `feat: ${word()} ${word()} ${word()} ${word()}`,
    body: passage(BODY, word, random),
  });
  const pulls = fakePullRequests({ pull, changes: { kind: "listing", files: distinct, total: distinct.length } });
  const job = aJob({ repo: repoOf(target), number: PULL, trigger: "command-line" });
  const context = await gather(job, pulls, {}, false, NOTHING_EARLIER, NO_TOOLS);
  if (context.kind === "skipped") throw new Error(context.reason);
  const vectors = Array.from({ length: VARIANTS }, () => {
    const vector = new Float32Array(DIMENSION);
    makeVector(vector, 0);
    return vector;
  });
  const text = (files[0]?.patch ?? "").replaceAll(/[-+@;]/g, " ");
  return { context, signals: analyze(context), vectors, text };
}
