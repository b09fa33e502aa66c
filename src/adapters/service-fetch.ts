// `fetch` for services and models: no redirects, so that keys stay with their origin, and answers of bounded size.

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

/**
 * 128 vectors of 2,048 numbers are 6 MB of JSON, and 128,000 tokens as events of one token each some 20 MB. Much more is not a valid
 * answer.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** The headers that the SDKs and the retries read. */
const HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];
/** Statuses for which a `Response` may not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export interface Question {
  readonly url: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface Answering {
  /** Called when headers arrive and for every chunk of the body. */
  readonly alive?: () => void;
  /** The error for an answer that is not taken. */
  failed(why: "redirect" | "too large" | "not an answer"): Error;
}

/** The answer with its body as a stream. Rejects with the errors of `fetch` and `failed`, and so does its body. */
export async function boundedFetch(
  fetch: Fetch,
  { url, method = "POST", headers, body, signal }: Question,
  { alive = () => {}, failed }: Answering,
): Promise<Response> {
  const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
  alive();
  const { status } = response;
  // A browser-like `fetch` hides a redirect behind status 0.
  if (status === 0 || (status >= 300 && status < 400)) throw failed("redirect");
  if (status < 200 || status > 599) throw failed("not an answer");
  const kept = HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });

  async function* bounded(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of response.body ?? []) {
      alive();
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw failed("too large");
      yield chunk;
    }
  }

  const stream = BODILESS.has(status) ? null : ReadableStream.from(bounded());
  return new Response(stream, { status, headers: Object.fromEntries(kept) });
}
