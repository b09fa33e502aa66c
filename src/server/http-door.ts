// Where deliveries come in: the public port, with its limits. What is signed is kept before it is answered.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probot } from "probot";
import type { Store } from "../wire/store.ts";
import type { Worker } from "../worker.ts";
import { committer } from "./commit-deliveries.ts";
import { ingress } from "./ingress.ts";
import type { Metrics } from "./metrics.ts";
import { bodyReader } from "./read-body.ts";
import { type Reception, takeDelivery } from "./take-delivery.ts";
import type { FormerSecret } from "./verify-signature.ts";

/** One for each lane of the queue. */
export type Workers = Readonly<Record<"review" | "command" | "upkeep", Worker>>;

export interface DoorSettings extends Reception {
  readonly webhookPath: string;
  readonly webhookSecret: string;
  /** null or absent: there is no other secret. */
  readonly formerSecret?: FormerSecret | null;
  /** Told of deliveries and answers. */
  readonly counted: Pick<Metrics, "answered" | "took">;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

/** The public port, open. */
export interface Door {
  readonly server: Server;
  /** Milliseconds since the last delivery could not be kept; null when one could since. */
  failedAgo(): number | null;
  /** Bytes of bodies that are coming in. */
  heldBytes(): number;
  isDraining(): boolean;
  /** From now on every delivery is answered with 503. Resolves when those that came before are answered. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** GitHub waits 10 s for an answer, and nobody is given longer to ask. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 };
/** How often Node looks whether one of them has passed; by itself it looks every 30 s. */
const LOOK_MS = 1_000;
/** A connection on which nothing moves. An answer takes 5 s at most. */
const IDLE_MS = 10_000;
/** Connections at a time; more are cut before they say anything. */
const MOST_CONNECTIONS = 1_000;
/** What is still open then is cut. */
const CLOSE_MS = 1_000;

/**
 * Listens for deliveries.
 *
 * @throws Error when the port is taken
 */
export async function openDoor(probot: Probot, store: Store, workers: Workers, settings: DoorSettings): Promise<Door> {
  const { counted } = settings;
  const bodies = bodyReader();
  const commits = committer(store.inbox);
  let isDraining = false;
  const wake = () => {
    for (const worker of Object.values(workers)) worker.wake();
  };
  await probot.load((app) => app.onAny(wake));
  const answers = ingress({
    webhookPath: settings.webhookPath,
    webhookSecret: settings.webhookSecret,
    formerSecret: settings.formerSecret ?? null,
    bodies,
    take: (signed) => takeDelivery(signed, { probot, store, commits, counted, wake, reception: settings }),
    isDraining: () => isDraining,
    onAnswer: counted.answered,
  });
  const server = createServer({ ...LIMITS, connectionsCheckingInterval: LOOK_MS }, answers);
  server.setTimeout(IDLE_MS);
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, settings);
  return {
    server,
    failedAgo: commits.failedAgo,
    heldBytes: bodies.held,
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      await commits.idle();
    },
    close: () => closed(server),
  };
}

/** @throws Error when the port is taken */
export function listening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Where a server that listens can be asked. */
export function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Whoever is being answered is answered to the end; whoever only holds a connection does not hold up the process. */
export async function closed(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
