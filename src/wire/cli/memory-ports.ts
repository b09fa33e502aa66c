// Wires the verbs that read and write memory.

import { parse, resolve } from "node:path";
import { knownIdentity } from "../../adapters/git/clone-identity.ts";
import { localChanges } from "../../adapters/git/local-changes.ts";
import { gitTree } from "../../adapters/git/snapshot.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import { readEmbeddings, readReranker } from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/set-variables.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import { NO_ALLOWANCE } from "../../domain/model.ts";
import { isFolder, shownPlace, storePlace } from "../../environment/data-dir.ts";
import { findRepository, nameOf, nothingRemembered } from "../../flows/memory/find-repository.ts";
import type { SearchPorts } from "../../flows/memory/search-memory.ts";
import type { HistoryPorts } from "../../flows/repository/import-history.ts";
import type { Embedder, RepositoryLabels, Reranker } from "../../ports/memory.ts";
import { type PersonsRepository, personsPast } from "../github.ts";
import { chosenEmbedder, chosenReranker } from "../models.ts";
import { redact, registerSecrets, safeRetrievals } from "../secrets.ts";
import { openStore, type Store } from "../store.ts";
import { openForReading, unrecorded } from "./store.ts";

export interface MemoryStore extends Omit<Store, "close"> {
  readonly place: string;
  readonly redact: typeof redact;
  readonly embedder: Embedder;
  readonly close: () => void;
}

/** Opens (or creates) memory for the command line, at storePlace. */
export async function openMemoryFor(place: string): Promise<MemoryStore> {
  return withEmbedder(await openStore(place, { isCommand: true }), place);
}

/** The store with the environment's embedder. Throws why memory could not be opened. */
async function withEmbedder(store: Store, place: string): Promise<MemoryStore> {
  // For a verb about memory, the reason is better than an empty answer.
  if (store.memoryProblem !== null) throw store.memoryProblem;
  const read = readEmbeddings(setVariables(process.env));
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const chosen = await chosenEmbedder(read.embeddings);
  // The keyless embedder is faster than any cache.
  const embedder = read.embeddings.kind === "local" ? chosen : store.cached(chosen);
  return { ...store, place, redact, embedder, close: () => void store.close() };
}

/** The clone at a path, as memory knows it. Throws GitFailed outside of a clone. */
export async function localRepository(path: string, known: readonly Repo[]): Promise<Repo> {
  const { identities } = await localChanges(resolve(path), { kind: "staged" });
  return knownIdentity(identities, known);
}

/** The repository named by an argument: a clone's folder, or the name of one in memory. */
export async function repositoryOf(word: string | undefined, all: RepositoryLabels["all"], dir: string): Promise<Repo> {
  if (word === undefined || isFolder(word)) return localRepository(word ?? ".", await all());
  return findRepository(word, await all(), dir);
}

export type MemoryVerbPorts = Awaited<ReturnType<typeof memoryVerbPorts>>;

/** Ports of `kodiai memory`; `repoOf` finds what `--repo` names: a folder, or OWNER/NAME. */
export async function memoryVerbPorts(word: string | undefined) {
  const opened = await openMemoryFor(storePlace(word));
  const { labels, place } = opened;
  return { ...opened, repoOf: (repo: string | undefined) => repositoryOf(repo, labels.all, shownPlace(place)) };
}

/**
 * Memory for verbs that only read it, and the repository that `--repo` names (a folder, OWNER/NAME
 * or HOST/ID). No file is created. @throws UsageError; Error when there are no memories of it
 */
export async function memoryToRead(
  dataDir: string | undefined,
  word: string | undefined,
): Promise<MemoryStore & { readonly repo: Repo }> {
  const place = storePlace(dataDir);
  const store = await openForReading(place);
  const opened = store && (await withEmbedder(store, place));
  try {
    const known = (await opened?.labels.all()) ?? [];
    const repo = await repositoryOf(word, async () => known, shownPlace(place));
    if (opened !== null && known.some((other) => repoKey(other) === repoKey(repo))) return { ...opened, repo };
    throw new Error(nothingRemembered(nameOf(repo), known, shownPlace(place)));
  } catch (error) {
    opened?.close();
    throw error;
  }
}

export function searchPorts({ embedder, recall, retrievals }: MemoryStore): Omit<SearchPorts, "reranker"> {
  const log = safeRetrievals(retrievals, unrecorded);
  return { embedder, recall, allowance: NO_ALLOWANCE, retrievals: log, now: Date.now };
}

/** The environment's reranker; null without one. Throws an Error that names the variable. */
export async function rerankerOfEnvironment(): Promise<Reranker | null> {
  const read = readReranker(setVariables(process.env));
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return chosenReranker(read.reranker);
}

/** Which commit of which clone, for which repository, into which folder. */
interface IndexWords {
  /** The clone; for undefined, the folder that `repo` names, else the current one. */
  readonly path: string | undefined;
  /** A folder or OWNER/NAME; for undefined, the clone's own. */
  readonly repo: string | undefined;
  /** A clone of the repository's wiki, which is read instead of the repository. */
  readonly wiki: string | undefined;
  readonly revision: string;
  readonly dataDir: string | undefined;
}

/** Ports of `kodiai index`: the tree of one commit of a clone, and memory. */
export async function indexVerbPorts(words: IndexWords) {
  const opened = await openMemoryFor(storePlace(words.dataDir));
  try {
    const { path, repo: word, wiki } = words;
    const repo = await repositoryOf(word ?? path, opened.labels.all, shownPlace(opened.place));
    const named = word !== undefined && isFolder(word) ? word : ".";
    const clone = resolve(wiki ?? path ?? named);
    const tree = await gitTree(clone, words.revision);
    const urlOf = (file: string) => fileUrl(repo, tree.commit, file, wiki !== undefined);
    return { ...opened, repo, tree, urlOf, now: Date.now };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Null for local clones. A wiki's page URLs use the name without its folder. */
function fileUrl({ host, owner, name }: Repo, commit: string, path: string, isWiki: boolean): string | null {
  if (host === "local" || host === "eval") return null;
  const page = `https://${host}/${owner}/${name}`;
  if (isWiki) return `${page}/wiki/${encodeURIComponent(parse(path).name)}`;
  return `${page}/blob/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Ports of `kodiai import`. A dry run opens no file. */
export async function historyVerbPorts(
  words: PersonsRepository & { readonly dataDir: string | undefined; readonly isDry: boolean },
): Promise<HistoryPorts & { readonly repo: Repo; readonly close: () => void }> {
  registerSecrets(words.token);
  const found = await personsPast(words);
  if (words.isDry) return { ...found, redact, embedder: localWords(), memory: null, store: null, close: () => {} };
  const opened = await openMemoryFor(storePlace(words.dataDir));
  await opened.labels.relabel(found.repo);
  return { ...opened, ...found, store: opened.history };
}
