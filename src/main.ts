// The server: reads the environment once, starts the app, ends it gracefully. `npm start`, and the container's command.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { pino } from "pino";
import { PinoPretty as pinoPretty } from "pino-pretty";
import { type AppOptions, type RunningApp, startApp } from "./app.ts";
import { type Env, readEnv } from "./config/env.ts";
import { StoreUnusable } from "./domain/store-unusable.ts";
import { closedDoor } from "./server/closed-door.ts";
import { privateKeyOf } from "./server/private-key.ts";
import { logWithoutSecrets } from "./wire.ts";

enableCompileCache();
// The real environment beats .env: loadEnvFile leaves alone what is set.
if (existsSync(".env")) process.loadEnvFile(".env");

const read = readEnv(process.env);
if ("problems" in read) refuse(read.problems);
else await serve(read.env);

function refuse(problems: readonly string[]): void {
  console.error(
    ["Kodiai does not start:", ...problems.map((problem) => `  - ${problem}`), "See .env.example."].join("\n"),
  );
  process.exitCode = 2;
}

async function serve(env: Env): Promise<void> {
  const output = env.logFormat === "pretty" ? pinoPretty({ sync: true }) : pino.destination(1);
  const lines = logWithoutSecrets((line) => void output.write(line));
  const log = pino({ level: env.logLevel }, lines);
  const app = await startOrRefuse({
    appId: env.appId,
    privateKey: privateKeyOf(env),
    webhookSecret: env.webhookSecret,
    webhookPath: env.webhookPath,
    githubHost: env.githubHost,
    apiUrl: env.githubApiUrl,
    host: env.host,
    port: env.port,
    dataDir: env.dataDir,
    reviewerLogin: env.reviewerLogin,
    workers: env.workers,
    dryRun: env.dryRun,
    embeddings: env.embeddings,
    model: env.model,
    reranker: env.reranker,
    pace: true,
    log,
  });

  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping: running jobs may end, waiting ones stay queued");
    const end = async (code: number) => {
      await lines.drained();
      process.exit(code);
    };
    app.close().then(
      () => end(0),
      (error: unknown) => {
        log.error({ err: error }, "did not stop cleanly");
        return end(1);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
}

/** The app; or, where its store cannot be used, a door that turns everybody away. */
async function startOrRefuse(options: AppOptions): Promise<Pick<RunningApp, "close">> {
  try {
    return await startApp(options);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    const door = await closedDoor(options);
    options.log.fatal({ url: door.url }, `Kodiai does not serve, and answers 503: ${error.message}`);
    return door;
  }
}
