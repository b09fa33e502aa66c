// Nothing is written to GitHub but through write-path.ts: the gate sends no other write, and asks once more, at the last moment,
// whether the job is still held and GitHub may be asked.
import { AsyncLocalStorage } from "node:async_hooks";
import { Transient } from "../../domain/errors.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** A leave that took longer to come may be over by now: the process stood still meanwhile, or the database is far. */
const FRESH_MS = 1_000;
const TRIES = 3;

/** Rejects when what is being written must not be sent any more. */
type LastLook = () => Promise<unknown>;

const NO_LOOK: LastLook = () => Promise.resolve();

const writing = new AsyncLocalStorage<LastLook>();

/** A write that did not come by the one path: a bug, and nothing was sent. */
export class WriteOutsidePath extends Error {
  override readonly name = "WriteOutsidePath";
}

/** Runs `send`, whose requests may write; `lastLook` is asked right before each is sent, with nothing between its answer and the request. */
export function letWrite<T>(lastLook: LastLook, send: () => Promise<T>): Promise<T> {
  return writing.run(lastLook, send);
}

/**
 * The same fetch behind the gate.
 *
 * @param leave asked right before each request, reads as well: rejects when GitHub wants to be left alone
 * @param now milliseconds of a clock that nobody sets
 * @throws WriteOutsidePath; what `leave` and the last look reject with; Transient when the store is too slow to tell how things stand
 */
export function gatedFetch(
  fetch: GuardedFetch,
  leave: () => Promise<unknown> = NO_LOOK,
  now: () => number = () => performance.now(),
): GuardedFetch {
  return async (input, init) => {
    const lastLook = isWrite(init) ? writing.getStore() : NO_LOOK;
    if (lastLook === undefined) throw new WriteOutsidePath("a write to GitHub went around the one path");
    await freshly(() => Promise.all([leave(), lastLook()]), now);
    return fetch(input, init);
  };
}

async function freshly(ask: () => Promise<unknown>, now: () => number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const asked = now();
    await ask();
    if (now() - asked <= FRESH_MS) return;
  }
  throw new Transient("the store takes too long to say whether GitHub may be asked");
}

/** GraphQL asks its questions by POST as well; a mutation begins with its name. */
function isWrite(init: Parameters<GuardedFetch>[1]): boolean {
  const method = (init?.method ?? "GET").toUpperCase();
  if (method === "GET" || method === "HEAD") return false;
  return typeof init?.body !== "string" || !/^\s*\{\s*"query"\s*:\s*"\s*(?:query\b|\{)/.test(init.body);
}
