// Runs statements on PostgreSQL, with a connection pool, time limits and translated errors.

import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { DatabaseRefuses, LeaseLost, StoreUnusable, Transient } from "../domain/errors.ts";
import { oneAtATime } from "../domain/one-at-a-time.ts";
import { noteDamage } from "./damage.ts";
import { POSTGRES, storable } from "./dialect.ts";
import { type Database, NESTED, ranBy, type Sql } from "./sql.ts";

const DEFAULTS = {
  /** A review sends a dozen queries at once, and a server allows 100 connections by default. */
  connections: 10,
  name: "kodiai",
  /** Milliseconds: of a statement, of waiting for a lock, of an idle (suspended) transaction. */
  statementMs: 30_000,
  lockMs: 5_000,
  silentMs: 60_000,
  /** True: idle connections do not keep the process alive. */
  isLastWord: false,
};

export type PostgresSettings = Readonly<Partial<typeof DEFAULTS>>;

const CONNECT_MS = 10_000;
/** An hour, for a script: rewriting a large table takes minutes. */
const SCRIPT_MS = 3_600_000;

/**
 * A database over PostgreSQL, which connects with the first statement.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`; never part of a message
 * @throws StoreUnusable when it is not a PostgreSQL URL
 */
export function openPostgres(url: string, settings: PostgresSettings = {}): Database {
  const { connections, name, statementMs, lockMs, silentMs, isLastWord } = { ...DEFAULTS, ...settings };
  const pool = new pg.Pool({
    connectionString: checked(url),
    max: connections,
    application_name: name,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: silentMs,
    connectionTimeoutMillis: CONNECT_MS,
    // For connections that were cut silently: by then the server's own limit has passed.
    query_timeout: statementMs + CONNECT_MS,
    keepAlive: true,
    allowExitOnIdle: isLastWord,
    // Acknowledged commits are on disk, whatever the server's default. JIT takes longer than
    // searches.
    options: "-c synchronous_commit=on -c jit=off",
    types: TYPES,
  });
  // Without a listener, an idle connection that ends would crash the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return {
    ...postgresDatabase({
      query: (text, values) => pool.query(text, values),
      begin: async () => transactionOn(await pool.connect()),
    }),
    script: (text) => runScript(pool, text),
    close: () => pool.end(),
  };
}

export interface Answered {
  readonly rows: readonly unknown[];
  /** Written rows; null or absent for statements that write none. */
  readonly rowCount?: number | null;
}

interface Held extends Pick<Runner, "query"> {
  /** After COMMIT or ROLLBACK; with `broken` the connection is closed. */
  release(broken: Error | null): void;
  broken(): Error | null;
}

/** Runs statements: the driver's pool, or PostgreSQL inside the process (in tests). */
export interface Runner {
  query(text: string, values: unknown[]): Promise<Answered>;
  begin(): Promise<Held>;
}

/** A database over a runner. */
export function postgresDatabase(runner: Runner): Omit<Database, "script" | "close"> {
  const inside = new AsyncLocalStorage<{ isOpen: boolean }>();
  const outside = async <T>(work: () => Promise<T>): Promise<T> => {
    // It would run on another connection, outside the transaction.
    if (inside.getStore()?.isOpen === true) throw new Error(NESTED);
    return work();
  };
  const transaction = <T>(begin: string, work: (tx: Sql) => Promise<T>) =>
    outside(async () => {
      const turn = { isOpen: true };
      try {
        return await inside.run(turn, () => inTransaction(runner, begin, work));
      } finally {
        turn.isOpen = false;
      }
    });
  return {
    ...ranBy(statements(runner.query), outside),
    transaction: (work) => transaction("BEGIN", work),
    snapshot: (work) => transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
  };
}

function statements(query: Runner["query"]): Sql {
  const ask = (text: string, values: readonly unknown[] = []) => query(text, values.map(fit)).catch(failed);
  return {
    dialect: POSTGRES,
    all: async <Row>(text: string, values?: readonly unknown[]) => [...(await ask(text, values)).rows] as Row[],
    one: async <Row>(text: string, values?: readonly unknown[]) => ((await ask(text, values)).rows[0] ?? null) as Row,
    run: async (text, values) => (await ask(text, values)).rowCount ?? 0,
  };
}

async function inTransaction<T>(runner: Runner, begin: string, work: (tx: Sql) => Promise<T>): Promise<T> {
  const held = await runner.begin().catch(failed);
  let hasEnded = false;
  let broken: Error | null = null;
  const sql = statements(async (text, values) => {
    if (hasEnded) throw new Error("the transaction has ended");
    return held.query(text, values);
  });
  try {
    await sql.run(begin);
    const answer = await work(sql);
    hasEnded = true;
    const ended = await held.query("COMMIT", []).catch(failed);
    // If `work` ignored a failed statement, PostgreSQL answers COMMIT with ROLLBACK and no error.
    if ("command" in ended && ended.command !== "COMMIT")
      throw new Error("the transaction was rolled back: a statement in it had failed");
    return answer;
  } catch (error) {
    hasEnded = true;
    // A connection that is lost or cannot roll back is closed, which ends the transaction.
    if (isCut(error)) broken = error;
    else
      await held.query("ROLLBACK", []).catch((failed: Error) => {
        broken = failed;
      });
    throw error;
  } finally {
    held.release(broken ?? held.broken());
  }
}

function failed(error: unknown): never {
  throw translated(error);
}

function transactionOn(client: pg.PoolClient): Held {
  let broken: Error | null = null;
  const listen = (error: Error) => {
    broken = error;
  };
  client.on("error", listen);
  // The driver must not queue a second statement.
  const inTurn = oneAtATime();
  return {
    query: (text, values) => inTurn(() => client.query(text, values)),
    broken: () => broken,
    release(error) {
      client.off("error", listen);
      client.release(error ?? undefined);
    },
  };
}

async function runScript(pool: pg.Pool, text: string): Promise<void> {
  const client = await pool.connect().catch(failed);
  try {
    await client.query(`SET statement_timeout = ${SCRIPT_MS}; SET lock_timeout = ${SCRIPT_MS}`);
    // A per-statement driver setting that its types lack.
    await client.query({ text, query_timeout: SCRIPT_MS } as pg.QueryConfig);
  } catch (error) {
    failed(error);
  } finally {
    // Closed, because its time limit is only for scripts.
    client.release(true);
  }
}

const INT8 = 20;
/** The driver's, but ids, counts and milliseconds become numbers, which represent them exactly. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(oid, format as "text"),
};

function fit(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value === "boolean") return Number(value);
  if (Array.isArray(value)) return value.map(fit);
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}

/** @throws StoreUnusable, whose message does not repeat the address, as it may hold a password */
function checked(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new StoreUnusable("DATABASE_URL is not an address like postgres://USER:PASSWORD@HOST:5432/DATABASE.");
}

// Translates errors of PostgreSQL: temporary ones become Transient, others stay.

/**
 * Temporary states (https://www.postgresql.org/docs/17/errcodes-appendix.html): connections (08), a
 * serialisation failure or deadlock (40001, 40P01), no resources (53), a lock or statement that
 * took too long (55P03, 57014), a server that stops, starts or ended the session (57P01–57P05,
 * 25P03), and one that is read-only after a failover (25006).
 */
const PASSING = /^(08...|40001|40P01|53...|55P03|57014|57P0[1-5]|25P03|25006)$/;

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Messages of driver errors without a code. */
const CUT =
  /^(Connection terminated|timeout (exceeded|expired)|Query read timeout|Client (has encountered|was closed)|Cannot use a pool|write after end)/i;

/** Whether a translated error means that its connection is lost. */
export function isCut(error: unknown): error is Transient {
  return error instanceof Transient && error.cause instanceof Error && CUT.test(error.cause.message);
}

/** Without a password: the driver's messages name host, port and user, and no values. */
export function translated(error: unknown): unknown {
  if ([Transient, StoreUnusable, LeaseLost, DatabaseRefuses].some((known) => error instanceof known)) return error;
  if (!(error instanceof Error)) return new Error(`the database failed: ${String(error)}`);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  noteDamage(code);
  if (PASSING.test(code)) return new Transient(`the database cannot be asked now (${code})`, null, error);
  if (UNREACHABLE.test(code) || CUT.test(error.message))
    return new Transient(`the database cannot be reached now (${code || "connection lost"})`, null, error);
  const fix = REFUSALS.find(([sign]) => sign.test(`${code} ${error.message}`))?.[1];
  return fix === undefined ? error : new DatabaseRefuses(fix);
}

/**
 * Why a server rejects the connection, and the fix, by code and message: SQLSTATE (see PASSING),
 * Node's certificate error code (https://nodejs.org/api/tls.html#x509-certificate-error-codes), or
 * words where a code is missing or too general. The texts hold no part of the address.
 */
const REFUSALS: readonly (readonly [sign: RegExp, fix: string])[] = [
  [/client password must be a (non-empty )?string/i, "the server asks for a password, and the address has none"],
  [
    /does not support SSL connections/i,
    "the server has no TLS; turn it on there (ssl = on), or leave sslmode out of the address if the network is trusted",
  ],
  [/no pg_hba[.]conf entry .*no encryption/i, "the server may require TLS; add ?sslmode=verify-full to the address"],
  [/is not currently accepting connections/i, "the server accepts no connections to this database; name another one"],
  [/permission denied for database/i, "the user may not connect to this database; GRANT CONNECT ON DATABASE to it"],
  [/^28P01 /, "the server refuses the user or the password; fix them in the address"],
  [
    /^28000 /,
    "the server knows no such user, or does not let it in from here; create the user, or let it in (pg_hba.conf)",
  ],
  [/^3D000 /, "the server has no such database; create it, or fix the name"],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)) /,
    "the server's certificate is signed by an unknown authority; name the authority's file with sslrootcert=FILE in the address, or in NODE_EXTRA_CA_CERTS",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    "the server's certificate is another host's; name the server as its certificate does",
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID) /, "the server's certificate is not valid today; renew it, or set the clock"],
];
