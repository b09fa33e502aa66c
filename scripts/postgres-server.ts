// Starts and stops a PostgreSQL of our own on loopback: a data folder that goes with it, a port of
// its own, no password.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { CACHE, IMAGE, type Means, type Programs } from "./postgres-providers.ts";

/** A server that runs, as it is recorded for stopping it. */
export interface Running {
  readonly url: string;
  /** Of the server; null for a container. */
  readonly pid: number | null;
  readonly container: string | null;
  /** As we see it; removed with the server unless it was asked for by name. */
  readonly data: string | null;
  readonly keeps: boolean;
}

export interface ServerSettings {
  readonly port: number | null;
  /** Null for one that goes with the server. */
  readonly data: string | null;
  /** Commits need not reach the disk: for tests, which ask for thousands. */
  readonly quick: boolean;
}

const USER = "kodiai";
const DATABASE = "kodiai";

/**
 * Starts a server and waits until it answers. Throws with its last words when it does not within a
 * minute.
 */
export async function startServer(means: Means, settings: ServerSettings): Promise<Running> {
  const port = settings.port ?? (await freePort());
  const running = means.kind === "docker" ? inContainer(port) : fromPrograms(means, port, settings);
  try {
    await untilAnswers(running);
    return running;
  } catch (error) {
    await stopServer(running);
    throw error;
  }
}

/** Stops it by its own id, and waits for its end. What it left is removed. */
export async function stopServer({ pid, container, data, keeps }: Running): Promise<void> {
  if (container !== null) spawnSync("docker", ["stop", "--time", "10", container]);
  if (pid !== null && isOurs(pid, data)) {
    process.kill(pid, "SIGINT");
    for (let turn = 0; turn < 100 && isOurs(pid, data); turn += 1) await wait(100);
    if (isOurs(pid, data)) process.kill(pid, "SIGQUIT");
  }
  if (data !== null && !keeps) rmSync(data, { recursive: true, force: true });
}

/** An id is used again once its process ended: ours names the data folder. */
export function isOurs(pid: number, data: string | null): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return data === null || command.includes(data.slice(data.lastIndexOf("/") + 1));
  } catch {
    return false;
  }
}

function fromPrograms(means: Programs, port: number, settings: ServerSettings): Running {
  const name = `postgres-${process.pid}-${port}`;
  const data = settings.data ?? join(means.root === "" ? CACHE : join(means.root, "var/tmp"), name);
  const seen = data.startsWith(`${means.root}/`) ? data.slice(means.root.length) : data;
  if (means.root !== "" && seen === data) throw new Error(`the data folder must lie in ${means.root}`);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (means.owner !== null) chownSync(data, means.owner.uid, means.owner.gid);
  const keeps = settings.data !== null;
  const [program = "", ...before] = [...means.before, `${means.bin}/initdb`];
  const made = spawnSync(
    program,
    [...before, "-D", seen, "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    { encoding: "utf8", cwd: "/" },
  );
  if (made.status !== 0 && !/exists but is not empty/.test(made.stderr)) {
    if (!keeps) rmSync(data, { recursive: true, force: true });
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr.trim()}`);
  }
  const log = openSync(join(data, "server.log"), "a", 0o600);
  const [first = "", ...rest] = [...means.before, `${means.bin}/postgres`];
  const child: ChildProcess = spawn(first, [...rest, "-D", seen, "-p", String(port), ...options(settings)], {
    stdio: ["ignore", log, log],
    detached: true,
    cwd: "/",
  });
  child.unref();
  const url = `postgres://${USER}@127.0.0.1:${port}/${DATABASE}`;
  return { url, pid: child.pid ?? null, container: null, data, keeps };
}

/** Shared memory in files: a folder with a system of its own has no /dev/shm. */
function options({ quick }: ServerSettings): string[] {
  const given = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    dynamic_shared_memory_type: "mmap",
    max_connections: "200",
    shared_buffers: "256MB",
    ...(quick ? { fsync: "off", full_page_writes: "off", synchronous_commit: "off", autovacuum_naptime: "5min" } : {}),
  };
  return Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function inContainer(port: number): Running {
  const env = ["-e", `POSTGRES_USER=${USER}`, "-e", `POSTGRES_DB=${DATABASE}`, "-e", "POSTGRES_HOST_AUTH_METHOD=trust"];
  const args = ["run", "--rm", "--detach", "--publish", `127.0.0.1:${port}:5432`, ...env, IMAGE];
  const made = spawnSync("docker", args, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`docker could not start ${IMAGE}: ${made.stderr.trim()}`);
  const url = `postgres://${USER}@127.0.0.1:${port}/${DATABASE}`;
  return { url, pid: null, container: made.stdout.trim(), data: null, keeps: false };
}

async function untilAnswers({ url, pid, data }: Running): Promise<void> {
  const admin = url.replace(/\/[^/]*$/, "/postgres");
  for (let turn = 0; ; turn += 1) {
    const client = new pg.Client({ connectionString: admin, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      const known = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
      if (known.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      return;
    } catch (error) {
      // A process that was just begun does not yet have its program's command line.
      const isGone = turn > 5 && pid !== null && !isOurs(pid, data);
      if (turn > 300 || isGone) throw new Error(`${lastWords(data)} (${String(error)})`);
      await wait(200);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

function lastWords(data: string | null): string {
  try {
    return readFileSync(join(data ?? "", "server.log"), "utf8")
      .trim()
      .split("\n")
      .slice(-3)
      .join(" ");
  } catch {
    return "the server does not answer";
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
