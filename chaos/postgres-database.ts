// A PostgreSQL for one run: a database of its own, a proxy in front of it that can cut connections,
// and disturbances of both.
import pg from "pg";
import { findMeans } from "../scripts/postgres-providers.ts";
import { type Running, startServer, stopServer } from "../scripts/postgres-server.ts";
import { openWire, type WireCutter } from "./database-proxy.ts";
import { type ActiveFaults, type Fault, happens } from "./faults.ts";
import type { StoreView } from "./ground-truth.ts";
import type { History, PullName } from "./history.ts";
import { postgresView } from "./postgres-view.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface PostgresDatabase {
  /** For servers: through the wire. */
  readonly url: string;
  /** Past the wire. */
  readonly direct: string;
  view(pullOf: (key: string) => PullName): StoreView;
  /** Holds the table of jobs for a while. */
  holdLock(forMs: number): void;
  /**
   * How often the database was kept from processes for so long that others may have taken their
   * jobs.
   */
  takeovers(): number;
  close(): Promise<void>;
}

export interface StageOptions {
  /** `postgres` starts a server of its own; else the address of one that takes new databases. */
  readonly store: string;
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  readonly say: (line: string) => void;
  /** How many jobs run, on whichever server. Absent: some always do. */
  readonly running?: () => Promise<number>;
}

const OWN = "postgres";

export async function openPostgresDatabase(options: StageOptions): Promise<PostgresDatabase> {
  const { store, random, activeFaults, history, running = async () => 1 } = options;
  const own = store === OWN ? await ownServer(options.say) : null;
  const admin = own?.url() ?? store;
  const name = `kodiai_chaos_${process.pid}_${Date.now().toString(36)}`;
  await once(admin, `CREATE DATABASE ${name}`);
  const direct = at(admin, { database: name });
  const target = new URL(direct);
  const wire = await openWire({ host: target.hostname, port: Number(target.port || 5432) });
  const foe = databaseFoe({ wire, direct, own, random, activeFaults, history, running });
  return {
    url: at(direct, { host: "127.0.0.1", port: wire.port }),
    direct,
    view: (pullOf) => postgresView(direct, pullOf),
    holdLock: (forMs) => void holdLock(direct, forMs),
    takeovers: foe.takeovers,
    async close() {
      await foe.stop();
      await wire.close();
      await once(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => {});
      await own?.stop();
    },
  };
}

interface OwnServer {
  url(): string;
  /** Ends at once, as in a crash, and starts again on its data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function ownServer(say: (line: string) => void): Promise<OwnServer> {
  const means = findMeans(say);
  if (means.kind !== "programs")
    throw new Error("only a PostgreSQL among the programs of this machine can be restarted");
  let running: Running = await startServer(means, { port: null, data: null, quick: false });
  const port = Number(new URL(running.url).port);
  return {
    url: () => running.url,
    async restart() {
      const { pid, data } = running;
      if (pid !== null) process.kill(pid, "SIGQUIT");
      await wait(500);
      await stopServer({ ...running, keeps: true });
      running = { ...(await startServer(means, { port, data, quick: false })), keeps: false };
    },
    stop: () => stopServer(running),
  };
}

interface FoeOptions extends Pick<StageOptions, "random" | "activeFaults" | "history"> {
  readonly running: () => Promise<number>;
  readonly wire: WireCutter;
  readonly direct: string;
  readonly own: OwnServer | null;
}

/**
 * Half-open connections are given up after 15 s, and a process that could not beat for 20 s has
 * lost its jobs.
 */
const TAKES_OVER: ReadonlySet<Fault> = new Set<Fault>(["swallow", "restart"]);
const OF_DATABASES = ["backends", "cut", "swallow", "full", "slow", "restart"] as const;

/** After that it disturbs any server. */
const WORK_PATIENCE_MS = 6_000;

/** One thing at a time, with a pause after each. */
function databaseFoe({ wire, direct, own, random, activeFaults, history, running }: FoeOptions) {
  let isOver = false;
  let takeovers = 0;
  let struck = 0;
  const note = (what: string, forMs: number) =>
    history.note({ kind: "trouble", at: Date.now(), what, until: Date.now() + forMs, running: struck });
  /** Only a running job can be interrupted. */
  const whenAtWork = async () => {
    const until = performance.now() + WORK_PATIENCE_MS;
    do {
      struck = await running().catch(() => 0);
      if (struck > 0) return;
      await wait(200);
    } while (performance.now() < until && !isOver);
  };
  const acts: Readonly<Record<(typeof OF_DATABASES)[number], () => Promise<void>>> = {
    async backends() {
      const rounds = 3 + random.below(8);
      note(`the sessions of the database are ended ${rounds} times`, rounds * 250 + 2_000);
      for (let round = 0; round < rounds; round++) {
        await once(direct, END_SESSIONS).catch(() => {});
        await wait(250);
      }
    },
    async cut() {
      note(`${wire.cut(random.chance(0.5) ? 1 : 0.5)} connections to the database are cut`, 2_000);
    },
    async swallow() {
      note(`${wire.swallow()} connections to the database are half-open`, 30_000);
      await wait(10_000);
    },
    async full() {
      const forMs = random.between(1_000, 4_000);
      note(`the database takes no new connection, ${wire.cut(0.7)} were cut`, forMs + 2_000);
      wire.fill(forMs);
      await wait(forMs);
    },
    async slow() {
      const forMs = random.between(1_000, 5_000);
      note("the way to the database is slow", forMs + 5_000);
      wire.slow(random.between(50, 700), forMs);
      await wait(forMs);
    },
    async restart() {
      if (own === null) return;
      note("the database server crashes and starts again", 15_000);
      await own.restart();
    },
  };
  const works = (async () => {
    while (!isOver) {
      await wait(random.between(6_000, 16_000));
      const act = random.pick(OF_DATABASES);
      if (isOver || !happens(activeFaults, act) || (act === "restart" && !random.chance(0.5))) continue;
      await whenAtWork();
      if (isOver || !happens(activeFaults, act)) continue;
      if (TAKES_OVER.has(act)) takeovers++;
      await acts[act]().catch((error: unknown) => note(`${act} failed: ${String(error)}`, 0));
    }
  })();
  return {
    takeovers: () => takeovers,
    async stop() {
      isOver = true;
      await works;
    },
  };
}

/** Of the servers under test, not of the harness. */
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'kodiai%'`;

async function holdLock(url: string, forMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN");
    await client.query("SET LOCAL lock_timeout = 2000");
    await client.query("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE");
    await wait(forMs);
  } catch {
    // Not there yet, or ended by another disturbance.
  } finally {
    await client.end().catch(() => {});
  }
}

async function once(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => {});
  }
}

function at(url: string, to: { readonly database?: string; readonly host?: string; readonly port?: number }): string {
  const changed = new URL(url);
  if (to.database !== undefined) changed.pathname = `/${to.database}`;
  if (to.host !== undefined) changed.hostname = to.host;
  if (to.port !== undefined) changed.port = String(to.port);
  return changed.href;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
