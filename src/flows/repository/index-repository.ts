// Indexes the documents of one commit: reads changed files, embeds changed pieces, and deletes what
// the tree no longer has. A second run does nothing.
import type { Repo } from "../../domain/job.ts";
import { addUp, type Remembered } from "../../domain/memory/write-report.ts";
import { type KnownSource, type MemoryRecord, repoKey } from "../../domain/memory.ts";
import type { LeftOut } from "../../domain/omissions.ts";
import { leftOutReason } from "../../gather/gather.ts";
import { fileRecords, isDocPath, isWikiPage, type Remembering, remember } from "../../learn/learn.ts";
import type { Embedder, Memory, Tree, TreeFile } from "../../ports/memory.ts";

interface IndexPorts {
  readonly tree: Tree;
  readonly embedder: Embedder;
  readonly memory: Memory;
}

interface IndexRequest {
  readonly repo: Repo;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly remembering: Remembering;
  /** Of a file of this commit: `https://HOST/OWNER/NAME/blob/SHA/PATH`; or null. */
  readonly urlOf: (path: string) => string | null;
  /** How much one run reads at most; the rest waits for the next. Null: everything. */
  readonly most: { readonly files: number; readonly bytes: number } | null;
  /** The end of an earlier run: only files after this path are read. */
  readonly after: string | null;
  /** Nothing is embedded: memories are found by keywords only. */
  readonly wordsOnly: boolean;
  /** `wiki`: each page of the tree is a document. */
  readonly corpus: "doc" | "wiki";
}

export type Indexed = Awaited<ReturnType<typeof indexRepository>>;

/** A larger file is not meant for reading. */
const MAX_BYTES = 512 * 1024;
const PENDING = 384;

/**
 * Brings memory up to date with the tree.
 *
 * @throws Transient when memory cannot be reached now, and what redactor or tree throw; the next
 *   run completes it
 */
export async function indexRepository(request: IndexRequest, given: IndexPorts) {
  const ports = request.wordsOnly ? { ...given, embedder: withoutVectors(given.embedder) } : given;
  const { tree, memory } = ports;
  const known = await knownFiles(request, ports);
  const { files, incomplete } = await tree.list();
  const { chosen, leftOut } = chooseFiles(files, request);
  const vectors = !request.wordsOnly;
  const changed = chosen.filter((file) => !isUnchanged(known.get(file.path), file.hash, vectors));

  const { now, waiting } = atMost(changed, request);
  const read = await readFiles(now, request, ports);
  const present = new Set(chosen.map(({ path }) => path));
  // A file missing from an incomplete listing may still exist.
  const isAbsent = (path: string) => incomplete === null && !present.has(path);
  const isRemoved = ({ id, path }: KnownSource) =>
    isAbsent(path ?? "") || (read.paths.has(path ?? "") && !read.ids.has(id));
  const removed = [...known.values()].flat().filter(isRemoved);
  // Writes before deleting, so that moved text is never missing.
  const ids = removed.map(({ id }) => id);
  const forgotten = ids.length === 0 ? 0 : await memory.forget(repoKey(request.repo), ids);
  return {
    kind: "indexed" as const,
    commit: tree.commit,
    /** Documents: unchanged + read + waiting = all that are not left out and not before `after`. */
    files: {
      unchanged: chosen.length - changed.length,
      read: read.paths.size,
      removed: [...known.keys()].filter(isAbsent).length,
      /** Over the limit of one run: their memory stays as it is. */
      waiting,
    },
    /** The path after which the next run continues; null when nothing is waiting. */
    next: waiting === 0 ? null : (now.at(-1)?.path ?? null),
    remembered: read.remembered,
    /** Records deleted because their file, or their place in it, was removed. */
    forgotten,
    leftOut: [...leftOut, ...read.leftOut],
    degraded: [
      ...(incomplete === null ? [] : [{ part: "tree", reason: incomplete }]),
      ...(vectors ? read.remembered.degraded : []),
    ],
  };
}

function withoutVectors(embedder: Embedder): Embedder {
  const embed: Embedder["embed"] = (texts) =>
    Promise.resolve({ vectors: texts.map(() => null), tokens: 0, usd: 0, cached: 0, failed: null });
  return { ...embedder, embed };
}

/** As many as one run may read, at least one; by path, so that the next run can continue. */
function atMost(changed: readonly TreeFile[], { most, after }: IndexRequest) {
  if (most === null) return { now: changed, waiting: 0 };
  const due = changed.filter(({ path }) => after === null || path > after).sort((a, b) => (a.path < b.path ? -1 : 1));
  let bytes = 0;
  const end = due.findIndex((file, at) => {
    bytes += file.bytes;
    return at > 0 && (at >= most.files || bytes > most.bytes);
  });
  return end === -1 ? { now: due, waiting: 0 } : { now: due.slice(0, end), waiting: due.length - end };
}

/** What memory knows of this corpus, by path. Memory of other corpora stays as it is. */
async function knownFiles(request: IndexRequest, ports: IndexPorts): Promise<Map<string, KnownSource[]>> {
  const sources = await ports.memory.known(repoKey(request.repo), request.corpus, ports.embedder.space, null);
  return Map.groupBy(sources.values(), ({ path }) => path ?? "");
}

/** Every piece comes from this blob and has its vector. A file without memories is read again. */
function isUnchanged(known: readonly KnownSource[] | undefined, hash: string, vectors: boolean): boolean {
  const isRight = ({ sha, hashes }: KnownSource) => sha === hash && (!vectors || typeof hashes?.embedded === "string");
  return known?.every(isRight) ?? false;
}

function chooseFiles(files: readonly TreeFile[], request: IndexRequest) {
  const isDocument = request.corpus === "wiki" ? isWikiPage : isDocPath;
  const chosen: TreeFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    if (!isDocument(file.path)) continue;
    const reason = file.bytes > MAX_BYTES ? `larger than ${MAX_BYTES / 1024} KiB` : leftOutReason(file.path);
    if (reason === null) chosen.push(file);
    else leftOut.push({ path: file.path, reason });
  }
  return { chosen, leftOut };
}

/** Remembers the files. Returns the `paths` that were read, and the ids of all records. */
async function readFiles(changed: readonly TreeFile[], request: IndexRequest, ports: IndexPorts) {
  const leftOut: LeftOut[] = [];
  const ids = new Set<string>();
  const paths = new Set<string>();
  const counts: Remembered[] = [];
  let pending: MemoryRecord[] = [];
  const flush = async () => {
    counts.push(await remember(pending, ports.embedder, ports.memory, request.remembering));
    pending = [];
  };
  for await (const { file, text } of ports.tree.texts(changed)) {
    paths.add(file.path);
    const { records, reasons } = await readFile(file, text, request);
    for (const reason of reasons) leftOut.push({ path: file.path, reason });
    for (const record of records) ids.add(record.id);
    pending.push(...records);
    if (pending.length >= PENDING) await flush();
  }
  if (pending.length > 0) await flush();
  return { remembered: addUp(...counts), leftOut, paths, ids };
}

async function readFile(file: TreeFile, text: string | null, request: IndexRequest) {
  if (text === null) return { records: [], reasons: ["binary"] };
  const reason = leftOutReason(file.path, text);
  if (reason !== null) return { records: [], reasons: [reason] };
  // The whole file first: a key that spans two pieces is one secret.
  const redacted = await request.remembering.redact(text);
  const { repo, at, corpus } = request;
  const source = { ...file, corpus, repo, at, url: request.urlOf(file.path) };
  const { records, skipped } = fileRecords(source, redacted);
  return { records, reasons: skipped };
}
