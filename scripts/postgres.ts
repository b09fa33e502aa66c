// A real PostgreSQL 17 with pgvector on loopback, by the best means at hand, for tests, benchmarks
// and a first look.
//
//   npm run postgres                      starts one, prints its address, runs until interrupted
//   npm run -s postgres -- --detach       starts one, or finds the running one; prints its address
//   npm run -s postgres -- --stop         stops what --detach started
//
//   --port N     its port, else a free one
//   --data DIR   keeps the data there, else they go with the server
//   --quick      commits need not reach the disk: for tests
//
// DATABASE_URL, when set, is taken as it is and nothing is started. Exit 1 when no server can be
// had; standard error says why.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CACHE, findMeans } from "./postgres-providers.ts";
import { isOurs, type Running, startServer, stopServer } from "./postgres-server.ts";

const asked = optionsGiven();

/** What --detach started. */
const NOTE = join(CACHE, "postgres-running.json");

const say = (line: string) => process.stderr.write(`${line}\n`);
const tell = (url: string) => void process.stdout.write(`DATABASE_URL=${url}\n`);

function noted(): Running | null {
  if (!existsSync(NOTE)) return null;
  const note = JSON.parse(readFileSync(NOTE, "utf8")) as Running;
  return note.pid === null || isOurs(note.pid, note.data) ? note : null;
}

async function stop(): Promise<void> {
  const running = noted();
  if (running === null) say("nothing to stop");
  else await stopServer(running);
  rmSync(NOTE, { force: true });
}

async function start(): Promise<void> {
  const given = process.env.DATABASE_URL;
  if (given?.startsWith("postgres")) {
    tell(given);
    return;
  }
  const known = asked.detach ? noted() : null;
  if (known !== null) {
    tell(known.url);
    return;
  }
  const means = findMeans(say);
  if (means.kind === "none") {
    for (const line of means.why) say(line);
    say("no PostgreSQL 17 with pgvector can be had here");
    process.exitCode = 1;
    return;
  }
  const port = asked.port === undefined ? null : Number(asked.port);
  const running = await startServer(means, { port, data: asked.data ?? null, quick: asked.quick });
  tell(running.url);
  if (asked.detach) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(NOTE, JSON.stringify(running), { mode: 0o600 });
    return;
  }
  await interrupted();
  await stopServer(running);
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  });
}

function optionsGiven() {
  const options = {
    detach: { type: "boolean", default: false },
    stop: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    port: { type: "string" },
    data: { type: "string" },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : error}; the head of scripts/postgres.ts lists all\n`,
    );
    process.exit(2);
  }
}

try {
  await (asked.stop ? stop() : start());
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
