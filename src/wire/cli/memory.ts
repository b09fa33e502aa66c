// Wires the verbs that read and write memory.
import { existsSync } from "node:fs";
import { join, parse, resolve } from "node:path";
import { astChunker } from "../../adapters/code-index/chunker.ts";
import { gitText } from "../../adapters/git/git.ts";
import { localChanges } from "../../adapters/git/local-changes.ts";
import { gitTree } from "../../adapters/git/tree.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import type { ConventionsVerbPorts } from "../../cli/conventions.ts";
import { isDatabase, shownPlace, storePlace } from "../../cli/data-dir.ts";
import type { MemoryVerbPorts } from "../../cli/describe-memory.ts";
import { findRepository, isFolder } from "../../cli/find-repository.ts";
import type { HistoryVerbPorts, HistoryWords } from "../../cli/import-history.ts";
import type { IndexVerbPorts, IndexWords } from "../../cli/index-repository.ts";
import type { SearchVerbPorts } from "../../cli/search.ts";
import type { StatsVerbPorts } from "../../cli/stats.ts";
import { UsageError } from "../../cli/usage.ts";
import { readEmbeddings } from "../../config/read-embeddings.ts";
import { readReranker } from "../../config/read-reranker.ts";
import { setVariables } from "../../config/shown-variables.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import { configAt } from "../../gather/gather.ts";
import type { RepositoryLabels, Reranker } from "../../ports/memory.ts";
import { personsPast } from "../github.ts";
import { chosenEmbedder, chosenReranker } from "../models.ts";
import { knownRules } from "../rules.ts";
import { redact, registerSecrets, safeRetrievals } from "../secrets.ts";
import { openStore } from "../store.ts";
import { modelAccess, monthlyBudget } from "./model.ts";
import { mustOpen, statisticsAt, unrecorded } from "./store.ts";

/** Opens memory for the command line, at storePlace. */
export async function openMemoryFor(place: string) {
  const store = await openStore(place, { isCommand: true });
  // For a verb about memory, the reason is better than an empty answer.
  if (store.memoryProblem !== null) throw store.memoryProblem;
  const read = readEmbeddings(setVariables(process.env));
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  const chosen = await chosenEmbedder(read.embeddings);
  // The keyless embedder is faster than any cache.
  const embedder = read.embeddings.kind === "local" ? chosen : store.cached(chosen);
  return { ...store, place, redact, embedder, close: () => void store.close() };
}

async function localRepository(path: string): Promise<Repo> {
  return (await localChanges(resolve(path), { kind: "staged" })).repo;
}

/** The repository named by an argument: a clone's folder, or the name of one in memory. */
export async function repositoryOf(word: string | undefined, all: RepositoryLabels["all"], dir: string): Promise<Repo> {
  if (word === undefined || isFolder(word)) return localRepository(word ?? ".");
  return findRepository(word, await all(), dir);
}

/** Ports of `kodiai memory`. */
export async function memoryVerbPorts(word: string | undefined): Promise<MemoryVerbPorts> {
  const opened = await openMemoryFor(storePlace(word));
  const { all } = opened.labels;
  return {
    ...opened,
    repoOf: (repo) => repositoryOf(repo, all, shownPlace(opened.place)),
    repositories: all,
    access: (repo) => modelAccess({ use: "auto" }, repo, opened.place),
    usdPerMonth: monthlyBudget,
    now: Date.now,
  };
}

/** Common ports of verbs that only read memory. */
export interface MemoryIfAny extends Pick<SearchVerbPorts, "folder" | "known" | "repoOf" | "close"> {
  /** Null without memory; then no file is created. */
  readonly opened: Awaited<ReturnType<typeof openMemoryFor>> | null;
}

/** @param word the folder that `--data-dir` names */
export async function memoryIfAny(word: string | undefined): Promise<MemoryIfAny> {
  const place = storePlace(word);
  const folder = shownPlace(place);
  mustOpen(place);
  const isThere = isDatabase(place) || existsSync(join(place, "memory.db"));
  const opened = isThere ? await openMemoryFor(place) : null;
  const all = opened?.labels.all ?? (async () => []);
  return {
    folder,
    opened,
    known: await all(),
    repoOf: (repo) => repositoryOf(repo, all, folder),
    close: opened?.close ?? (() => {}),
  };
}

/** Ports of `kodiai search`. */
export async function searchVerbPorts(word: string | undefined): Promise<SearchVerbPorts> {
  const { opened, ...rest } = await memoryIfAny(word);
  if (opened === null) return { ...rest, open: null };
  const { embedder, recall, retrievals } = opened;
  const open: SearchVerbPorts["open"] = {
    embedder,
    recall,
    reranker: rerankerOfEnvironment,
    access: (repo) => modelAccess({ use: "auto" }, repo, storePlace(word)),
    retrievals: safeRetrievals(retrievals, unrecorded),
    now: Date.now,
  };
  return { ...rest, open };
}

/** The environment's reranker; null without one. Throws an Error that names the variable. */
async function rerankerOfEnvironment(): Promise<Reranker | null> {
  const read = readReranker(setVariables(process.env));
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return chosenReranker(read.reranker);
}

/** Ports of `kodiai stats` and `kodiai doctor`. Creates no file. */
export async function statsVerbPorts(word: string | undefined): Promise<StatsVerbPorts> {
  return { ...(await statisticsAt(storePlace(word))), repoKeyOf: async (repo) => repoKey(await localRepository(repo)) };
}

/** Ports of `kodiai index`: the tree of one commit of a clone, and memory. */
export async function indexVerbPorts(words: IndexWords): Promise<IndexVerbPorts> {
  const opened = await openMemoryFor(storePlace(words.dataDir));
  try {
    const { path, repo: word, wiki } = words;
    const repo = await repositoryOf(word ?? path, opened.labels.all, shownPlace(opened.place));
    const named = word !== undefined && isFolder(word) ? word : ".";
    const clone = resolve(wiki ?? path ?? named);
    const tree = await gitTree(clone, words.revision);
    const corpora = await indexedCorpora(clone, tree.commit, repo);
    const urlOf = (file: string) => fileUrl(repo, tree.commit, file, wiki !== undefined);
    return { ...opened, repo, tree, corpora, urlOf, chunker: astChunker(), now: Date.now };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** From the commit's configuration: documents, and code if `knowledge.corpora.code` is on. */
async function indexedCorpora(clone: string, commit: string, repo: Repo): Promise<IndexVerbPorts["corpora"]> {
  const text = (_repo: Repo, path: string) =>
    gitText(clone, ["cat-file", "blob", `${commit}:${path}`]).catch(() => null);
  const { config } = await configAt(repo, commit, { text, ownersText: () => Promise.resolve(null) }, knownRules());
  return config.knowledge.corpora.code ? ["doc", "code"] : ["doc"];
}

/** Null for local clones. A wiki's page URLs use the name without its folder. */
function fileUrl({ host, owner, name }: Repo, commit: string, path: string, isWiki: boolean): string | null {
  if (host === "local" || host === "eval") return null;
  const page = `https://${host}/${owner}/${name}`;
  if (isWiki) return `${page}/wiki/${encodeURIComponent(parse(path).name)}`;
  return `${page}/blob/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** @param word the folder of `--data-dir`; without memory, no file is created */
export async function conventionsVerbPorts(word: string | undefined): Promise<ConventionsVerbPorts> {
  const { opened, ...rest } = await memoryIfAny(word);
  if (opened === null) return { ...rest, open: null };
  const { memory, recall, embedder } = opened;
  return { ...rest, open: { memory, recall, space: embedder.space } };
}

/** Ports of `kodiai import`. A dry run opens no file. */
export async function historyVerbPorts(words: HistoryWords): Promise<HistoryVerbPorts> {
  registerSecrets(words.token);
  const found = await personsPast(words);
  if (words.isDry) return { ...found, redact, embedder: localWords(), memory: null, store: null, close: () => {} };
  const opened = await openMemoryFor(storePlace(words.dataDir));
  await opened.labels.relabel(found.repo);
  return { ...opened, ...found, store: opened.history };
}
