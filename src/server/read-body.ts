// Reads bodies before anybody believes them: each is bounded, and all together are, because whoever sends has proved nothing.
import type { IncomingMessage } from "node:http";

/** GitHub sends at most 25 MB: docs.github.com, "Webhook events and payloads". */
export const MOST_BODY_BYTES = 25 * 1024 * 1024;
/** Held of all bodies that are still coming in. Twice the largest fits; bench/README.md, "ack", has what it costs. */
const MOST_HELD_BYTES = 48 * 1024 * 1024;

/**
 * `whole`: all of it, as it came. `large`: more than MOST_BODY_BYTES. `crowded`: given up because all bodies together were
 * too much and this was the largest. `gone`: the sender went away.
 */
export type Body = { readonly kind: "whole"; readonly chunks: readonly Buffer[] } | { readonly kind: Unread };
type Unread = "large" | "crowded" | "gone";

export interface BodyReader {
  /** Tells once how it ended. A body is held until `take` returns; the rest of one that is given up is not read. */
  read(request: IncomingMessage, take: (body: Body) => void): void;
  /** Bytes held now. */
  held(): number;
}

interface Coming {
  bytes: number;
  readonly end: (body: Body) => void;
}

/** @param most bytes held at a time; another number in tests only */
export function bodyReader(most: number = MOST_HELD_BYTES): BodyReader {
  const coming = new Set<Coming>();
  let held = 0;

  function read(request: IncomingMessage, take: (body: Body) => void): void {
    const chunks: Buffer[] = [];
    const end = (body: Body) => {
      if (!coming.has(one)) return;
      request.off("data", add).off("end", whole).off("close", gone).off("error", gone);
      // What is given up is not read on; the error of a socket that is then cut is nobody's news.
      request.on("error", () => {});
      if (body.kind !== "whole") request.pause();
      try {
        take(body);
      } finally {
        coming.delete(one);
        held -= one.bytes;
      }
    };
    const one: Coming = { bytes: 0, end };
    const add = (chunk: Buffer) => {
      chunks.push(chunk);
      one.bytes += chunk.length;
      held += chunk.length;
      if (one.bytes > MOST_BODY_BYTES) end({ kind: "large" });
      while (held > most && largest(coming)) largest(coming)?.end({ kind: "crowded" });
    };
    const whole = () => end({ kind: "whole", chunks });
    const gone = () => end({ kind: "gone" });
    coming.add(one);
    request.on("data", add).on("end", whole).on("close", gone).on("error", gone);
  }

  return { read, held: () => held };
}

/** Who holds most gives way: whoever floods the server pays before a delivery of usual size does. */
function largest(coming: ReadonlySet<Coming>): Coming | undefined {
  let found: Coming | undefined;
  for (const one of coming) if (found === undefined || one.bytes > found.bytes) found = one;
  return found;
}
