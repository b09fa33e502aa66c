// GitHub is written to only through write-path.ts: the gate refuses any other write, and checks
// once more, right before sending, that the job is still held and GitHub may be called.
import { AsyncLocalStorage } from "node:async_hooks";
import { Transient } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";

/** A check that took longer may be outdated: a suspended process, or a distant database. */
const FRESH_MS = 1_000;
const TRIES = 3;

/** Rejects when the write must not be sent any more. */
type LastLook = () => Promise<unknown>;

const NO_LOOK: LastLook = () => Promise.resolve();

const writing = new AsyncLocalStorage<LastLook>();

/** A write outside the write path: a bug, and nothing was sent. */
export class WriteOutsidePath extends Error {
  override readonly name = "WriteOutsidePath";
}

/** Runs `send`, whose requests may write; `lastLook` runs right before each of them. */
export function letWrite<T>(lastLook: LastLook, send: () => Promise<T>): Promise<T> {
  return writing.run(lastLook, send);
}

/**
 * The same fetch behind the gate.
 *
 * @param checkPace right before each request, reads too: rejects while GitHub asks us to wait
 * @param now milliseconds of a monotonic clock
 * @throws WriteOutsidePath; what the checks reject with; Transient when the store is too slow
 */
export function gatedFetch(
  fetch: GuardedFetch,
  checkPace: () => Promise<unknown> = NO_LOOK,
  now: () => number = () => performance.now(),
): GuardedFetch {
  return async (input, init) => {
    const lastLook = isWrite(init) ? writing.getStore() : NO_LOOK;
    if (lastLook === undefined) throw new WriteOutsidePath("a write to GitHub went around the one path");
    await freshly(() => Promise.all([checkPace(), lastLook()]), now);
    return fetch(input, init);
  };
}

async function freshly(ask: () => Promise<unknown>, now: () => number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const began = now();
    await ask();
    if (now() - began <= FRESH_MS) return;
  }
  throw new Transient("the store takes too long to confirm the request");
}

/** GraphQL queries use POST as well; a mutation begins with its name. */
function isWrite(init: Parameters<GuardedFetch>[1]): boolean {
  const method = (init?.method ?? "GET").toUpperCase();
  if (method === "GET" || method === "HEAD") return false;
  return typeof init?.body !== "string" || !/^\s*\{\s*"query"\s*:\s*"\s*(?:query\b|\{)/.test(init.body);
}
