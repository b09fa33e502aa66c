// Wires the MCP tools to their ports: memory in a folder, diffs of a repository. Nothing can post.

import { tmpdir, userInfo } from "node:os";
import { resolve } from "node:path";
import { type LocalRange, localChanges } from "../../adapters/git/local-changes.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import { noMemory } from "../../adapters/no-memory/no-memory.ts";
import type { Repo } from "../../domain/job.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import type { Review } from "../../domain/review.ts";
import { isFolder, shownPlace, storePlace } from "../../environment/data-dir.ts";
import { PLAIN_CHANGE } from "../../flows/review/review-ports.ts";
import { remember } from "../../learn/learn.ts";
import type { ModelAccess } from "../../ports/model.ts";
import type { PullRequests } from "../../ports.ts";
import { newGateCache } from "../../retrieve/retrieve.ts";
import { promptDelimiter } from "../models.ts";
import { knownRules, serverInspector, symbolsOfReview } from "../rules.ts";
import { redact, safeRetrievals, withoutSecrets } from "../secrets.ts";
import type { NamedChange } from "./change.ts";
import { type MemoryStore, openMemoryFor, repositoryOf, searchPorts } from "./memory-ports.ts";
import { type ModelWish, modelAccess } from "./model.ts";
import { isStoreAt, unrecorded } from "./store.ts";

interface McpWords {
  /** A folder, or OWNER/NAME of a repository in memory; undefined: the current folder. */
  readonly repo: string | undefined;
  readonly dataDir: string | undefined;
  readonly model: Exclude<ModelWish["use"], "show">;
  readonly isAll: boolean;
  readonly mayWrite: boolean;
}

export type McpPorts = Awaited<ReturnType<typeof mcpPorts>>;
export type McpMemory = ReturnType<typeof memoryOf>;

/** @throws UsageError or GitFailed when the repository cannot be determined */
export async function mcpPorts(words: McpWords) {
  const store = storePlace(words.dataDir);
  isStoreAt(store);
  const folder = shownPlace(store);
  let inspector: ReturnType<typeof serverInspector> | null = null;
  let opening: Promise<MemoryStore> | null = null;
  /** Opens or creates memory; after a failure the next call retries. */
  const openedOrNew = (): Promise<MemoryStore> => {
    opening ??= openMemoryFor(store).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  /** Reading creates no file: memory exists once another process, or `remember`, created it. */
  const opened = async () => (isStoreAt(store) ? openedOrNew() : null);
  const named = async (word: string): Promise<Repo> => {
    const memory = await opened();
    return repositoryOf(word, memory?.labels.all ?? (() => Promise.resolve([])), folder);
  };
  const repo = await named(words.repo ?? ".");
  const gateCache = newGateCache();
  const wish = { use: words.model, onQuestion: () => {} };
  const accesses = new Map<string, Promise<ModelAccess | null>>();
  const accessOf = (to: Repo, memory: MemoryStore | null): Promise<ModelAccess | null> => {
    const key = `${to.host}/${to.id}`;
    const known = accesses.get(key) ?? modelAccess(wish, to, memory?.spending ?? null, memory?.modelLessons ?? null);
    accesses.set(key, known);
    return known;
  };
  // A repository given by name has no folder here: rules and memory see only the diff.
  const hasClone = words.repo === undefined || isFolder(words.repo);
  const place = hasClone ? resolve(words.repo ?? ".") : tmpdir();
  return {
    repo,
    folder,
    isAll: words.isAll,
    mayWrite: words.mayWrite,
    named,
    memory: async () => {
      const memory = await opened();
      return memory && memoryOf(memory);
    },
    hasClone,
    /** A change, with the folder's configuration; only a diff can be of another repository. */
    change: async (to: Repo, range: LocalRange, signal: AbortSignal): Promise<NamedChange> => {
      const memory = await opened();
      const { pull, pulls, snapshots } = await localChanges(to === repo ? place : tmpdir(), range);
      inspector ??= serverInspector();
      const ports: NamedChange["ports"] = {
        ...PLAIN_CHANGE,
        pulls: onlyThisOpen(pulls),
        ...(range.kind === "diff" ? {} : { snapshots, symbols: symbolsOfReview() }),
        inspector,
        known: knownRules(),
        embedder: memory?.embedder ?? localWords(),
        recall: memory?.recall ?? noMemory(),
        past: memory?.past ?? null,
        retrievals: memory === null ? null : safeRetrievals(memory.retrievals, unrecorded),
        gateCache,
        access: await accessOf(to, memory),
        signal,
        now: Date.now,
      };
      return { repo: to, number: pull.number, headSha: pull.head.sha, ports };
    },
    recent: [] as Review[],
    /** Stores memories; only called when `mayWrite`. */
    keep: async (records: readonly MemoryRecord[]) => {
      const { embedder, memory } = await openedOrNew();
      return remember(records, embedder, memory, { redact });
    },
    person: personHere(),
    clean: withoutSecrets,
    delimiter: promptDelimiter,
    now: Date.now,
    async close() {
      inspector?.close();
      (await opening?.catch(() => null))?.close();
    },
  };
}

function memoryOf(opened: MemoryStore) {
  const { evidence, ledger, labels } = opened;
  return { search: searchPorts(opened), evidence, records: ledger, known: labels.all };
}

/** Other pull requests are unknown here, so none counts as open. */
function onlyThisOpen(pulls: PullRequests): PullRequests {
  return {
    ...pulls,
    pull: async (repo, number) => {
      const pull = await pulls.pull(repo, number);
      return number === pull.number ? pull : { ...pull, number, state: "closed" };
    },
  };
}

function personHere(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
