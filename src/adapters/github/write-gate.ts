// Nothing is written to GitHub but through write-path.ts: the gate sends no other write, and asks once more, at the last moment,
// whether the job is still held.
import { AsyncLocalStorage } from "node:async_hooks";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** Rejects when what is being written must not be sent any more. */
type LastLook = () => Promise<void>;

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
 * The same fetch behind the gate. Reads pass.
 *
 * @throws WriteOutsidePath; what the last look rejects with
 */
export function gatedFetch(fetch: GuardedFetch): GuardedFetch {
  return async (input, init) => {
    if (isWrite(init)) {
      const lastLook = writing.getStore();
      if (lastLook === undefined) throw new WriteOutsidePath("a write to GitHub went around the one path");
      await lastLook();
    }
    return fetch(input, init);
  };
}

/** GraphQL asks its questions by POST as well; a mutation begins with its name. */
function isWrite(init: Parameters<GuardedFetch>[1]): boolean {
  const method = (init?.method ?? "GET").toUpperCase();
  if (method === "GET" || method === "HEAD") return false;
  return typeof init?.body !== "string" || !/^\s*\{\s*"query"\s*:\s*"\s*(?:query\b|\{)/.test(init.body);
}
