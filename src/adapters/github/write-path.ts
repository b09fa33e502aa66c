// The one way to write to GitHub. What is created is written down first (the intent), sent once, and recorded; where the answer was
// lost, GitHub is asked what stands there. Nothing is ever sent again because nobody knows.
import { RequestError } from "@octokit/request-error";
import { LeaseLost, OutOfReach, Transient } from "../../domain/errors.ts";
import type { Post, Wanted, WriteStore } from "../../ports/writes.ts";
import { type FailPoint, failPoint } from "../fail-point.ts";
import { translate, wasNeverSent } from "./translate-error.ts";
import { letWrite, WriteOutsidePath } from "./write-gate.ts";
import type { KeepTurn } from "./write-turns.ts";

/**
 * After so long a request without an answer has either taken effect and can be read, or never will: GitHub gives up on a request
 * after 10 s, and shows what was written within a few.
 */
export const SETTLED_MS = 15_000;
/** Looks right after an answer was lost, as parts of SETTLED_MS: at once, and when GitHub mostly shows it. */
const LOOKS = [0, 1 / 6];

/** What one job's writes need. */
export interface WritePathOptions {
  readonly installationId: number;
  readonly book: WriteStore;
  /** The marker by which something is known again. */
  readonly sign: (wanted: Wanted) => string;
  readonly find: (wanted: Wanted, marker: string) => Promise<Post | null>;
  /** Runs one request that writes, when this installation may be written to. */
  readonly turn: <T>(write: (keep: KeepTurn) => Promise<T>) => Promise<T>;
  /** Other than SETTLED_MS in tests. */
  readonly settledMs?: number | undefined;
  /** What is told of each write whose answer was lost. */
  readonly onLost?: (wanted: Wanted, found: boolean) => void;
}

export interface Creation {
  /** True also looks for what an earlier version, or a database that is gone, has created. */
  readonly look?: boolean;
  /** Reads right before it is sent whether it may be: throws otherwise. */
  readonly allowed?: () => Promise<void>;
  /** One request; returns GitHub's answer. */
  readonly post: (marker: string) => Promise<{ readonly status: number; readonly data: unknown }>;
}

export interface WritePath {
  /**
   * Creates something at most once.
   *
   * @returns what stands there, and whether this call has made it
   * @throws LeaseLost when the job passed to somebody else; Transient when the outcome is unknown, with the time at which it will not
   *   be any more; what `allowed` throws; GitHub's refusals as they came
   */
  create(wanted: Omit<Wanted, "installationId">, creation: Creation): Promise<Post & { readonly made: boolean }>;
  /** It does not stand there any more: it may be created anew. */
  gone(wanted: Omit<Wanted, "installationId">): Promise<void>;
  /** Sends a write that may be sent twice, such as an edit. Beside it, `send` may read. */
  repeat<T>(send: () => Promise<T>, point?: "edit-summary" | "end-check"): Promise<T>;
}

/** The path of one job. */
export function writePath(options: WritePathOptions): WritePath {
  const { book, installationId, turn } = options;
  return {
    create: (wanted, creation) => create({ ...wanted, installationId }, creation, options),
    gone: (wanted) => book.refused({ ...wanted, installationId }),
    async repeat(send, point) {
      const sent = await turn((keep) => {
        if (point !== undefined) failPoint(`before-${point}` satisfies FailPoint);
        return letWrite(stillOurs(book, keep), send);
      });
      if (point !== undefined) failPoint(`after-${point}` satisfies FailPoint);
      return sent;
    },
  };
}

/** For somebody at a terminal: no job stands behind it, and nothing is created. */
export function unheldWrites(): Pick<WritePath, "repeat"> {
  return { repeat: (send) => letWrite(() => Promise.resolve(), send) };
}

async function create(wanted: Wanted, creation: Creation, options: WritePathOptions): ReturnType<WritePath["create"]> {
  const { book, sign, turn } = options;
  const standing = await book.state(wanted);
  if (standing.state === "posted") return { ...standing.post, made: false };
  const marker = standing.state === "sent" ? standing.marker : sign(wanted);
  if (standing.state === "sent" || creation.look === true) {
    const found = await options.find(wanted, marker);
    if (found !== null) return adopted(wanted, marker, found, options);
    if (standing.state === "sent") waitUntilSettled(wanted, standing.agoMs, options);
  }
  const sent = await turn(async (keep) => {
    await creation.allowed?.();
    await book.send(wanted, marker);
    failPoint(`before-post-${wanted.kind}`);
    return sendOnce(marker, creation, options, keep);
  });
  const post = "post" in sent ? sent.post : await unanswered(wanted, marker, sent.error, creation, options);
  failPoint(`after-post-${wanted.kind}`);
  await book.posted(wanted, post);
  failPoint(`after-record-${wanted.kind}`);
  return { ...post, made: true };
}

async function adopted(
  wanted: Wanted,
  marker: string,
  post: Post,
  { book }: WritePathOptions,
): Promise<Post & { made: boolean }> {
  if ((await book.state(wanted)).state === "new") await book.send(wanted, marker);
  await book.posted(wanted, post);
  return { ...post, made: false };
}

/** It may still arrive: whoever sends it again too early sends it twice. */
function waitUntilSettled({ kind }: Wanted, agoMs: number, { settledMs = SETTLED_MS }: WritePathOptions): void {
  const left = settledMs - agoMs;
  if (left > 0) throw new Transient(`it is not known yet whether a ${kind} has arrived`, Date.now() + left);
}

/** The job and the turn, asked about in one moment. */
function stillOurs(book: Pick<WriteStore, "hold">, keep: KeepTurn): () => Promise<unknown> {
  return () => Promise.all([book.hold(), keep()]);
}

async function sendOnce(
  marker: string,
  { post }: Creation,
  { book }: WritePathOptions,
  keep: KeepTurn,
): Promise<{ readonly post: Post } | { readonly error: unknown }> {
  try {
    return { post: readPost(await letWrite(stillOurs(book, keep), () => post(marker))) };
  } catch (error) {
    return { error };
  }
}

/** What stands there although no answer said so; else the error that tells why nothing does. Others may write meanwhile. */
async function unanswered(
  wanted: Wanted,
  marker: string,
  error: unknown,
  creation: Creation,
  options: WritePathOptions,
): Promise<Post> {
  if (!isCertain(error)) return lookFor(wanted, marker, error, options);
  if (!(error instanceof LeaseLost)) await options.book.refused(wanted);
  // What changed in the last moment, such as a lock, has a better reason than 403.
  if (statusOf(error) === 403 && !(translate(error, Date.now()) instanceof Transient)) await creation.allowed?.();
  throw error;
}

/** A cut answer reads like an answer: only one with an id is. */
function readPost({ status, data }: { readonly status: number; readonly data: unknown }): Post {
  if (status >= 300)
    throw new OutOfReach("gone", status, `GitHub answered ${status} to a write: it lives elsewhere by now`);
  const { id, html_url: url } = (typeof data === "object" ? (data ?? {}) : {}) as Record<string, unknown>;
  if (typeof id !== "number") throw new SyntaxError("GitHub's answer could not be read");
  return { id, url: typeof url === "string" ? url : "" };
}

/** Nothing was written: GitHub said no, or was never asked. */
function isCertain(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  if (wasNeverSent(error) || error instanceof WriteOutsidePath || cause instanceof WriteOutsidePath) return true;
  const status = statusOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 408;
}

/** Null where nobody answered. */
function statusOf(error: unknown): number | null {
  const answered = error instanceof Error && error.cause instanceof RequestError ? error.cause : error;
  return answered instanceof RequestError && answered.response !== undefined ? answered.status : null;
}

/** Asks GitHub what became of it. */
async function lookFor(wanted: Wanted, marker: string, cause: unknown, options: WritePathOptions): Promise<Post> {
  const { find, settledMs = SETTLED_MS, onLost } = options;
  for (const part of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, part * settledMs));
    // An outage hides what stands there as well.
    const found = await find(wanted, marker).catch(() => null);
    if (found === null) continue;
    onLost?.(wanted, true);
    return found;
  }
  onLost?.(wanted, false);
  const error = translate(cause, Date.now());
  const said = error instanceof Error ? error.message : String(error);
  throw new Transient(said, Date.now() + settledMs, cause);
}
