// Runs the app in its process: from settings to a listening server, and from a signal to the exit.

import { pino } from "pino";
import type { Env } from "../config/environment/env.ts";
import { DatabaseRefuses, StoreUnusable, Transient } from "../domain/errors.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { logWithoutSecrets } from "../wire/secrets.ts";
import { databaseAnswers } from "../wire/store.ts";
import type { AppOptions, RunningApp } from "./app-options.ts";
import { AppRefused, awaitDatabase } from "./await-answer.ts";
import { endWith3 } from "./guard-exit.ts";
import type { Signals } from "./handle-signals.ts";
import { unavailableServers } from "./sweeps/unavailable-servers.ts";

/** An orchestrator kills a process after 30 s; draining ends earlier. */
const MOST_STOP_MS = 28_000;
/** Pause before a failed start exits: an immediate restart would load a machine in trouble. */
const START_AGAIN_MS = 5_000;

/**
 * Starts the app. A signal then stops it, and the process exits with 0. If it cannot start, it
 * prints why and exits: with 3, after a pause, when a restart may help; else with 2.
 *
 * @param refuse prints the problems
 * @param inProcess whether jobs run in this process
 * @throws Error when the start fails for another reason
 */
export async function serve(
  env: Env,
  privateKey: string,
  signals: Signals,
  refuse: (problems: readonly string[], mayPass?: boolean) => void,
  inProcess = false,
): Promise<void> {
  const isPretty = env.logFormat === "pretty";
  const output = isPretty ? (await import("pino-pretty")).PinoPretty({ sync: true }) : pino.destination(1);
  const { log, lines } = openLog(env.logLevel, (line) => void output.write(line));
  const unwanted = new AbortController();
  const started = startOrRefuse({
    ...env,
    privateKey,
    inProcess,
    apiUrl: env.githubApiUrl,
    admin: { host: env.adminHost, port: env.adminPort },
    pace: true,
    unwanted: unwanted.signal,
    log,
  });
  signals.onStop((signal) => {
    log.info({ signal }, "stopping: refusing deliveries, finishing running jobs; waiting jobs stay queued");
    unwanted.abort();
    const end = async (code: number) => {
      await lines.drained();
      process.exit(code);
    };
    setTimeout(() => {
      log.error("shutdown timed out; running jobs will be retried on the next start");
      void end(3);
    }, MOST_STOP_MS).unref();
    // A failed start needs no stop.
    const stopped = started.catch(() => null).then((app) => app?.close());
    stopped.then(
      () => end(0),
      (error: unknown) => {
        log.error({ err: error }, "did not stop cleanly");
        return end(3);
      },
    );
  });
  try {
    await started;
  } catch (error) {
    if (signals.received()) return;
    const problem = startProblem(error, env);
    if (problem === null) throw error;
    refuse([problem.text], problem.mayPass);
    await lines.drained();
    if (problem.mayPass) await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
    process.exit(problem.mayPass ? 3 : 2);
  }
}

/**
 * The log of a process, which also gets the error that ends the process.
 *
 * @param handOn receives one line with its line end
 */
export function openLog(level: string, handOn: (line: string) => void) {
  const lines = logWithoutSecrets(handOn);
  const log = pino({ level, serializers: { err: loggedError, error: loggedError } }, lines);
  // Node would print the whole error, with everything that a client attached to it.
  const crash = (error: unknown) => {
    const end = () => process.exit(3);
    log.fatal({ err: error }, "crashed");
    lines.drained().then(end, end);
  };
  process.off("uncaughtException", endWith3).on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  return { log, lines };
}

/** The app; or servers that answer 503 when its store is unusable: restarts would not help. */
async function startOrRefuse(options: AppOptions): Promise<Pick<RunningApp, "close">> {
  const { databaseUrl = null } = options;
  // Fails when a port is in use, before any worker takes a job.
  await (await unavailableServers(options, () => ({ reason: "it is starting", detail: "it is starting" }))).close();
  try {
    if (databaseUrl !== null) await awaitDatabase(() => databaseAnswers(databaseUrl), options);
    // On demand, since the worker process needs the log and not the app.
    const { startApp } = await import("../app.ts");
    return await startApp(options);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    const { message: detail } = error;
    const servers = await unavailableServers(options, () => ({ reason: "the store cannot be used", detail }));
    options.log.fatal({ url: servers.url }, `Kodiai is unavailable and answers 503: ${detail}`);
    return servers;
  }
}

/**
 * Why the app does not start; null for a bug.
 *
 * @returns `text` is one line that names the variable; `mayPass` if a restart may help
 */
function startProblem(error: unknown, env: Env) {
  const passing = (text: string) => ({ text, mayPass: true });
  const lasting = (text: string) => ({ text, mayPass: false });
  if (error instanceof Transient && env.databaseUrl !== null) {
    return passing(`DATABASE_URL: ${error.message}, also after retries; check the address, the server and the network`);
  }
  if (error instanceof Transient) return passing(`KODIAI_DATA_DIR: ${error.message}`);
  if (error instanceof AppRefused) {
    return passing(
      `APP_ID, PRIVATE_KEY: GitHub still refuses them after retries (${error.message}); run \`kodiai doctor\``,
    );
  }
  if (error instanceof DatabaseRefuses) return lasting(error.message);
  const { code = "", syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (syscall === "listen" || syscall === "getaddrinfo") {
    const text = listenProblem(code, port === env.adminPort, env);
    return code === "EADDRINUSE" || code === "EAI_AGAIN" ? passing(text) : lasting(text);
  }
  if (NO_ROOM.has(code)) return passing("KODIAI_DATA_DIR: the disk is full");
  return FOLDER_ERRORS.has(code)
    ? lasting(
        `KODIAI_DATA_DIR: ${env.dataDir} cannot be written (${code}); check the path, its permissions and the disk`,
      )
    : null;
}

const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);
const FOLDER_ERRORS: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
  "ENOENT",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
]);

function listenProblem(code: string, isAdmin: boolean, env: Env): string {
  const [name, port] = isAdmin ? ["KODIAI_ADMIN_PORT", env.adminPort] : ["PORT", env.port];
  if (code === "EADDRINUSE") return `${name}: port ${port} is in use; set another`;
  if (code === "EACCES") return `${name}: permission denied for port ${port}; use a port ≥ 1024`;
  return `${isAdmin ? "KODIAI_ADMIN_HOST" : "HOST"} is not an address of this machine`;
}

// Errors in the log have listed fields only: HTTP clients attach requests, headers and whole
// responses to theirs.

/** Depth of causes; also ends a cyclic chain. */
const CAUSES = 5;
const MESSAGE = 2_000;
const STACK = 6_000;

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly status?: number;
  readonly cause?: LoggedError;
}

/**
 * @param error any thrown value
 * @returns only these fields, each bounded; the log's own redaction removes secrets from the texts
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: shortText(error, MESSAGE) };
  const { code, status, cause } = error as Error & Readonly<Record<"code" | "status", unknown>>;
  return {
    type: shortText(error.name, 100),
    message: shortText(error.message, MESSAGE),
    ...(error.stack === undefined ? {} : { stack: shortText(error.stack, STACK) }),
    ...(typeof code === "string" && /^\w{1,60}$/.test(code) ? { code } : {}),
    ...(typeof status === "number" ? { status } : {}),
    ...(cause === undefined || cause === null || depth >= CAUSES ? {} : { cause: loggedError(cause, depth + 1) }),
  };
}

function shortText(value: unknown, most: number): string {
  const text = typeof value === "string" ? value : typeof value === "object" ? "(an object)" : String(value);
  return cutText(text, most).toWellFormed();
}
