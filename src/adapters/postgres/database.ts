// Opens a PostgreSQL the way Kodiai needs it: a pool of connections with time limits, errors in our own words, the schema brought
// up to date. What a statement is given is made fit for Postgres here: no U+0000, no half surrogate pairs.
import pg from "pg";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import { type MigrationPart, migrate, refuseHalfMoved } from "./migrate.ts";
import { isCut, translated } from "./postgres-error.ts";
import type { Postgres, Sql } from "./sql.ts";

export interface PostgresSettings {
  /** Connections at the same time. */
  readonly connections?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  /** No statement runs longer; milliseconds. */
  readonly statementMs?: number;
  /** Nobody waits longer for a lock; milliseconds. */
  readonly lockMs?: number;
  /** True: idle connections do not keep the process alive. */
  readonly isLastWord?: boolean;
  /** A transaction that is silent for longer ends, and with it its locks: its process stands still, or is cut off; milliseconds. */
  readonly silentMs?: number;
  /** True: statements of a transaction that are asked at once go out at once, in one round trip. */
  readonly pipelines?: boolean;
  /** True for the one that moves a store here. */
  readonly isMoving?: boolean;
}

/** A review asks a dozen questions at once, and a server has 100 connections by default. */
const CONNECTIONS = 10;
const STATEMENT_MS = 30_000;
const LOCK_MS = 5_000;
const CONNECT_MS = 10_000;
/** A transaction whose process is stuck must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Opens the database and brings the parts of its schema up to date.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`; it is never part of a message
 * @throws StoreUnusable when the address is none, or the schema comes from a newer Kodiai, or pgvector is missing, or a store is still
 *   being moved there; Transient when the server cannot be reached now
 */
export async function openPostgres(
  url: string,
  parts: readonly MigrationPart[],
  settings: PostgresSettings = {},
): Promise<Postgres> {
  const db = connectPostgres(url, settings);
  try {
    await migrate(db, parts);
    if (settings.isMoving !== true) await refuseHalfMoved(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The same without a look at the schema: for whoever comes after one who looked. Connects with the first statement. */
export function connectPostgres(url: string, settings: PostgresSettings = {}): Postgres {
  const { statementMs = STATEMENT_MS, lockMs = LOCK_MS, silentMs = IDLE_IN_TRANSACTION_MS } = settings;
  const { connections = CONNECTIONS, name = "kodiai" } = settings;
  const { pipelines = false } = settings;
  const pool = new pg.Pool({
    // The driver reads it of a connection's settings; its types do not know.
    ...({ pipeline: pipelines } as pg.PoolConfig),
    connectionString: checked(url),
    max: connections,
    application_name: name,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: silentMs,
    connectionTimeoutMillis: CONNECT_MS,
    // A connection that was cut without a word answers nothing: the server's own limit has passed by then.
    query_timeout: statementMs + CONNECT_MS,
    keepAlive: true,
    allowExitOnIdle: settings.isLastWord ?? false,
    // A commit that was told is on disk, whatever the server's default is. Compiling a search takes longer than doing it.
    // One that moves a store begins again where the database lost it, and ends with all on disk.
    options: `-c synchronous_commit=${settings.isMoving === true ? "off" : "on"} -c jit=off`,
    types: TYPES,
  });
  // An idle connection that ends is no error of anybody; without a listener it would end the process.
  pool.on("error", () => {});
  // Nor is one that ends in the same breath in which it is ready: nobody who takes it can listen sooner than here.
  pool.on("connect", (client) => void client.on("error", () => {}));
  const sql = statements((text, values) => pool.query(text, values));
  return {
    ...sql,
    transaction: (work) => inTransaction(pool, "BEGIN", work, pipelines),
    snapshot: (work) => inTransaction(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work, pipelines),
    patiently: (statement) => patiently(pool, statement),
    close: () => pool.end(),
  };
}

/** What a Postgres pool or another that speaks like one answers. */
export interface Answered {
  readonly rows: readonly unknown[];
  /** Rows written; null where the statement writes none. */
  readonly rowCount: number | null;
}

/** The methods of `Sql` over one that runs statements; its errors are translated here. */
export function statements(query: (text: string, values: unknown[]) => Promise<Answered>): Sql {
  const ask = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await query(text, values.map(fit));
    } catch (error) {
      throw translated(error);
    }
  };
  return {
    all: async <Row>(text: string, values?: readonly unknown[]) => [...(await ask(text, values)).rows] as Row[],
    one: async <Row>(text: string, values?: readonly unknown[]) => ((await ask(text, values)).rows[0] ?? null) as Row,
    run: async (text, values) => (await ask(text, values)).rowCount ?? 0,
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (sql: Sql) => Promise<T>,
  pipelines: boolean,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translated(error);
  });
  // Told to whoever asks next; unheard it would end the process.
  let broken: Error | null = null;
  const listen = (error: Error) => {
    broken = error;
  };
  client.on("error", listen);
  let isOver = false;
  const ask = async (text: string, values: unknown[]) => {
    // It would be done outside of the transaction.
    if (isOver) throw new Error("the transaction has ended");
    return client.query(text, values);
  };
  const sql = statements(pipelines ? ask : inTurn(ask));
  try {
    const begun = sql.run(begin);
    // Nothing that is asked after it is done where it fails; that is told by whatever is asked next.
    if (pipelines) begun.catch(() => {});
    else await begun;
    const answer = await work(sql);
    await begun;
    isOver = true;
    await commit(client);
    return answer;
  } catch (error) {
    isOver = true;
    // A connection that answers no more, or cannot even roll back, is given up, and with it the transaction.
    if (isCut(error)) broken ??= error;
    else
      await client.query("ROLLBACK").catch((failed: Error) => {
        broken ??= failed;
      });
    throw error;
  } finally {
    client.off("error", listen);
    client.release(broken ?? undefined);
  }
}

/** One after the other, whoever asks: the driver is to have no second one waiting. */
function inTurn<Asked extends readonly unknown[], T>(ask: (...asked: Asked) => Promise<T>) {
  let last: Promise<unknown> = Promise.resolve();
  return (...asked: Asked): Promise<T> => {
    const next = last.then(() => ask(...asked));
    last = next.catch(() => {});
    return next;
  };
}

/** An hour: an index over a million vectors takes about ten minutes. */
const PATIENCE_MS = 3_600_000;

async function patiently(pool: pg.Pool, statement: string): Promise<void> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translated(error);
  });
  try {
    await client.query(`SET statement_timeout = ${PATIENCE_MS}`);
    // The driver reads a limit of the statement's own; its types do not know.
    await client.query({ text: statement, query_timeout: PATIENCE_MS } as pg.QueryConfig);
  } catch (error) {
    throw translated(error);
  } finally {
    // Not for the next one, who has less time.
    client.release(true);
  }
}

/** After a failed statement that `work` took for granted, Postgres answers COMMIT with ROLLBACK and no error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("COMMIT").catch((error: unknown) => {
    throw translated(error);
  });
  if (command !== "COMMIT") throw new Error("the transaction was rolled back: a statement in it had failed");
}

const INT8 = 20;

/** Ids, counts and times in milliseconds: all of them whole numbers that a double holds exactly. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/** A value as Postgres takes it: U+0000 is refused there, and half a surrogate pair has no form in UTF-8. */
function fit(value: unknown): unknown {
  if (typeof value === "string") return fitText(value);
  if (Array.isArray(value)) return value.map(fit);
  if (value instanceof Uint8Array && !Buffer.isBuffer(value)) return Buffer.from(value);
  return value;
}

function fitText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** A value for a parameter of type jsonb. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? fitText(part) : part));
}

/** @throws StoreUnusable when it is no address of a Postgres; the message does not repeat it, as it may hold a password */
function checked(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new StoreUnusable("DATABASE_URL is not an address like postgres://USER:PASSWORD@HOST:5432/DATABASE.");
}
