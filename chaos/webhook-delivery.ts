// Delivers webhooks late, twice, in another order or not at all, and sends again by hand what was
// not accepted.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ActiveFaults, happens } from "./faults.ts";
import type { History, PullName } from "./history.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** GitHub gives a receiver ten seconds. */
const PATIENCE_MS = 10_000;
/** Whoever presses "Redeliver" in vain waits, twice as long each time. */
const FIRST_PAUSE_MS = 2_000;
const MOST_PAUSE_MS = 20_000;

interface Letter {
  readonly guid: string;
  /** The GUID under which another hook delivered the same. */
  readonly sameAs: string | null;
  readonly event: string;
  readonly action: string | null;
  readonly pull: PullName | null;
  readonly installation: number | null;
  readonly repository: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether it is on its way just now. */
  travels: number;
  isTaken: boolean;
  /** The wait before the next redelivery by hand, and its end. */
  pauseMs: number;
  pausedUntil: number;
}

export interface WebhookDelivery {
  /** Where the fake GitHub sends webhooks. */
  readonly url: string;
  /**
   * The receivers: any of them, like a load balancer without health checks. Empty while there are
   * none.
   */
  address(...urls: readonly string[]): void;
  /**
   * Sends again, as an operator does by hand with growing patience, what was not accepted. Returns
   * how many.
   */
  sendFailedAgain(): Promise<number>;
  /** Letters that travel or were not accepted; those never sent do not count. */
  pending(): number;
  readonly letters: readonly Letter[];
  close(): Promise<void>;
}

export interface WebhookDeliveryOptions {
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  /** `OWNER/NAME` by which the harness calls a repository; null for one that it does not know. */
  readonly nameOf?: (repository: number) => string | null;
  /** Whether GitHub delivers events of it to the App. Absent: it does. */
  readonly receives?: (installation: number | null, repository: number | null) => boolean;
}

export async function openWebhookDelivery(options: WebhookDeliveryOptions): Promise<WebhookDelivery> {
  const { random, activeFaults, history, nameOf = () => null, receives = () => true } = options;
  const letters: Letter[] = [];
  const balance = random.fork("balance");
  let goals: readonly string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(202).end();
      post(letterOf(request.headers as Record<string, string>, Buffer.concat(chunks).toString(), nameOf));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function post(letter: Letter): void {
    const { event } = letter;
    // An installation receives the event of its own removal.
    if (!event.startsWith("installation") && !receives(letter.installation, letter.repository)) return;
    if (event === "pull_request" && happens(activeFaults, "drop") && random.chance(0.3)) return;
    letters.push(letter);
    const late = happens(activeFaults, "delay") && random.chance(0.1) ? random.between(1_000, 8_000) : 0;
    const jitter = happens(activeFaults, "reorder") ? random.between(0, 400) : 0;
    const times = happens(activeFaults, "duplicate") && random.chance(0.2) ? 2 + random.below(3) : 1;
    for (let copy = 0; copy < times; copy++) {
      const apart = copy === 0 || random.chance(0.5) ? 0 : random.between(10, 3_000);
      travel(letter, late + jitter + apart);
    }
    // The same event delivered by a second hook, or redelivered under another id.
    if (happens(activeFaults, "duplicate") && random.chance(0.03)) {
      const guid = randomUUID();
      const twin = {
        ...letter,
        guid,
        sameAs: letter.guid,
        headers: { ...letter.headers, "x-github-delivery": guid },
        travels: 0,
      };
      letters.push(twin);
      travel(twin, late + random.between(0, 2_000));
    }
  }

  function travel(letter: Letter, afterMs: number): void {
    letter.travels++;
    setTimeout(() => {
      void deliver(letter).finally(() => letter.travels--);
    }, afterMs);
  }

  async function deliver(letter: Letter): Promise<void> {
    const { guid, sameAs, event, action, pull, headers, body } = letter;
    let status: number | null = null;
    try {
      const goal = goals.length > 1 ? balance.pick(goals) : goals[0];
      if (goal !== undefined) {
        const response = await fetch(goal, { method: "POST", headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
        await response.arrayBuffer();
        status = response.status;
      }
    } catch {
      // No receiver, or no response: GitHub logs a failure.
    }
    if (status !== null && status >= 200 && status < 300) letter.isTaken = true;
    history.note({ kind: "delivered", at: Date.now(), guid, sameAs, event, action, pull, status });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    address(...urls) {
      goals = urls;
    },
    async sendFailedAgain() {
      const now = Date.now();
      const failed = letters.filter(
        ({ isTaken, travels, pausedUntil }) => !isTaken && travels === 0 && pausedUntil <= now,
      );
      for (const letter of failed) {
        letter.pausedUntil = now + letter.pauseMs;
        letter.pauseMs = Math.min(MOST_PAUSE_MS, 2 * letter.pauseMs);
        travel(letter, random.between(0, 300));
      }
      return failed.length;
    },
    pending: () => letters.filter(({ isTaken, travels }) => !isTaken || travels > 0).length,
    letters,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function letterOf(
  headers: Record<string, string>,
  body: string,
  nameOf: (repository: number) => string | null,
): Letter {
  const payload = JSON.parse(body) as {
    action?: string;
    number?: number;
    issue?: { number: number };
    pull_request?: { number: number };
    repository?: { id: number; full_name: string };
    installation?: { id: number };
  };
  const number = payload.pull_request?.number ?? payload.issue?.number ?? payload.number;
  const name =
    payload.repository === undefined ? undefined : (nameOf(payload.repository.id) ?? payload.repository.full_name);
  const kept = Object.entries(headers).filter(([key]) => /^x-|^content-type$|^user-agent$/.test(key));
  return {
    guid: headers["x-github-delivery"] ?? randomUUID(),
    sameAs: null,
    event: headers["x-github-event"] ?? "unknown",
    action: payload.action ?? null,
    pull: name !== undefined && number !== undefined ? `${name}#${number}` : null,
    installation: payload.installation?.id ?? null,
    repository: payload.repository?.id ?? null,
    headers: Object.fromEntries(kept),
    body,
    travels: 0,
    isTaken: false,
    pauseMs: FIRST_PAUSE_MS,
    pausedUntil: 0,
  };
}
