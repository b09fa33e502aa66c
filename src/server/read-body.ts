// Reads request bodies before their signature is verified: each is bounded, and their total.
import type { IncomingMessage } from "node:http";

/** GitHub sends at most 25 MB: docs.github.com, "Webhook events and payloads". */
export const MOST_BODY_BYTES = 25 * 1024 * 1024;
/** Limit for all bodies being received: the largest fits, with usual ones beside it. */
const MOST_HELD_BYTES = 32 * 1024 * 1024;
/**
 * A larger body waits for a slot; usual deliveries have 20 to 40 kB. Less than the 64 KiB that Node
 * reads at a time, so a fast sender is stopped after its first chunk.
 */
const USUAL_BYTES = 48 * 1024;
const LARGE_AT_A_TIME = 4;
/** Bodies that may wait for a slot, each with its first chunk: at most 4 MiB together. */
const MOST_WAITING = 64;

/**
 * `large`: more than MOST_BODY_BYTES. `crowded`: the largest, dropped because all together exceeded
 * the limit. `aborted`: the sender disconnected.
 */
export type Body = { readonly kind: "whole"; readonly chunks: readonly Buffer[] } | { readonly kind: Unread };
type Unread = "large" | "crowded" | "aborted";

interface Coming {
  bytes: number;
  /** `waits`: paused until a slot is free. */
  size: "usual" | "large" | "waits";
  /** Content-Length; infinite without one. */
  readonly declared: number;
  readonly request: IncomingMessage;
  readonly end: (body: Body) => void;
}

/** @param most limit in bytes; another one in tests only */
export function bodyReader(most: number = MOST_HELD_BYTES) {
  const coming = new Set<Coming>();
  let held = 0;

  /** Calls `take` once. The body is valid until `take` returns; a dropped one is not read on. */
  function read(request: IncomingMessage, take: (body: Body) => void): void {
    let chunks: Buffer[] = [];
    const end = (body: Body) => {
      if (!coming.delete(one)) return;
      request.off("data", add).off("end", whole).off("close", abort).off("error", abort);
      // Ignores the error of a dropped request's socket when it is closed later.
      request.on("error", () => {});
      if (body.kind !== "whole") stopReading(request);
      try {
        take(body);
      } finally {
        for (const chunk of chunks) freeChunk(chunk);
        chunks = [];
        held -= one.bytes;
        admit(coming);
      }
    };
    const declared = Number(request.headers?.["content-length"] ?? Number.POSITIVE_INFINITY);
    const one: Coming = { bytes: 0, size: "usual", declared, request, end };
    const add = (chunk: Buffer) => {
      chunks.push(chunk);
      one.bytes += chunk.length;
      held += chunk.length;
      if (one.bytes > MOST_BODY_BYTES) end({ kind: "large" });
      else if (one.bytes > USUAL_BYTES && one.size === "usual") {
        one.size = "waits";
        // The socket as well, or Node would read on until the request's buffer is full.
        request.pause();
        request.socket?.pause();
        admit(coming);
      }
      while (held > most && coming.size > 0) largest(coming)?.end({ kind: "crowded" });
    };
    const whole = () => end({ kind: "whole", chunks });
    const abort = () => end({ kind: "aborted" });
    coming.add(one);
    request.on("data", add).on("end", whole).on("close", abort).on("error", abort);
  }

  return { read, held: () => held };
}

/**
 * Stops reading a request and discards further chunks. Otherwise Node would fill its buffer and
 * keep it; `false` from push makes it stop.
 */
export function stopReading(request: IncomingMessage): void {
  const push = request.push.bind(request);
  request.push = (piece: Buffer | null) => {
    if (piece === null) return push(null);
    freeChunk(piece);
    return false;
  };
  request.socket?.pause();
}

/** Frees a chunk's memory at once: senders can be faster than the garbage collector. */
function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk;
  // Only a chunk with its own memory; the garbage collector frees shared memory.
  if (buffer instanceof ArrayBuffer && chunk.length > 0 && buffer.byteLength === chunk.length) buffer.transfer(0);
}

/** Gives free slots to waiting bodies, the smallest first; those without Content-Length last. */
function admit(coming: ReadonlySet<Coming>): void {
  const large = [...coming].filter(({ size }) => size === "large");
  const waiting = [...coming].filter(({ size }) => size === "waits").sort((a, b) => order(a) - order(b));
  for (const coming of waiting) {
    // GitHub always sends Content-Length; one slot is enough for bodies without.
    if (large.length >= LARGE_AT_A_TIME || (isUndeclared(coming) && large.some(isUndeclared))) break;
    coming.size = "large";
    large.push(coming);
    coming.request.socket?.resume();
    coming.request.resume();
  }
  const left = waiting.filter(({ size }) => size === "waits");
  for (const coming of left.slice(MOST_WAITING)) coming.end({ kind: "crowded" });
}

function isUndeclared({ declared }: Coming): boolean {
  return !Number.isFinite(declared);
}

function order({ declared }: Coming): number {
  return Math.min(declared, Number.MAX_SAFE_INTEGER);
}

/** The largest is dropped first: a flood hurts itself before a delivery of usual size. */
function largest(coming: ReadonlySet<Coming>): Coming | undefined {
  let found: Coming | undefined;
  for (const one of coming) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
