// Before the server: somebody who does not answer yet, a database or GitHub, is waited for, and whoever asks meanwhile is told. Ending
// instead would be a loop of starts, and of questions to who has trouble already.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { closed, listening } from "./http-door.ts";

interface At {
  readonly host: string;
  readonly port: number;
}

export interface Wait extends At {
  /** Where whoever runs Kodiai asks. */
  readonly admin?: At | null;
  readonly log: Logger;
  /** Ends the wait: nobody wants the server any more. */
  readonly unwanted?: AbortSignal;
}

export interface Awaited<T> {
  /** `the database`. */
  readonly name: string;
  readonly ask: () => Promise<T>;
  /** How many milliseconds such an error is borne, counted from the first of the same patience; null: not at all. */
  readonly patienceMs: (error: unknown) => number | null;
  readonly longestPauseMs: number;
}

const FIRST_PAUSE_MS = 500;

/**
 * Returns what `ask` did; at once where it answers. Until then both ports listen: `/healthz` says that the process lives, `/readyz` why
 * it is not ready, and deliveries are answered with 503.
 *
 * @throws what `ask` threw: at once where patience has no time for it, else the last one after that time, or when nobody wants it any more
 */
export async function awaitAnswer<T>(awaited: Awaited<T>, wait: Wait): Promise<T> {
  const { name, longestPauseMs } = awaited;
  const { log, unwanted } = wait;
  const began = performance.now();
  let tried = await attempt(awaited);
  if (!("error" in tried)) return tried.answer;
  const told = { name, reason: said(tried.error) };
  const doors = [await openDoor(wait, (path) => publicAnswer(path, told))];
  if (wait.admin) doors.push(await openDoor(wait.admin, (path) => adminAnswer(path, told)));
  try {
    let since = began;
    for (let pause = FIRST_PAUSE_MS; "error" in tried; pause = Math.min(pause * 2, longestPauseMs)) {
      const { error, mostMs } = tried;
      const left = mostMs - (performance.now() - since);
      if (left <= 0 || unwanted?.aborted === true) throw error;
      told.reason = said(error);
      const forSeconds = Math.round((performance.now() - began) / 1_000);
      log.warn({ reason: told.reason, forSeconds }, `waiting for ${name}`);
      await sleep(Math.min(pause, left), null, { signal: unwanted }).catch(() => {});
      tried = await attempt(awaited);
      // Another kind of trouble is borne for a time of its own.
      if ("error" in tried && tried.mostMs !== mostMs) since = performance.now();
    }
    log.info(`${name} answers`);
    return tried.answer;
  } finally {
    await Promise.all(doors.map((close) => close()));
  }
}

type Tried<T> = { readonly answer: T } | { readonly error: unknown; readonly mostMs: number };

async function attempt<T>({ ask, patienceMs }: Awaited<T>): Promise<Tried<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    const mostMs = patienceMs(error);
    if (mostMs === null) throw error;
    return { error, mostMs };
  }
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : "it does not answer";
}

interface Told {
  readonly name: string;
  readonly reason: string;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

function publicAnswer(path: string, { name }: Told): Answer {
  return path === "/healthz" ? { status: 200, body: { ok: true } } : notYet([], name);
}

function adminAnswer(path: string, { name, reason }: Told): Answer {
  return path === "/healthz" ? { status: 200, body: { ok: true, waits: reason } } : notYet([reason], name);
}

function notYet(reasons: readonly string[], name: string): Answer {
  return { status: 503, body: { ok: false, reasons: [...reasons, `${name} is waited for`] } };
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
