// The job that imports a repository's past reviews, a bounded part of it a run.
import type { Repo } from "../../domain/job.ts";
import type { Skipped } from "../../domain/omissions.ts";
import type { HistoryBook, PastReviews } from "../../ports/history.ts";
import type { Embedder, Memory } from "../../ports/memory.ts";
import { type HeadPorts, standingHead } from "./current-head.ts";
import { type HistoryRun, type ImportedPull, importHistory, importPull } from "./import-history.ts";

/** What an import needs beside what following a repository does. */
export interface HistoryFollowing {
  /** What was said in a repository's reviews; null when it is out of reach. */
  readonly past: (repo: Repo) => Promise<PastReviews | null>;
  readonly book: HistoryBook;
  /** Our own account: `kodiai[bot]`. */
  readonly botLogin: string;
}

interface RepositoryPorts extends HeadPorts {
  readonly memory: Memory;
  readonly embedder: Embedder;
  readonly redact: (text: string) => Promise<string>;
  readonly now: () => number;
}

/** The newest of what was said: what is older than that was said about other code. Bounds cost, time and disk. */
const LIMIT = { comments: 10_000, pulls: 1_000 };
/** Requests of one run: two or three minutes, well within the time that a worker may hold a job. */
const REQUESTS = 400;

/**
 * @param number of a pull request that was closed; null for the whole past
 * @throws Transient when GitHub or memory can be asked later; the next try goes on behind what was read
 */
export async function followHistory(
  ports: RepositoryPorts,
  { past: pastOf, book, botLogin }: HistoryFollowing,
  number: number | null,
): Promise<HistoryRun | ImportedPull | Skipped> {
  const at = await standingHead(ports);
  if (at.kind === "skipped") return at;
  const { found, config } = at;
  // What is never searched need not be remembered.
  if (!config.knowledge.retrieval.enabled) return { kind: "skipped", reason: "knowledge.retrieval.enabled is false" };
  const past = await pastOf(found.repo);
  if (past === null) return { kind: "skipped", reason: "the App does not reach the repository" };
  const { embedder, memory, redact, now } = ports;
  const keeping = { past, embedder, memory, redact };
  if (number !== null) return importPull({ repo: found.repo, pull: number, ownLogin: botLogin }, keeping);
  const request = { repo: found.repo, since: null, limit: LIMIT, most: REQUESTS, ownLogin: botLogin, at: now };
  return importHistory(request, { ...keeping, book });
}
