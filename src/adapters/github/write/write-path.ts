// The only way to write to GitHub. A creation is recorded (the intent), sent once, and recorded
// again; if the answer was lost, GitHub is searched. Unknown outcomes are never sent again.
//
// A comment passes these wrappers, the outermost first:
// - publish/sanitize.ts: text by others is inert on GitHub;
// - redactedReviews (adapters/secrets): no secret leaves, so it reads the finished text;
// - dryRunReviews in place of the rest, where nothing is to be posted;
// - githubReviews (reviews.ts): the requests of a review, and the last look at the head;
// - writePath, here: at most once, by the intent in the store;
// - writeTurns, below: one write of an installation at a time, a second apart, in all processes;
// - letWrite and gatedFetch (write-gate.ts): refuse other writes; check lease and pace last;
// - the hooks of a client (clients.ts): renew a revoked token, obey rate limits;
// - githubFetch (wire/egress.ts): whole answers, one form of refusals, one origin.

import { RequestError } from "@octokit/request-error";
import { LeaseLost, OutOfReach, Transient } from "../../../domain/errors.ts";
import type { InstallationPace, Post, Wanted, WriteStore, WriteTurn } from "../../../ports/writes.ts";
import { type FailPoint, failPoint } from "../../fail-point.ts";
import { translate, wasNeverSent } from "../translate-error.ts";
import { letWrite, WriteOutsidePath } from "./write-gate.ts";

/**
 * After this time a request without an answer has either taken effect and can be read, or never
 * will: GitHub gives up on a request after 10 s, and shows what was written within a few.
 */
const SETTLED_MS = 15_000;
/** When to search after a lost answer, in SETTLED_MS: at once, and when GitHub mostly shows it. */
const LOOKS = [0, 1 / 6];

interface WritePathOptions {
  readonly installationId: number;
  readonly store: WriteStore;
  /** The marker that identifies a post. */
  readonly sign: (wanted: Wanted) => string;
  readonly find: (wanted: Wanted, marker: string) => Promise<Post | null>;
  /** Runs one request that writes, when it is this installation's turn. */
  readonly turn: <T>(write: (keep: KeepTurn) => Promise<T>) => Promise<T>;
  /** Other than SETTLED_MS in tests; null otherwise. */
  readonly settledMs: number | null;
  /** Called for each write whose answer was lost. */
  readonly onLost: (wanted: Wanted, found: boolean) => void;
}

export interface Creation {
  /** True also searches for posts of an earlier version, or of a database that was lost. */
  readonly look?: boolean;
  /** Checks right before sending whether the post is allowed: throws otherwise. */
  readonly allowed?: () => Promise<void>;
  /** One request; returns GitHub's answer. */
  readonly post: (marker: string) => Promise<{ readonly status: number; readonly data: unknown }>;
}

export interface WritePath {
  /**
   * Creates something at most once.
   *
   * @returns the post, and whether this call created it
   * @throws LeaseLost when another process has the job; Transient when the outcome is unknown,
   *   until it will be known; what `allowed` throws; GitHub's refusals unchanged
   */
  create(wanted: Omit<Wanted, "installationId">, creation: Creation): Promise<Post & { readonly made: boolean }>;
  /** What exists, by the record, else by a search (an Action has no record); null otherwise. */
  created(wanted: Omit<Wanted, "installationId">): Promise<Post | null>;
  /** The post was deleted: it may be created again. */
  deleted(wanted: Omit<Wanted, "installationId">): Promise<void>;
  /** Sends a write that may be sent twice, such as an edit. `send` may also read. */
  repeat<T>(send: () => Promise<T>, point?: "edit-summary" | "end-check"): Promise<T>;
}

/** The path of one job. */
export function writePath(options: WritePathOptions): WritePath {
  const { store, installationId, turn } = options;
  return {
    create: (wanted, creation) => create({ ...wanted, installationId }, creation, options),
    async created(wanted) {
      const known = await store.state({ ...wanted, installationId });
      return known.state === "posted" ? known.post : options.find({ ...wanted, installationId }, "");
    },
    deleted: (wanted) => store.refused({ ...wanted, installationId }),
    async repeat(send, point) {
      const sent = await turn((keep) => {
        if (point !== undefined) failPoint(`before-${point}` satisfies FailPoint);
        return letWrite(stillOurs(store, keep), send);
      });
      if (point !== undefined) failPoint(`after-${point}` satisfies FailPoint);
      return sent;
    },
  };
}

async function create(wanted: Wanted, creation: Creation, options: WritePathOptions): ReturnType<WritePath["create"]> {
  const { store, sign, turn } = options;
  const settledMs = options.settledMs ?? SETTLED_MS;
  const intent = await store.state(wanted);
  if (intent.state === "posted") return { ...intent.post, made: false };
  const marker = intent.state === "sent" ? intent.marker : sign(wanted);
  if (intent.state === "sent" || creation.look === true) {
    const found = await options.find(wanted, marker);
    if (found !== null) {
      if ((await store.state(wanted)).state === "new") await store.send(wanted, marker);
      await store.posted(wanted, found);
      return { ...found, made: false };
    }
    // It may still arrive: sending it again too early would send it twice.
    const left = intent.state === "sent" ? settledMs - intent.agoMs : 0;
    if (left > 0) throw new Transient(`it is not known yet whether a ${wanted.kind} has arrived`, Date.now() + left);
  }
  const sent = await turn(async (keep) => {
    await creation.allowed?.();
    await store.send(wanted, marker);
    failPoint(`before-post-${wanted.kind}`);
    return sendOnce(marker, creation, options, keep);
  });
  const post = "post" in sent ? sent.post : await unanswered(wanted, marker, sent.error, creation, options);
  failPoint(`after-post-${wanted.kind}`);
  await store.posted(wanted, post);
  failPoint(`after-record-${wanted.kind}`);
  return { ...post, made: true };
}

/** Checks the job and the turn at the same moment. */
function stillOurs(store: Pick<WriteStore, "hold">, keep: KeepTurn): () => Promise<unknown> {
  return () => Promise.all([store.hold(), keep()]);
}

async function sendOnce(
  marker: string,
  { post }: Creation,
  { store }: WritePathOptions,
  keep: KeepTurn,
): Promise<{ readonly post: Post } | { readonly error: unknown }> {
  try {
    return { post: readPost(await letWrite(stillOurs(store, keep), () => post(marker))) };
  } catch (error) {
    return { error };
  }
}

/** The post that exists without an answer, else the error that explains why none does. */
async function unanswered(
  wanted: Wanted,
  marker: string,
  error: unknown,
  creation: Creation,
  options: WritePathOptions,
): Promise<Post> {
  if (!isCertain(error)) return lookFor(wanted, marker, error, options);
  if (!(error instanceof LeaseLost)) await options.store.refused(wanted);
  // A change in the last moment, such as a lock, is a better reason than 403.
  if (statusOf(error) === 403 && !(translate(error, Date.now()) instanceof Transient)) await creation.allowed?.();
  throw error;
}

/** An answer that was cut off can look complete: only one with an id counts. */
function readPost({ status, data }: { readonly status: number; readonly data: unknown }): Post {
  if (status >= 300)
    throw new OutOfReach("missing", status, `GitHub answered ${status} to a write: the repository moved`);
  const { id, html_url: url } = (typeof data === "object" ? (data ?? {}) : {}) as Record<string, unknown>;
  if (typeof id !== "number") throw new SyntaxError("GitHub's answer could not be read");
  return { id, url: typeof url === "string" ? url : "" };
}

/** Nothing was written: GitHub refused, or was never reached. */
function isCertain(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  if (wasNeverSent(error) || error instanceof WriteOutsidePath || cause instanceof WriteOutsidePath) return true;
  const status = statusOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 408;
}

/** Null without an answer. */
function statusOf(error: unknown): number | null {
  const answered = error instanceof Error && error.cause instanceof RequestError ? error.cause : error;
  return answered instanceof RequestError && answered.response !== undefined ? answered.status : null;
}

async function lookFor(wanted: Wanted, marker: string, cause: unknown, options: WritePathOptions): Promise<Post> {
  const { find, onLost } = options;
  const settledMs = options.settledMs ?? SETTLED_MS;
  for (const part of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, part * settledMs));
    // An outage hides existing posts as well.
    const found = await find(wanted, marker).catch(() => null);
    if (found === null) continue;
    onLost(wanted, true);
    return found;
  }
  onLost(wanted, false);
  const error = translate(cause, Date.now());
  const message = error instanceof Error ? error.message : String(error);
  throw new Transient(message, Date.now() + settledMs, cause);
}

// Writes of one installation run one after the other, a second apart: in each process in the order
// of their arrival, and in all processes of the store in turns.

/** GitHub's "Best practices for using the REST API": writes one by one, a second apart. */
const APART_MS = 1_000;
/** The longest request (see guardedFetch) and a second. */
const LONGEST_MS = 31_000;
/** Between two checks of a turn that another process has. */
const LOOK_MS = 100;
/** Attempts to give a turn back, each as long as a lock's wait; then it expires by itself. */
const TRIES = 3;

/** Runs right before a request is sent: rejects with Transient if the turn was lost. */
export type KeepTurn = () => Promise<void>;

export interface WriteTurns {
  /** Runs `write` in this installation's turn. Rejects as `write` does, or with Transient. */
  take<T>(installationId: number, write: (keep: KeepTurn) => Promise<T>): Promise<T>;
}

export function writeTurns(
  pace: Pick<InstallationPace, "takeTurn" | "keepTurn" | "endTurn">,
  wait: (ms: number) => Promise<unknown>,
): WriteTurns {
  const last = new Map<number, Promise<void>>();

  async function alone<T>(installationId: number, write: (keep: KeepTurn) => Promise<T>): Promise<T> {
    let turn = await pace.takeTurn(installationId, LONGEST_MS);
    while (turn === null) {
      await wait(LOOK_MS);
      turn = await pace.takeTurn(installationId, LONGEST_MS);
    }
    const current = turn;
    try {
      return await write(() => keep(current));
    } finally {
      await giveBack(current);
    }
  }

  async function keep(turn: WriteTurn): Promise<void> {
    if (!(await pace.keepTurn(turn, LONGEST_MS)))
      throw new Transient("the turn to write expired before the request was sent");
  }

  /** Never changes the result of the write. */
  async function giveBack(turn: WriteTurn): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        return await pace.endTurn(turn, APART_MS);
      } catch (error) {
        if (!(error instanceof Transient)) return;
        await wait(LOOK_MS);
      }
    }
  }

  return {
    take(installationId, write) {
      const mine = (last.get(installationId) ?? Promise.resolve()).then(() => alone(installationId, write));
      const settled = mine.then(forget, forget);
      last.set(installationId, settled);
      function forget(): void {
        if (last.get(installationId) === settled) last.delete(installationId);
      }
      return mine;
    },
  };
}

/** Writes at once, without turns. */
export function unpacedWrites(): WriteTurns {
  return { take: (_installationId, write) => write(() => Promise.resolve()) };
}
