// `fetch` for services: no redirects, so that no key travels on, and answers that fit into memory.
import { connectionFailure, ServiceFailed } from "./service-failed.ts";

export type Fetch = typeof globalThis.fetch;

/** 128 vectors of 2,048 numbers are 6 MB of JSON; ten times that is not an answer any more. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Statuses that a `Response` may not carry a body with. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The same `fetch`, which reads the whole body before it answers, so that a signal ends a body that stalls as well.
 * Rejects with `ServiceFailed`: no connection, a redirect, more than 64 MiB.
 */
export function serviceFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, { ...init, redirect: "manual" });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel();
        throw new ServiceFailed("the service answered with a redirect, which is not followed", { again: false });
      }
      const body = await readBody(response);
      return new Response(BODILESS.has(response.status) ? null : body, {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      throw connectionFailure(error);
    }
  };
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new ServiceFailed("the service's answer is too large", { again: false });
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks, size));
}
