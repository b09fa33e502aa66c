// Delivers webhooks late, twice, in another order or not at all, and keeps GitHub's log of them, from which they can be redelivered.
import { createVerify, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ActiveFaults, happens } from "./faults.ts";
import type { History, PullName } from "./history.ts";
import type { Answer } from "./scripted-response.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** GitHub gives a receiver ten seconds. */
const PATIENCE_MS = 10_000;
const LOG_PAGE = 30;
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
  askedAgain: number;
  /** The wait before the next redelivery by hand, and its end. */
  pauseMs: number;
  pausedUntil: number;
}

interface LogRow {
  readonly id: number;
  readonly letter: Letter;
  readonly at: number;
  readonly redelivery: boolean;
  readonly status: number | null;
}

export interface WebhookDelivery {
  /** Where the fake GitHub sends webhooks. */
  readonly url: string;
  /** The receivers: any of them, like a load balancer without health checks. Empty while there are none. */
  address(...urls: readonly string[]): void;
  /** Answers requests for the delivery log; null for any other. */
  answer(method: string, path: string, search: string, authorization: string): Promise<Answer | null>;
  /** Sends again, as an operator does by hand with growing patience, what was not accepted. Returns how many. */
  sendFailedAgain(): Promise<number>;
  /** Letters that travel or were not accepted; those never sent do not count. */
  pending(): number;
  /** How often each letter was asked for again through the API: at most once is enough. */
  readonly letters: readonly Letter[];
  /** Whether the server looked into the log. */
  wasRead(): boolean;
  close(): Promise<void>;
}

export interface WebhookDeliveryOptions {
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  /** PEM: the log is the app's alone. */
  readonly publicKey: string;
  /** `OWNER/NAME` by which the harness calls a repository; null for one that it does not know. */
  readonly nameOf?: (repository: number) => string | null;
  /** Whether GitHub delivers events of it to the App. Absent: it does. */
  readonly receives?: (installation: number | null, repository: number | null) => boolean;
}

export async function openWebhookDelivery(options: WebhookDeliveryOptions): Promise<WebhookDelivery> {
  const { random, activeFaults, history, publicKey, nameOf = () => null, receives = () => true } = options;
  const letters: Letter[] = [];
  const log: LogRow[] = [];
  const balance = random.fork("balance");
  let goals: readonly string[] = [];
  let reads = 0;
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

  function travel(letter: Letter, afterMs: number, redelivery = false): void {
    letter.travels++;
    setTimeout(() => {
      void deliver(letter, redelivery).finally(() => letter.travels--);
    }, afterMs);
  }

  async function deliver(letter: Letter, redelivery: boolean): Promise<void> {
    const { guid, sameAs, event, action, pull, headers, body } = letter;
    const at = Date.now();
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
    log.push({ id: 10_000 + log.length, letter, at, redelivery, status });
    history.note({ kind: "delivered", at: Date.now(), guid, sameAs, event, action, pull, status });
  }

  function list(search: string): Answer {
    const query = new URLSearchParams(search);
    const perPage = Math.min(100, Math.max(1, Number(query.get("per_page") ?? LOG_PAGE)));
    const before = Number(query.get("cursor")?.replace(/^v1_/, "") ?? Number.MAX_SAFE_INTEGER);
    const wanted = query.get("status");
    const rows = log.filter((row) => row.id < before && (wanted === null || (wanted === "success") === isGood(row)));
    const page = rows.slice(-perPage).toReversed();
    const last = page.at(-1);
    const more = last !== undefined && rows.length > perPage;
    if (more) query.set("cursor", `v1_${last.id}`);
    const link = { link: `<https://api.github.com/app/hook/deliveries?${query}>; rel="next"` };
    return json(200, page.map(rowJson), more ? link : {});
  }

  async function ask(row: LogRow): Promise<Answer> {
    row.letter.askedAgain++;
    travel(row.letter, 50, true);
    return json(202, {});
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    address(...urls) {
      goals = urls;
    },
    async answer(method, path, search, authorization) {
      if (!path.startsWith("/app/hook/deliveries")) return null;
      if (!isAppToken(authorization, publicKey)) return json(401, { message: "A JSON web token could not be decoded" });
      reads++;
      const [, id, attempts] = /^\/app\/hook\/deliveries\/(\d+)(\/attempts)?$/.exec(path) ?? [];
      if (id === undefined) return list(search);
      const row = log.find((one) => one.id === Number(id));
      if (row === undefined) return json(404, { message: "Not Found" });
      if (method === "POST" && attempts !== undefined) return ask(row);
      const sent = { request: { headers: row.letter.headers, payload: JSON.parse(row.letter.body) } };
      return json(200, { ...rowJson(row), ...sent, response: { headers: {}, payload: "" } });
    },
    async sendFailedAgain() {
      const now = Date.now();
      const failed = letters.filter(
        ({ isTaken, travels, pausedUntil }) => !isTaken && travels === 0 && pausedUntil <= now,
      );
      for (const letter of failed) {
        letter.pausedUntil = now + letter.pauseMs;
        letter.pauseMs = Math.min(MOST_PAUSE_MS, 2 * letter.pauseMs);
        travel(letter, random.between(0, 300), true);
      }
      return failed.length;
    },
    pending: () => letters.filter(({ isTaken, travels }) => !isTaken || travels > 0).length,
    letters,
    wasRead: () => reads > 0,
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
    askedAgain: 0,
    pauseMs: FIRST_PAUSE_MS,
    pausedUntil: 0,
  };
}

function isGood({ status }: LogRow): boolean {
  return status !== null && status >= 200 && status < 400;
}

function rowJson({ id, letter, at, redelivery, status }: LogRow): object {
  return {
    id,
    guid: letter.guid,
    delivered_at: new Date(at).toISOString(),
    redelivery,
    duration: 0.1,
    status:
      status === null
        ? "failed to connect to host"
        : isGood({ status } as LogRow)
          ? "OK"
          : `Invalid HTTP Response: ${status}`,
    status_code: status ?? 0,
    event: letter.event,
    action: letter.action,
    installation_id: letter.installation,
    repository_id: letter.repository,
    throttled_at: null,
  };
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

/** A JSON Web Token of the app: signed by its key, and not older than GitHub takes. */
function isAppToken(authorization: string, publicKey: string): boolean {
  const [head = "", payload = "", signature = ""] = authorization.replace(/^bearer\s+/i, "").split(".");
  const verify = createVerify("RSA-SHA256").update(`${head}.${payload}`);
  if (signature === "" || !verify.verify(publicKey, signature, "base64url")) return false;
  const { exp = 0 } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: number };
  return exp * 1000 > Date.now();
}
