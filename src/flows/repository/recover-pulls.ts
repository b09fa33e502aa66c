// Makes up for missed events: some GitHub never sends, others do not arrive. Reads the open pull
// requests of each repository, the least recently read first. A head without a delivery is reviewed
// like any other; comments since the last run are taken as if delivered, known ones by their
// content.
import { Transient } from "../../domain/errors.ts";
import { jobKey, type Repo, UNSHAPED } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { AddReview, MissedEventStore, OpenPull, OpenPulls, TakeComment } from "../../ports/missed-events.ts";

/** A pull request without activity for this long is skipped; a server is back sooner. */
const CATCH_UP_MS = 14 * 24 * 60 * 60_000;
/** Of an installation and run: two requests each, six runs an hour: a third of GitHub's 5,000. */
const MOST_REPOSITORIES = 150;
/** The first run after a start reads more: what happened while the server was down comes first. */
const MOST_AT_START = 600;
/** An answer to an older comment would surprise. */
const COMMENTS_MS = 3 * 24 * 60 * 60_000;
/** A run takes time, and GitHub lists some comments late. */
const OVERLAP_MS = 15 * 60_000;

export interface RecoverPulls {
  readonly pulls: OpenPulls;
  readonly store: MissedEventStore;
  readonly add: AddReview;
  readonly take: TakeComment;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Facts about this run. */
export interface RecoverRun {
  readonly isStart: boolean;
  /** Milliseconds since the App's permissions changed: refused reviews are due at once then. */
  readonly permittedForMs: () => number;
}

const REFUSED_MS = 60 * 60_000;

/**
 * One run. Adds at most one job per pull request, and none when one waits, runs or has done that
 * head.
 *
 * @returns how many repositories were read, `HOST/REPO_ID#NUMBER` of added reviews, how many
 *   commands were found, and what could not be read and why: `installation 12`, `acme/shop`
 * @throws Transient when GitHub does not list the installations
 */
export async function recoverPulls(ports: RecoverPulls, { isStart, permittedForMs }: RecoverRun) {
  const { pulls, store, add, take, now } = ports;
  const added: string[] = [];
  const unasked: { readonly what: string; readonly error: unknown }[] = [];
  const lookedAt = await store.checkedAt();
  const started = now();
  // Our time begins with the first attempt: pull requests opened meanwhile may have no delivery.
  const first = await store.firstRound(started);
  const last = (repo: Repo) => lookedAt.get(repoKey(repo)) ?? 0;
  let repositories = 0;
  let commands = 0;
  for (const installation of await pulls.installations()) {
    const { id } = installation;
    const reached = await attempt(`installation ${id}`, () => pulls.repositories(id));
    if (reached === null) continue;
    const newSince = Math.max(first, installation.createdAt, (await store.lastRound(id)) ?? 0);
    const unseen = new Set(reached.filter((repo) => last(repo) === 0));
    const due = reached.toSorted((a, b) => last(a) - last(b) || a.id - b.id);
    for (const repo of due.slice(0, isStart ? MOST_AT_START : MOST_REPOSITORIES)) {
      const found = await attempt(`${repo.owner}/${repo.name}`, () => lookAt(id, repo, newSince));
      if (found === null && isLimited()) break;
      if (found === null) continue;
      unseen.delete(repo);
      repositories += 1;
      added.push(...found);
    }
    // A repository that was not read keeps its time: what was opened since then is new to us.
    if (unseen.size === 0) await store.round(id, started);
  }
  return { repositories, added, commands, unasked };

  /** Null when it failed, which is recorded: others get their turn. */
  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      unasked.push({ what, error });
      return null;
    }
  }

  function isLimited(): boolean {
    const error = unasked.at(-1)?.error;
    return error instanceof Transient && error.notBefore !== null;
  }

  /**
   * @param newSince of a repository read for the first time: since when we would have had
   *   deliveries
   */
  async function lookAt(installationId: number, repo: Repo, newSince: number): Promise<readonly string[]> {
    const isNew = last(repo) === 0;
    const open = await pulls.open(installationId, repo, isNew ? 0 : now() - CATCH_UP_MS);
    if (open === null) return [];
    if (!isNew) commands += await takeComments(installationId, repo, open);
    // GitHub's times have whole seconds.
    const older = open.filter(({ createdAt }) => isNew && createdAt + 1_000 <= newSince);
    await store.recordCheck(repo, older, now());
    const keys: string[] = [];
    for (const pull of open) {
      const refused = { endedForMs: REFUSED_MS, begunForMs: permittedForMs() };
      if (!(await store.owes(repo, pull, refused))) continue;
      const { number, headSha } = pull;
      const key = jobKey(repo, number);
      const why = { delivery: "missed", trigger: "missed", explicit: false } as const;
      await add({ ...UNSHAPED, kind: "review", key, installationId, repo, number, headSha, ...why });
      keys.push(key);
    }
    return keys;
  }

  async function takeComments(installationId: number, repo: Repo, open: readonly OpenPull[]): Promise<number> {
    const since = Math.max(last(repo) - OVERLAP_MS, now() - COMMENTS_MS);
    // A comment updates its pull request: most repositories are not asked.
    const changed = open.filter(({ updatedAt }) => updatedAt >= since);
    if (changed.length === 0) return 0;
    let taken = 0;
    for (const comment of await pulls.comments(installationId, repo, changed, since))
      if (await take(comment)) taken += 1;
    return taken;
  }
}
