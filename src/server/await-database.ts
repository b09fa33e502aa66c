// Before the server: a database that does not answer yet is waited for, and whoever asks meanwhile is told. Machines of one installation
// start in any order, and a database that is restarted takes half a minute.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Transient } from "../domain/transient.ts";
import { closed, listening } from "./http-door.ts";

interface At {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseWait extends At {
  /** Where whoever runs Kodiai asks. */
  readonly admin?: At | null;
  readonly log: Logger;
  /** Ends the wait: nobody wants the server any more. */
  readonly unwanted?: AbortSignal;
  readonly mostMs?: number;
}

/** A database that is started, restarted or failed over is there in less; an orchestrator that sees the end tries again. */
const MOST_MS = 120_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Returns when the database answers; at once where it does. Until then both ports listen: `/healthz` says that the process lives,
 * `/readyz` why it is not ready, and deliveries are answered with 503.
 *
 * @param ask rejects with Transient where another try may find it, with anything else where it will not
 * @throws what `ask` threw: at once what is not Transient, else the last one after `mostMs`, or when nobody wants it any more
 */
export async function awaitDatabase(ask: () => Promise<void>, wait: DatabaseWait): Promise<void> {
  const { log, unwanted, mostMs = MOST_MS } = wait;
  const since = performance.now();
  let problem = await passing(ask);
  if (problem === null) return;
  const told = { reason: problem.message };
  const doors = [await openDoor(wait, (path) => publicAnswer(path))];
  if (wait.admin) doors.push(await openDoor(wait.admin, (path) => adminAnswer(path, told.reason)));
  try {
    for (let pause = FIRST_PAUSE_MS; problem !== null; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const left = mostMs - (performance.now() - since);
      if (left <= 0 || unwanted?.aborted === true) throw problem;
      told.reason = problem.message;
      log.warn(
        { reason: problem.message, forSeconds: Math.round((mostMs - left) / 1_000) },
        "waiting for the database",
      );
      await sleep(Math.min(pause, left), null, { signal: unwanted }).catch(() => {});
      problem = await passing(ask);
    }
    log.info("the database answers");
  } finally {
    await Promise.all(doors.map((close) => close()));
  }
}

async function passing(ask: () => Promise<void>): Promise<Transient | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    if (error instanceof Transient) return error;
    throw error;
  }
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

function publicAnswer(path: string): Answer {
  return path === "/healthz" ? { status: 200, body: { ok: true } } : notYet([]);
}

function adminAnswer(path: string, reason: string): Answer {
  return path === "/healthz" ? { status: 200, body: { ok: true, waits: reason } } : notYet([reason]);
}

function notYet(reasons: readonly string[]): Answer {
  return { status: 503, body: { ok: false, reasons: [...reasons, "the database is waited for"] } };
}

/** @returns what closes it */
async function openDoor(at: At, answerOf: (path: string) => Answer): Promise<() => Promise<void>> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = answerOf(request.url?.split("?")[0] ?? "");
    // What is sent is not read, so the connection ends with it.
    const headers = { "content-type": "application/json", "cache-control": "no-store", connection: "close" };
    response.writeHead(status, headers).end(JSON.stringify(body));
    request.resume();
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await listening(server, at);
  return () => closed(server);
}
