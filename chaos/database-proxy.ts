// A proxy between the server and its database: it cuts connections, swallows all bytes silently,
// slows them down, or refuses them.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface WireCutter {
  /** Where the server finds its database. */
  readonly port: number;
  /** Ends connections as a router that restarts does; returns how many. `share` of them, 0 to 1. */
  cut(share: number): number;
  /**
   * Half-open: from now on no byte of these connections arrives on either side, without an error.
   */
  swallow(): number;
  /** Refuses new connections for a while, as a database does that has no more to give. */
  fill(forMs: number): void;
  /** Delays all that travels for a while. */
  slow(byMs: number, forMs: number): void;
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isSwallowed: boolean;
}

/** Longer than any timeout of the server: then the operating systems have noticed. */
const SWALLOWED_MS = 90_000;

export async function openWire(target: { readonly host: string; readonly port: number }): Promise<WireCutter> {
  const pairs = new Set<Pair>();
  let fullUntil = 0;
  let slowUntil = 0;
  let slowBy = 0;

  function carry(pair: Pair, from: Socket, to: Socket): void {
    // One after the other, also when the delay changes in between.
    let before = Promise.resolve();
    from.on("data", (chunk) => {
      const delay = Date.now() < slowUntil ? slowBy : 0;
      if (delay === 0 && pair.isSwallowed) return;
      before = before
        .then(() => (delay === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delay))))
        .then(() => {
          if (!pair.isSwallowed && !to.destroyed) to.write(chunk);
        });
    });
    from.on("close", () => {
      // A swallowing proxy does not report that the other side closed.
      if (!pair.isSwallowed) void before.then(() => to.destroy());
    });
    from.on("error", () => {});
  }

  const server = createServer((near) => {
    if (Date.now() < fullUntil) {
      near.once("data", () => near.end(TOO_MANY));
      near.on("error", () => {});
      return;
    }
    const far = connect(target);
    const pair: Pair = { near, far, isSwallowed: false };
    pairs.add(pair);
    near.on("close", () => pairs.delete(pair));
    far.on("close", () => pairs.delete(pair));
    carry(pair, near, far);
    carry(pair, far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const end = ({ near, far }: Pair) => {
    near.resetAndDestroy();
    far.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut(share) {
      const chosen = [...pairs].slice(0, Math.ceil(pairs.size * share));
      for (const pair of chosen) end(pair);
      return chosen.length;
    },
    swallow() {
      const chosen = [...pairs];
      for (const pair of chosen) {
        pair.isSwallowed = true;
        setTimeout(() => end(pair), SWALLOWED_MS).unref();
      }
      return chosen.length;
    },
    fill(forMs) {
      fullUntil = Date.now() + forMs;
    },
    slow(byMs, forMs) {
      slowBy = byMs;
      slowUntil = Date.now() + forMs;
    },
    close: () =>
      new Promise((resolve) => {
        for (const pair of pairs) end(pair);
        server.close(() => resolve());
      }),
  };
}

/** What PostgreSQL answers to one client too many. */
const TOO_MANY = errorResponse("53300", "sorry, too many clients already");

/** https://www.postgresql.org/docs/17/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-ERRORRESPONSE */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
