// `fetch` for services: no redirects, so that keys stay with their origin, and answers of bounded size.
import { connectionFailure, ServiceFailed } from "./service-failed.ts";

/** The part of `fetch` that is used, so that Node's own and undici's (with proxy and allow-list) both fit. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

/** 128 vectors of 2,048 numbers are 6 MB of JSON; ten times that is not a valid answer. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Statuses for which a `Response` may not have a body. */
export const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Posts a text and reads the whole answer, so that the signal also ends a body that stalls. */
export type Post = (
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
) => Promise<Response>;

/** Rejects with `ServiceFailed`: no connection, a redirect, more than 64 MiB. */
export function servicePost(fetch: Fetch): Post {
  return async (url, headers, body, signal) => {
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
      // A browser-like `fetch` hides a redirect behind status 0.
      if (response.status === 0 || (response.status >= 300 && response.status < 400)) {
        throw new ServiceFailed("the service answered with a redirect, which is not followed", { again: false });
      }
      const bytes = await readBody(response.body);
      const retryAfter = response.headers.get("retry-after");
      return new Response(BODILESS.has(response.status) ? null : bytes, {
        status: response.status,
        headers: retryAfter === null ? {} : { "retry-after": retryAfter },
      });
    } catch (error) {
      throw connectionFailure(error);
    }
  };
}

async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new ServiceFailed("the service's answer is too large", { again: false });
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks, size));
}
