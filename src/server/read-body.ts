// Reads bodies before anybody believes them: each is bounded, and all together are, because whoever sends has proved nothing.
import type { IncomingMessage } from "node:http";

/** GitHub sends at most 25 MB: docs.github.com, "Webhook events and payloads". */
export const MOST_BODY_BYTES = 25 * 1024 * 1024;
/** Held of all bodies that are still coming in: the largest fits, and what usual ones need beside it. */
const MOST_HELD_BYTES = 32 * 1024 * 1024;
/**
 * Whoever sends more waits for one of the places for large bodies; deliveries of a pull request have 20 to 40 kB. Less than
 * the 64 KiB that Node reads at a time: a fast sender is stopped after its first piece.
 */
const USUAL_BYTES = 48 * 1024;
const LARGE_AT_A_TIME = 4;
/** Wait for one of those places. Each has its first piece already, so this bounds what all that wait hold: 4 MiB. */
const MOST_WAITING = 64;

/**
 * `whole`: all of it, as it came. `large`: more than MOST_BODY_BYTES. `crowded`: given up because all bodies together were
 * too much and this was the largest. `gone`: the sender went away.
 */
export type Body = { readonly kind: "whole"; readonly chunks: readonly Buffer[] } | { readonly kind: Unread };
type Unread = "large" | "crowded" | "gone";

export interface BodyReader {
  /**
   * Tells once how it ended. A body is held until `take` returns, and is empty from then on; the rest of one that is given
   * up is not read.
   */
  read(request: IncomingMessage, take: (body: Body) => void): void;
  /** Bytes held now. */
  held(): number;
}

interface Coming {
  bytes: number;
  /** `waits`: not read on until a place is free. */
  size: "usual" | "large" | "waits";
  /** As its headers say; infinite where they do not. */
  readonly declared: number;
  readonly request: IncomingMessage;
  readonly end: (body: Body) => void;
}

/** @param most bytes held at a time; another number in tests only */
export function bodyReader(most: number = MOST_HELD_BYTES): BodyReader {
  const coming = new Set<Coming>();
  let held = 0;

  function read(request: IncomingMessage, take: (body: Body) => void): void {
    let chunks: Buffer[] = [];
    const end = (body: Body) => {
      if (!coming.delete(one)) return;
      request.off("data", add).off("end", whole).off("close", gone).off("error", gone);
      // What is given up is not read on; the error of a socket that is then cut is nobody's news.
      request.on("error", () => {});
      if (body.kind !== "whole") stopReading(request);
      try {
        take(body);
      } finally {
        for (const chunk of chunks) giveBack(chunk);
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
        hold(request);
        admit(coming);
      }
      while (held > most && coming.size > 0) largest(coming)?.end({ kind: "crowded" });
    };
    const whole = () => end({ kind: "whole", chunks });
    const gone = () => end({ kind: "gone" });
    coming.add(one);
    request.on("data", add).on("end", whole).on("close", gone).on("error", gone);
  }

  return { read, held: () => held };
}

/**
 * Nothing more of a request is read, and what still comes of it is thrown away. Left alone, Node would read on until its
 * buffer is full, and hold that; told that nothing fits, it stops.
 */
export function stopReading(request: IncomingMessage): void {
  const push = request.push.bind(request);
  request.push = (piece: Buffer | null) => {
    if (piece === null) return push(null);
    giveBack(piece);
    return false;
  };
  request.socket?.pause();
}

/** The memory of a piece, at once: strangers send faster than the garbage collector comes round to noticing. */
function giveBack(chunk: Buffer): void {
  const { buffer } = chunk;
  // Nobody else's: a piece that shares its memory with others is left to the collector.
  if (buffer instanceof ArrayBuffer && chunk.length > 0 && buffer.byteLength === chunk.length) buffer.transfer(0);
}

/** The socket as well: by itself Node reads on until the request's buffer is full. */
function hold(request: IncomingMessage): void {
  request.pause();
  request.socket?.pause();
}

/** Gives free places to those that wait, the smallest first: who does not say how much comes is last, and gives way first. */
function admit(coming: ReadonlySet<Coming>): void {
  const large = [...coming].filter(({ size }) => size === "large");
  const waiting = [...coming].filter(({ size }) => size === "waits").sort((a, b) => order(a) - order(b));
  for (const one of waiting) {
    // GitHub always says how much comes; of whoever does not, one at a time is enough.
    if (large.length >= LARGE_AT_A_TIME || (isUntold(one) && large.some(isUntold))) break;
    one.size = "large";
    large.push(one);
    one.request.socket?.resume();
    one.request.resume();
  }
  const left = waiting.filter(({ size }) => size === "waits");
  for (const one of left.slice(MOST_WAITING)) one.end({ kind: "crowded" });
}

function isUntold({ declared }: Coming): boolean {
  return !Number.isFinite(declared);
}

/** Infinities cannot be subtracted. */
function order({ declared }: Coming): number {
  return Math.min(declared, Number.MAX_SAFE_INTEGER);
}

/** Who holds most gives way: whoever floods the server pays before a delivery of usual size does. */
function largest(coming: ReadonlySet<Coming>): Coming | undefined {
  let found: Coming | undefined;
  for (const one of coming) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
