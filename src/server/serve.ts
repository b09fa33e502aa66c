// The app in its process: from the settings to a listening server, and from a signal to the end.
import { pino } from "pino";
import { PinoPretty as pinoPretty } from "pino-pretty";
import { startApp } from "../app.ts";
import type { Env } from "../config/env.ts";
import type { ShownVariable } from "../config/shown-variables.ts";
import { DatabaseRefuses, StoreUnusable, Transient } from "../domain/errors.ts";
import { logWithoutSecrets } from "../wire/secrets.ts";
import { databaseAnswers } from "../wire/store.ts";
import type { AppOptions, RunningApp } from "./app-options.ts";
import { awaitAnswer, type Wait } from "./await-answer.ts";
import { closedDoors } from "./closed-door.ts";
import type { Signals } from "./heed-signals.ts";
import { loggedError } from "./logged-error.ts";
import { AppRefused } from "./own-slug.ts";

/** An orchestrator gives up on a process after 30 s; draining ends before. */
const MOST_STOP_MS = 28_000;
/** Before a start that failed ends: what starts it again at once would only load a machine that has trouble already. */
const START_AGAIN_MS = 5_000;

/**
 * Starts the app; from then on a signal stops it, and the process ends with 0.
 *
 * Where it cannot start it says why and ends: with 1, after a pause, where starting it again may help, and with 2 where a person
 * must change something first.
 *
 * @param refuse prints why
 * @param variables what the dashboard shows of the environment
 * @throws Error when it does not start for another reason
 */
export async function serve(
  env: Env,
  privateKey: string,
  signals: Signals,
  refuse: (problems: readonly string[], mayPass?: boolean) => void,
  variables: readonly ShownVariable[] | null = null,
): Promise<void> {
  const output = env.logFormat === "pretty" ? pinoPretty({ sync: true }) : pino.destination(1);
  const lines = logWithoutSecrets((line) => void output.write(line));
  const log = pino({ level: env.logLevel, serializers: { err: loggedError, error: loggedError } }, lines);
  sayCrashes((error) => {
    log.fatal({ err: error }, "crashed");
    return lines.drained();
  });
  const unwanted = new AbortController();
  const started = startOrRefuse({
    ...env,
    privateKey,
    variables,
    apiUrl: env.githubApiUrl,
    admin: { host: env.adminHost, port: env.adminPort },
    pace: true,
    unwanted: unwanted.signal,
    log,
  });
  signals.stopBy((signal) => {
    log.info({ signal }, "stopping: deliveries are refused, running jobs may end, waiting ones stay queued");
    unwanted.abort();
    const end = async (code: number) => {
      await lines.drained();
      process.exit(code);
    };
    setTimeout(() => {
      log.error("did not stop in time; what still ran waits again at the next start");
      void end(1);
    }, MOST_STOP_MS).unref();
    stopped(started).then(
      () => end(0),
      (error: unknown) => {
        log.error({ err: error }, "did not stop cleanly");
        return end(1);
      },
    );
  });
  try {
    await started;
  } catch (error) {
    if (signals.came()) return;
    const problem = startProblem(error, env);
    if (problem === null) throw error;
    refuse([problem.text], problem.mayPass);
    await lines.drained();
    if (problem.mayPass) await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
    process.exit(problem.mayPass ? 1 : 2);
  }
}

/** Node would print the error as it is, with whatever a client hung on it. */
function sayCrashes(say: (error: unknown) => Promise<void>): void {
  const crash = (error: unknown) => {
    const end = () => process.exit(1);
    say(error).then(end, end);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}

/** The app; or, where its store cannot be used, ports that say so: starting again and again would change nothing. */
async function startOrRefuse(options: AppOptions): Promise<Pick<RunningApp, "close">> {
  const { databaseUrl = null } = options;
  // A port that is taken ends the start before any worker takes a job.
  await (await closedDoors(options, () => ({ reason: "it is starting", detail: "it is starting" }))).close();
  try {
    if (databaseUrl !== null) await awaitDatabase(() => databaseAnswers(databaseUrl), options);
    return await startApp(options);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    const { message: detail } = error;
    const doors = await closedDoors(options, () => ({ reason: "the store cannot be used", detail }));
    options.log.fatal({ url: doors.url }, `Kodiai does not serve, and answers 503: ${detail}`);
    return doors;
  }
}

/** What was begun is stopped as ever; what never came to be needs no stopping. */
async function stopped(started: Promise<Pick<RunningApp, "close">>): Promise<void> {
  const app = await started.catch(() => null);
  await app?.close();
}

interface StartProblem {
  /** One line that names the variable. */
  readonly text: string;
  /** Starting again may help, without anybody changing Kodiai's environment. */
  readonly mayPass: boolean;
}

/** Why the app does not start; null where it is a bug. */
function startProblem(error: unknown, env: Env): StartProblem | null {
  const passing = (text: string) => ({ text, mayPass: true });
  const lasting = (text: string) => ({ text, mayPass: false });
  if (error instanceof Transient && env.databaseUrl !== null) {
    return passing(
      `DATABASE_URL: ${error.message}, also after a while; check the address, the server and the way to it`,
    );
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
    ? lasting("KODIAI_DATA_DIR: the folder cannot be written; check the path, its permissions and the disk")
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
  if (code === "EADDRINUSE") return `${name}: ${port} is taken; take another`;
  if (code === "EACCES") return `${name}: ${port} needs rights that the process has not; take one from 1024 on`;
  return `${isAdmin ? "KODIAI_ADMIN_HOST" : "HOST"} is no address of this machine`;
}

// A database that does not answer yet is waited for: machines of one installation start in any order, and a database that is restarted
// takes half a minute.

/** A database that is started, restarted or failed over is there in less; an orchestrator that sees the end tries again. */
const MOST_MS = 120_000;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Returns when the database answers; see awaitAnswer.
 *
 * @param ask rejects with Transient where another try may find it, with anything else where it will not
 * @throws what `ask` threw: at once what is not Transient, else the last one after `mostMs`, or when nobody wants it any more
 */
export async function awaitDatabase(
  ask: () => Promise<void>,
  { mostMs = MOST_MS, ...wait }: Wait & { readonly mostMs?: number },
): Promise<void> {
  const patienceMs = (error: unknown) => (error instanceof Transient ? mostMs : null);
  await awaitAnswer({ name: "the database", ask, patienceMs, longestPauseMs: LONGEST_PAUSE_MS }, wait);
}
