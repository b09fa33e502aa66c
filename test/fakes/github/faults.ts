// Trouble on purpose: the next matching requests get an error, lose their answer after taking
// effect, or their socket.

export interface Fault {
  readonly match: {
    readonly method?: string;
    /** Tested against the path without query. */
    readonly path: RegExp | string;
    /** Tested against the body as it was sent. */
    readonly body?: RegExp;
  };
  /** The status to answer; left out together with `drop`. */
  readonly status?: number;
  /** Seconds. With 403 or 429 this makes it a rate limit. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The request takes effect first; only the answer goes wrong. */
  readonly afterApplying?: boolean;
  /** The request is answered as ever; only `headers` are added. */
  readonly onlyHeaders?: boolean;
  /** The connection is cut in place of an answer. */
  readonly drop?: boolean;
  /** The answer breaks off in the middle; GitHub says all the same that it is there. */
  readonly cut?: boolean;
  /** The connection ends in the middle of the answer. */
  readonly breaks?: boolean;
  /**
   * Milliseconds from when the request took effect to its answer, which nobody waits for any more.
   */
  readonly late?: number;
  /** Happens right before the request is answered, which it is as ever. */
  readonly happens?: () => void | Promise<void>;
  /** Asked of each request that matches; false lets it pass. */
  readonly chance?: () => boolean;
  /** How many requests it meets; 1 when left out. */
  readonly times?: number;
  /** Milliseconds to wait before anything happens. */
  readonly delay?: number;
}

export interface Faults {
  plan(fault: Fault): void;
  /** The fault that meets this request, used up by one. */
  next(method: string, path: string, body?: unknown): Fault | null;
}

export function planFaults(): Faults {
  const planned: { readonly fault: Fault; left: number }[] = [];
  return {
    plan: (fault) => void planned.push({ fault, left: fault.times ?? 1 }),
    next(method, path, body) {
      const found = planned.find(
        ({ fault, left }) => left > 0 && meets(fault, method, path, body) && (fault.chance?.() ?? true),
      );
      if (!found) return null;
      found.left--;
      return found.fault;
    },
  };
}

function meets({ match }: Fault, method: string, path: string, body: unknown): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
  if (match.body !== undefined && !match.body.test(JSON.stringify(body ?? ""))) return false;
  return typeof match.path === "string" ? path.includes(match.path) : match.path.test(path);
}

const MESSAGES = new Map([
  [403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."],
  [404, "Not Found"],
  [422, "Validation Failed"],
  [429, "API rate limit exceeded for installation."],
  [500, "Server Error"],
  [502, "Server Error"],
  [503, "No server is currently available to service your request."],
]);

/** The answer with more headers. */
export function withHeaders(answer: Response, { headers = {} }: Fault): Response {
  const all = new Headers(answer.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(answer.body, { status: answer.status, headers: all });
}

/** The first half of the answer. */
export async function cutAnswer(answer: Response): Promise<Response> {
  const text = await answer.text();
  return new Response(text.slice(0, text.length / 2), { status: answer.status, headers: answer.headers });
}

/** The first half of the answer, and then nothing more. */
export async function brokenAnswer(answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const half = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    pull: (controller) => controller.error(new Error("the connection ends here, on purpose")),
  });
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(bytes.length));
  return new Response(half, { status: answer.status, headers });
}

/** The answer that a fault gives, in GitHub's words. */
export function faultyAnswer(fault: Fault): Response {
  const status = fault.status ?? 502;
  const headers = new Headers({ "content-type": "application/json; charset=utf-8", ...fault.headers });
  if (fault.retryAfter !== undefined) headers.set("retry-after", String(fault.retryAfter));
  if (status === 429) {
    headers.set("x-ratelimit-remaining", "0");
    headers.set("x-ratelimit-reset", String(Math.floor(Date.now() / 1000) + (fault.retryAfter ?? 60)));
  }
  const body = fault.body ?? {
    message: MESSAGES.get(status) ?? "Error",
    documentation_url: "https://docs.github.com/rest",
    ...(status === 422 ? { errors: ["Line could not be resolved"] } : {}),
  };
  return new Response(JSON.stringify(body), { status, headers });
}
