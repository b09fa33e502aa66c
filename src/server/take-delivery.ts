// A signed delivery is read, kept and only then routed by Probot to what starts the work; so neither a payload that Probot
// cannot read nor work that takes long can lose one.
import type { Logger } from "pino";
import type { Probot } from "probot";
import type { UpkeepJob } from "../domain/job.ts";
import {
  isForeignCheck,
  isReadEvent,
  receive,
  receiveClosed,
  receivedMeaning,
  receiveFeedback,
} from "../receive/receive.ts";
import type { Store } from "../wire/store.ts";
import type { Committer } from "./commit-deliveries.ts";
import type { Signed, Taken } from "./ingress.ts";
import type { Metrics } from "./metrics.ts";

export interface Reception {
  readonly appId: number;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly githubHost: string;
  readonly reviewerLogin: string | null;
  /** The app's own name, without `[bot]`. */
  readonly slug: string;
  /** False: a push does not wait for the next one; in tests only. */
  readonly debounce?: boolean;
  readonly log: Logger;
}

export interface Taking {
  readonly probot: Probot;
  readonly store: Pick<Store, "waits">;
  readonly commits: Committer;
  readonly counted: Pick<Metrics, "took">;
  /** Has all lanes of the queue looked at. */
  readonly wake: () => void;
  readonly reception: Reception;
}

/**
 * Of events that ask nothing of us the payload is not even parsed; checks of other Apps are not kept.
 *
 * @throws Error when the store cannot keep it
 */
export async function takeDelivery(signed: Signed, at: Taking): Promise<Taken> {
  const { id, event } = signed;
  const payload = isReadEvent(event) ? parsed(signed.body) : unread(signed.body);
  if (payload === null) return "malformed";
  if (isForeignCheck(event, payload, at.reception.appId)) {
    at.counted.took(event, "ignored");
    return "kept";
  }
  const { githubHost: host, reviewerLogin, slug, debounce, log } = at.reception;
  const delivery = { id, event, payload };
  const now = Date.now();
  const reception = { host, reviewerLogin, slug };
  const received = receive(delivery, reception);
  const wanted = debounce === false ? received : await debounced(received, at.store, now);
  const learning = [receiveFeedback(delivery, reception), receiveClosed(delivery, reception)];
  const { result, beside } = withUpkeep(
    wanted,
    learning.filter((one) => one !== null),
  );
  const row = { id, event, receivedAt: now, meaning: receivedMeaning(delivery, received) };
  const kept = await at.commits.commit({ delivery: row, outcome: result, beside }).catch((error: unknown) => {
    log.error({ event, delivery: id, err: error }, "a delivery could not be kept");
    throw error;
  });
  if (kept === "busy") return "busy";
  at.counted.took(event, kept === "new" ? result.kind : "seen before");
  logDelivery(log, event, result, kept === "new");
  if (kept === "new" && (hasJob(result) || beside.length > 0 || REACHING.has(event))) route(delivery, at);
  return "kept";
}

/** They change what the App reaches: whoever subscribed to them is told also where no job follows. */
const REACHING: ReadonlySet<string> = new Set(["installation", "installation_repositories"]);

/** Null when it is not a JSON object. */
function parsed(body: readonly Buffer[]): object | null {
  try {
    const value: unknown = JSON.parse(Buffer.concat(body).toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** As much of it as tells an object from something else. */
const HEAD_BYTES = 100;

function unread(body: readonly Buffer[]): object | null {
  const head = Buffer.concat(body, HEAD_BYTES).toString("latin1");
  return /^[ \t\r\n]{0,100}\{/.test(head) ? {} : null;
}

/** Probot tells whoever subscribed. Its failure costs nothing: the job is kept, and workers look for themselves. */
function route(delivery: { readonly id: string; readonly event: string; readonly payload: unknown }, at: Taking): void {
  const event = { id: delivery.id, name: delivery.event, payload: delivery.payload };
  Promise.resolve()
    .then(() => at.probot.webhooks.receive(event as Parameters<typeof at.probot.webhooks.receive>[0]))
    .catch((error: unknown) => {
      at.reception.log.debug({ event: delivery.event, err: error }, "not routed: the lanes are woken all the same");
      at.wake();
    });
}

type Received = ReturnType<typeof receive>;

/** Before a repository's first review: what its configuration says unless it says otherwise. */
const PUSH_WAIT_MS = 10_000;

/** A push may be the first of a flurry: it waits as long as its repository wishes. Whoever asks in person does not. */
async function debounced(result: Received, { waits }: Taking["store"], now: number): Promise<Received> {
  if (result.kind !== "review" || result.trigger !== "synchronize") return result;
  return { ...result, notBefore: now + ((await waits.of(result.repo)) ?? PUSH_WAIT_MS) };
}

/** What people may have done and said is learnt beside whatever else the delivery asks. */
function withUpkeep(
  result: Received,
  learning: readonly UpkeepJob[],
): { readonly result: Received; readonly beside: readonly UpkeepJob[] } {
  if (learning.length === 0) return { result, beside: [] };
  if (result.kind !== "ignored") return { result, beside: learning };
  return { result: { kind: "upkeep", delivery: result.delivery, jobs: learning }, beside: [] };
}

function hasJob(result: Received): boolean {
  return result.kind === "review" || result.kind === "command" || result.kind === "upkeep";
}

function logDelivery(log: Logger, event: string, result: Received, isNew: boolean): void {
  log.info({ ...told(result), event, kind: isNew ? result.kind : "seen before" }, "delivery");
}

/** A delivery for the log: of a comment who and what kind, not its words. */
function told(result: Received): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = result;
  if (result.kind === "upkeep") return { ...rest, jobs: result.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) };
  if (result.kind !== "command") return rest;
  const { command, comment, pull: __, ...known } = result;
  return { ...known, command: command.kind === "verb" ? command.verb : command.kind, by: comment.author.id };
}

/** A delivery can name thousands of repositories. */
const LOGGED_JOBS = 20;
