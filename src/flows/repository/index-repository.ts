// Indexes documents and code of one commit. Only changed files are read, only changed pieces are embedded, and what the
// tree no longer has is deleted from memory. A second run does nothing.
import { languageOf } from "../../analyze/analyze.ts";
import type { Repo } from "../../domain/job.ts";
import { addUp, type Remembered } from "../../domain/memory/write-report.ts";
import { type KnownSource, type MemoryRecord, repoKey } from "../../domain/memory.ts";
import type { LeftOut } from "../../domain/omissions.ts";
import { leftOutReason } from "../../gather/gather.ts";
import { corpusOf, fileRecords, type Remembering, remember, wikiCorpusOf } from "../../learn/learn.ts";
import type { CodeChunker, Embedder, Memory, Tree, TreeFile } from "../../ports/memory.ts";

interface IndexPorts {
  readonly tree: Tree;
  readonly chunker: CodeChunker;
  readonly embedder: Embedder;
  readonly memory: Memory;
}

interface IndexRequest {
  readonly repo: Repo;
  /** The corpora to index. Memory of other corpora stays as it is. */
  readonly corpora: readonly IndexedCorpus[];
  /** Epoch milliseconds. */
  readonly at: number;
  readonly remembering: Remembering;
  /** The URL of a file of this commit, without an anchor: `https://HOST/OWNER/NAME/blob/SHA/PATH`; or null. */
  readonly urlOf?: (path: string) => string | null;
  /** How much one run reads at most; the rest waits for the next. Left out: everything. */
  readonly most?: { readonly files: number; readonly bytes: number };
  /** The end of an earlier run: only files after this path are read. */
  readonly after?: string | null;
  /** Nothing is embedded: memories are found by keywords only. */
  readonly wordsOnly?: boolean;
  /** The tree is a wiki: each of its pages is a document of corpus `wiki`. */
  readonly wiki?: boolean;
}

export type IndexedCorpus = "doc" | "wiki" | "code";

export type Indexed = Awaited<ReturnType<typeof indexRepository>>;

/** A larger file is not meant for reading. */
const MAX_BYTES = 512 * 1024;
/** Records that are written together. */
const PENDING = 384;

/**
 * Brings memory up to date with the tree.
 *
 * @throws Transient when memory cannot be reached now, what the redactor or the tree throw; the next run completes it
 */
export async function indexRepository(request: IndexRequest, given: IndexPorts) {
  const ports = request.wordsOnly === true ? { ...given, embedder: withoutVectors(given.embedder) } : given;
  const { tree, memory } = ports;
  const known = await knownFiles(request, ports);
  const { files, incomplete } = await tree.list();
  const { chosen, leftOut } = chooseFiles(files, request, ports.chunker);
  const vectors = request.wordsOnly !== true;
  const changed = chosen.filter((file) => !isUnchanged(known.get(placeOf(file)), file.hash, vectors));

  const { now, waiting } = atMost(changed, request);
  const read = await readFiles(now, request, ports);
  const present = new Set(chosen.map(placeOf));
  // A file missing from an incomplete listing may still exist.
  const isAbsent = (place: string) => incomplete === null && !present.has(place);
  const isRemoved = (source: Known) =>
    isAbsent(source.place) || (read.places.has(source.place) && !read.ids.has(source.id));
  const removed = [...known.values()].flat().filter(isRemoved);
  // Writes before deleting, so that moved text is never missing.
  const ids = removed.map(({ id }) => id);
  const forgotten = ids.length === 0 ? 0 : await memory.forget(repoKey(request.repo), ids);
  return {
    kind: "indexed" as const,
    commit: tree.commit,
    /** Files of the named corpora: unchanged + read + waiting = all that are not left out and not before `after`. */
    files: {
      unchanged: chosen.length - changed.length,
      read: read.places.size,
      removed: [...known.keys()].filter(isAbsent).length,
      /** Over the limit of one run: their memory stays as it is. */
      waiting,
    },
    /** The path after which the next run continues; null when nothing is waiting. */
    next: waiting === 0 ? null : (now.at(-1)?.path ?? null),
    remembered: read.remembered,
    /** Records deleted because their file, or their place in it, was removed. */
    forgotten,
    /** Files, or parts of them, that are not remembered. Files that are neither document nor code are not listed. */
    leftOut: [...leftOut, ...read.leftOut],
    degraded: [
      ...(incomplete === null ? [] : [{ part: "tree", reason: incomplete }]),
      ...(vectors ? read.remembered.degraded : []),
    ],
  };
}

function withoutVectors(embedder: Embedder): Embedder {
  const { space, threshold, weight } = embedder;
  const embed: Embedder["embed"] = (texts) =>
    Promise.resolve({ vectors: texts.map(() => null), tokens: 0, usd: 0, cached: 0 });
  return { space, threshold, weight, embed };
}

/** As many as one run may read, at least one; by path, so that the next run knows where to continue. */
function atMost(changed: readonly ChosenFile[], { most, after }: IndexRequest) {
  if (most === undefined) return { now: changed, waiting: 0 };
  const due = changed
    .filter(({ path }) => typeof after !== "string" || path > after)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  let bytes = 0;
  const end = due.findIndex((file, at) => {
    bytes += file.bytes;
    return at > 0 && (at >= most.files || bytes > most.bytes);
  });
  return end === -1 ? { now: due, waiting: 0 } : { now: due.slice(0, end), waiting: due.length - end };
}

interface Known extends KnownSource {
  readonly place: string;
}

/** A path in a corpus: a file may change its corpus. */
function placeOf(file: { readonly corpus: string; readonly path: string }): string {
  return `${file.corpus} ${file.path}`;
}

async function knownFiles(request: IndexRequest, ports: IndexPorts): Promise<Map<string, Known[]>> {
  const found: Known[] = [];
  for (const corpus of request.corpora) {
    const sources = await ports.memory.known(repoKey(request.repo), corpus, ports.embedder.space, null);
    for (const source of sources.values())
      found.push({ ...source, place: placeOf({ corpus, path: source.path ?? "" }) });
  }
  return Map.groupBy(found, ({ place }) => place);
}

/** Every piece comes from this very blob and has its vector. A file without memories is read again. */
function isUnchanged(known: readonly Known[] | undefined, hash: string, vectors: boolean): boolean {
  const isRight = ({ sha, hashes }: Known) => sha === hash && (!vectors || typeof hashes?.embedded === "string");
  return known?.every(isRight) ?? false;
}

interface ChosenFile extends TreeFile {
  readonly corpus: IndexedCorpus;
  readonly language: string;
}

function chooseFiles(files: readonly TreeFile[], request: IndexRequest, chunker: CodeChunker) {
  const chosen: ChosenFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    const language = languageOf(file.path);
    const corpus = request.wiki === true ? wikiCorpusOf(file.path) : corpusOf(file.path, language, chunker);
    if (corpus === null || !request.corpora.includes(corpus)) continue;
    const reason = file.bytes > MAX_BYTES ? `larger than ${MAX_BYTES / 1024} KiB` : leftOutReason(file.path);
    if (reason === null) chosen.push({ ...file, corpus, language });
    else leftOut.push({ path: file.path, reason });
  }
  return { chosen, leftOut };
}

/** Remembers the files. Returns the `places` of those that were read, and the ids of all resulting records. */
async function readFiles(changed: readonly ChosenFile[], request: IndexRequest, ports: IndexPorts) {
  const byPath = new Map(changed.map((file) => [file.path, file]));
  const leftOut: LeftOut[] = [];
  const ids = new Set<string>();
  const places = new Set<string>();
  const counts: Remembered[] = [];
  let pending: MemoryRecord[] = [];
  const flush = async () => {
    counts.push(await remember(pending, ports.embedder, ports.memory, request.remembering));
    pending = [];
  };
  for await (const { file, text } of ports.tree.texts(changed)) {
    const chosen = byPath.get(file.path);
    if (chosen === undefined) continue;
    places.add(placeOf(chosen));
    const { records, reasons } = await readFile(chosen, text, request, ports.chunker);
    for (const reason of reasons) leftOut.push({ path: file.path, reason });
    for (const record of records) ids.add(record.id);
    pending.push(...records);
    if (pending.length >= PENDING) await flush();
  }
  if (pending.length > 0) await flush();
  return { remembered: addUp(...counts), leftOut, places, ids };
}

/** The records of one file, and why it, or parts of it, gave none. */
async function readFile(file: ChosenFile, text: string | null, request: IndexRequest, chunker: CodeChunker) {
  if (text === null) return { records: [], reasons: ["binary"] };
  const reason = leftOutReason(file.path, text);
  if (reason !== null) return { records: [], reasons: [reason] };
  // The whole file first: a key that spans two pieces is one secret.
  const redacted = await request.remembering.redact(text);
  const { repo, at } = request;
  const source = { ...file, repo, at, url: request.urlOf?.(file.path) ?? null };
  const { records, skipped } = await fileRecords(source, redacted, chunker);
  return { records, reasons: skipped };
}
