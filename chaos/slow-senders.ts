// Slow clients at the public port: they send a byte now and then, or nothing at all, and never
// close the connection.
import { connect } from "node:net";
import type { History } from "./history.ts";

/** How they are slow. */
const WAYS = ["headers", "body", "silence"] as const;
type Way = (typeof WAYS)[number];

const BYTE_MS = 700;
/** Then they give up: twice what a server may take to cut them. */
const GIVE_UP_MS = 60_000;
const PATH = "/api/github/webhooks";

export interface SlowSenders {
  /** Resolves when all of them were cut, or have given up. */
  readonly over: Promise<void>;
  /** They go away by themselves, and nothing is written down. */
  stop(): void;
}

/** @param each how many of each kind; what became of every one is noted */
export function sendSlowly(
  port: number,
  each: number,
  history: History,
  process: number | undefined,
  isAlive: () => boolean,
): SlowSenders {
  const ways = WAYS.flatMap((way) => Array.from({ length: each }, () => way));
  const stops: (() => void)[] = [];
  const all = ways.map((way) => {
    const { over, stop } = one(port, way);
    stops.push(stop);
    return over.then((ms) => {
      if (ms === null || !isAlive()) return;
      const whose = process === undefined ? {} : { process };
      history.note({ kind: "slow", at: Date.now(), where: "ingress", how: way, ms, ...whose });
    });
  });
  return {
    over: Promise.all(all).then(() => {}),
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Milliseconds until it was cut; null where it went away by itself or was never let in. */
function one(port: number, way: Way): { readonly over: Promise<number | null>; stop(): void } {
  const socket = connect({ port, host: "127.0.0.1" });
  let since: number | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<number | null>((resolve) => {
    const giveUp = setTimeout(() => socket.destroy(), GIVE_UP_MS);
    socket.on("error", () => {});
    // What the server says before it cuts is read, so that its end is seen.
    socket.on("data", () => {});
    socket.once("connect", () => {
      since = performance.now();
      timer = dribble(way, (text) => socket.write(text));
    });
    socket.once("close", () => {
      clearInterval(timer);
      clearTimeout(giveUp);
      resolve(since === null || isStopped ? null : performance.now() - since);
    });
  });
  return {
    over,
    stop() {
      isStopped = true;
      socket.destroy();
    },
  };
}

function dribble(way: Way, write: (text: string) => void): NodeJS.Timeout | undefined {
  if (way === "silence") return undefined;
  write(`POST ${PATH} HTTP/1.1\r\nhost: kodiai.example\r\n`);
  if (way === "headers") return setInterval(() => write(`x-slow-${Math.random()}: 1\r\n`), BYTE_MS);
  const headers = [
    "content-type: application/json",
    "content-length: 20000",
    "x-github-event: pull_request",
    "x-github-delivery: 11111111-2222-3333-4444-555555555555",
    `x-hub-signature-256: sha256=${"0".repeat(64)}`,
  ];
  write(`${headers.join("\r\n")}\r\n\r\n`);
  return setInterval(() => write(" "), BYTE_MS);
}
