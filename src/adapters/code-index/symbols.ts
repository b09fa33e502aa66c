// Names in code, read by a process of its own: a parse cannot be interrupted from within, and some
// texts never end. Words first, grammars only where a word is.
import type { ChildProcess } from "node:child_process";
import { LRUCache } from "lru-cache";
import type { FileLinks, NamedSymbol } from "../../domain/code/symbols.ts";
import type { Degraded } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import { fnv1a } from "../../domain/text/hash.ts";
import type { Snapshot, SnapshotFile } from "../../ports/snapshot.ts";
import type { FoundSymbols, SoughtNames, Symbols } from "../../ports/symbols.ts";
import { groupBySize } from "../group-by-size.ts";
import { type Reader, readingChild, readingProcess } from "../reading-child.ts";
import type { ReadSymbols, SymbolFile, SymbolsQuestion } from "./symbols-process.ts";
import { hasHash, type WordIndex } from "./word-index.ts";

/**
 * For one message; the longest file that is parsed takes some tens of milliseconds. Memory is
 * resident. The process is not worth keeping alive for the next review.
 */
const LIMITS = {
  ...{ ms: 5_000, bytes: 340 * 1024 * 1024, restingBytes: Number.POSITIVE_INFINITY },
  ...{ idleMs: 30_000, stuckFiles: 3, reviewMs: 60_000 },
};
/** Texts that travel together: many, to save waiting; few, to be read again one by one. */
const MESSAGE = { size: 2_000_000, count: 200 };
const PARSED_TOGETHER = 12;
/** Hashes kept of files that were read before: some 5,000 files of a usual size take 10 MB. */
const KEPT_BYTES = 48 * 1024 * 1024;
/** Files in which one name is looked for, the nearest first. */
const FILES_A_NAME = { definitions: 12, references: 40 };
/** Files that are parsed for one review. */
const MOST_FILES = 500;
/** A review waits no longer for the words of its repository. */
const WORDS_MS = 20_000;

/** Of one review, and of further ones beside it. */
interface OpenSymbols extends Symbols {
  ofReview(): Symbols;
  close(): void;
}

const startProcess = () => readingChild(new URL("./symbols-process.ts", import.meta.url), ["--max-old-space-size=256"]);

/**
 * Symbols by ast-grep and by words. Its process starts with a question and ends when idle.
 *
 * @param start another process that answers the same questions, for tests
 */
export function codeSymbols(start: () => ChildProcess = startProcess): OpenSymbols {
  const kept = new LRUCache<string, WordIndex>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ words, defined }) => words.byteLength + defined.byteLength + 200,
  });
  const reading = readingProcess(start, LIMITS);
  const ofReview = () => symbolsOf(reading.reader(), kept);
  return { ...ofReview(), ofReview, close: reading.end };
}

function symbolsOf(reader: Reader, kept: LRUCache<string, WordIndex>): Symbols {
  let hasMissed = false;

  /** Null if the process does not answer, or the review has asked too much of it. */
  async function ask<Answer>(question: SymbolsQuestion, files: number): Promise<Answer | null> {
    const result = await reader.ask<Answer>(question, files);
    return "answer" in result ? result.answer : null;
  }

  /** The words of every file, in the order given; null where there are none in time. */
  async function indexed(snapshot: Snapshot, files: readonly SnapshotFile[]): Promise<readonly (WordIndex | null)[]> {
    const missing = files.filter(({ blob }) => !kept.has(blob));
    const read = new Map<string, WordIndex>();
    const until = performance.now() + WORDS_MS;
    for (const batch of groupBySize(missing, ({ bytes }) => bytes, MESSAGE)) {
      if (performance.now() > until) break;
      const texts = await Promise.all(batch.map(({ path }) => snapshot.text(path)));
      const question = { kind: "words", texts: texts.map((text) => text ?? "") } as const;
      const answer = await ask<readonly WordIndex[]>(question, 0);
      for (const [at, index] of answer?.entries() ?? []) {
        const blob = batch[at]?.blob ?? "";
        read.set(blob, index);
        kept.set(blob, index);
      }
    }
    return files.map(({ blob }) => kept.get(blob) ?? read.get(blob) ?? null);
  }

  /** One by one where several together got the process stuck; null for one that does. */
  async function parsed(
    files: readonly SymbolFile[],
    defined: ReadonlySet<string> | null,
    used: ReadonlySet<string>,
  ): Promise<readonly (ReadSymbols | null)[]> {
    const answer = await ask<readonly ReadSymbols[]>({ kind: "read", files, defined, used }, files.length);
    if (answer !== null) return answer;
    if (files.length === 1) return [null];
    const parts: (ReadSymbols | null)[] = [];
    for (const file of files) parts.push(...(await parsed([file], defined, used)));
    return parts;
  }

  return {
    async outline(path, text) {
      const [read = null] = await parsed([{ path, text }], null, new Set());
      hasMissed ||= read === null;
      return read?.definitions ?? [];
    },
    async find(snapshot, sought): Promise<FoundSymbols> {
      const files = nearestFirst([...snapshot.files.values()], sought.near);
      const indexes = await indexed(snapshot, files);
      const unindexed = indexes.filter((index) => index === null).length;
      const plan = planned(files, indexes, sought);
      const reading = files.filter(({ path }) => plan.files.has(path)).slice(0, MOST_FILES);
      const defined = new Set([...sought.used, ...sought.changed]);
      const reads: ReadSymbols[] = [];
      let unread = 0;
      for (let at = 0; at < reading.length; at += PARSED_TOGETHER) {
        const some = reading.slice(at, at + PARSED_TOGETHER);
        const texts = await Promise.all(some.map(({ path }) => snapshot.text(path)));
        const batch = some.flatMap(({ path }, index) => {
          const text = texts[index] ?? null;
          return text === null ? [] : [{ path, text }];
        });
        for (const read of await parsed(batch, defined, sought.changed)) {
          if (read === null) unread++;
          else reads.push(read);
        }
      }
      const definitions = Map.groupBy(
        reads.flatMap((read) => read.definitions),
        ({ name }) => name,
      );
      const symbols = new Map<string, NamedSymbol>();
      for (const name of defined) {
        const own = definitions.get(name) ?? [];
        const lines = new Set(own.map(({ path, signature }) => `${path} ${signature}`));
        const uses = reads
          .flatMap(({ references }) => references.get(name) ?? [])
          .filter(({ path, text }) => !lines.has(`${path} ${text}`));
        if (own.length + uses.length > 0)
          symbols.set(name, { definitions: own, references: uses, unread: plan.unread.get(name) ?? 0 });
      }
      return { symbols, degraded: degraded(unindexed, unread) };
    },
    async having(snapshot, words) {
      const files = [...snapshot.files.values()];
      const wanted = Map.groupBy(words, fnv1a);
      const found = new Map<string, string[]>();
      for (const [at, index] of (await indexed(snapshot, files)).entries()) {
        const path = files[at]?.path ?? "";
        for (const hash of index?.words ?? []) {
          for (const word of wanted.get(hash) ?? []) {
            const paths = found.get(word) ?? [];
            found.set(word, paths);
            paths.push(path);
          }
        }
      }
      return found;
    },
    async links(path, text, called) {
      const answer = await ask<readonly (FileLinks | null)[]>({ kind: "links", files: [{ path, text }], called }, 1);
      hasMissed ||= answer === null;
      return answer?.[0] ?? null;
    },
    missed: () => (hasMissed ? [{ part: "symbols", reason: reader.isOver ? GIVEN_UP : NOT_IN_TIME }] : []),
  };
}

const NOT_IN_TIME = "some files could not be read for their names in time";
const GIVEN_UP = `${NOT_IN_TIME}, so that no others were read after them`;

/**
 * Which files are parsed: those that may define a name, and the nearest that use one that changed.
 *
 * @returns by name of those that changed in `unread`: how many more files have the word
 */
function planned(
  files: readonly SnapshotFile[],
  indexes: readonly (WordIndex | null)[],
  { used, changed }: SoughtNames,
): { readonly files: ReadonlySet<string>; readonly unread: ReadonlyMap<string, number> } {
  const paths = new Set<string>();
  const unread = new Map<string, number>();
  for (const name of new Set([...changed, ...used])) {
    const hash = fnv1a(name);
    let defining = 0;
    let using = 0;
    for (const [at, index] of indexes.entries()) {
      if (index === null || !hasHash(index.words, hash)) continue;
      const path = files[at]?.path ?? "";
      if (hasHash(index.defined, hash) && defining < FILES_A_NAME.definitions) {
        defining++;
        paths.add(path);
      }
      if (!changed.has(name)) continue;
      using++;
      if (using <= FILES_A_NAME.references) paths.add(path);
    }
    if (using > FILES_A_NAME.references) unread.set(name, using - FILES_A_NAME.references);
  }
  return { files: paths, unread };
}

/** By the folders that a path shares with one of the given ones, most first; else by path. */
function nearestFirst(files: readonly SnapshotFile[], near: readonly string[]): readonly SnapshotFile[] {
  const root: Folder = new Map();
  for (const path of near) {
    let folder = root;
    for (const name of path.split("/").slice(0, -1)) {
      const inner = folder.get(name) ?? new Map();
      folder.set(name, inner);
      folder = inner;
    }
  }
  return files
    .map((file) => ({ file, shared: sharedFolders(file.path, root) }))
    .sort((a, b) => b.shared - a.shared || (a.file.path < b.file.path ? -1 : 1))
    .map(({ file }) => file);
}

interface Folder extends Map<string, Folder> {}

/** How many folders, from the root, a path has in common with a tree. */
function sharedFolders(path: string, root: Folder): number {
  let folder: Folder | undefined = root;
  let shared = -1;
  for (const name of path.split("/").slice(0, -1)) {
    shared++;
    folder = folder.get(name);
    if (folder === undefined) return shared;
  }
  return shared + 1;
}

function degraded(unindexed: number, unread: number): readonly Degraded[] {
  const count = unindexed + unread;
  const were = `${counted(count, "file")} ${count === 1 ? "was" : "were"}`;
  const reason = `${were} not searched for names of this change: too long to read`;
  return count === 0 ? [] : [{ part: "symbols", reason }];
}
