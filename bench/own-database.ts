// A PostgreSQL for a benchmark: a server of its own by the best means at hand, and a database in
// one that is dropped afterwards.
import pg from "pg";
import { findMeans } from "../scripts/postgres-providers.ts";
import { startServer } from "../scripts/postgres-server.ts";

/** @throws Error where none can be had */
export async function ownServer() {
  const means = findMeans((line) => console.error(line));
  if (means.kind === "none") throw new Error(`no PostgreSQL: ${means.why.join("; ")}`);
  return startServer(means, { port: null, data: null, quick: false });
}

let made = 0;

/** @param admin the address of a server, whose user may make databases */
export async function inDatabase<T>(admin: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `kodiai_bench_${process.pid}_${++made}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
    const url = new URL(admin);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}
