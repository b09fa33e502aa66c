// The driver of PostgreSQL: transactions, limits of time, what texts it takes, and servers that are
// not there.
import { createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { StoreUnusable, Transient } from "../../src/domain/errors.ts";
import { jsonRows } from "../../src/store/dialect.ts";
import { openPostgres, type PostgresSettings } from "../../src/store/postgres.ts";
import type { Database } from "../../src/store/sql.ts";
import { emptyDatabase } from "../postgres.ts";

const given = await emptyDatabase();
afterAll(() => given?.drop());

async function withDatabase<X>(work: (db: Database) => Promise<X>, settings: PostgresSettings = {}): Promise<X> {
  const db = openPostgres(given?.url ?? "", settings);
  try {
    await db.script("CREATE TABLE IF NOT EXISTS t (id bigint PRIMARY KEY, text text)");
    await db.run("DELETE FROM t");
    return await work(db);
  } finally {
    await db.close();
  }
}

describe.skipIf(given === null)("a PostgreSQL database", () => {
  test("a transaction that throws leaves nothing; one that ends leaves all of it", () =>
    withDatabase(async (db) => {
      const failed = db.transaction(async (sql) => {
        await sql.run("INSERT INTO t (id) VALUES (1)");
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      await db.transaction((sql) => sql.run("INSERT INTO t (id) VALUES (2)"));
      expect(await db.all("SELECT id FROM t")).toEqual([{ id: 2 }]);
    }));

  test("a transaction in which a statement failed is not taken for committed", () =>
    withDatabase(async (db) => {
      const swallowed = db.transaction(async (sql) => {
        await sql.run("INSERT INTO t (id) VALUES (1)");
        await sql.run("INSERT INTO t (id) VALUES (1)").catch(() => {});
      });
      await expect(swallowed).rejects.toThrow("rolled back");
      expect(await db.all("SELECT id FROM t")).toEqual([]);
    }));

  test("statements of a transaction that are asked at once are done in their order, and none after its end", () =>
    withDatabase(async (db) => {
      let late: Promise<unknown> = Promise.resolve();
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const ids = await db.transaction(async (sql) => {
        const asked = [1, 2, 3].map((id) =>
          sql.all("INSERT INTO t (id) SELECT count(*) + $1 FROM t RETURNING id", [id]),
        );
        late = over.then(() => sql.run("INSERT INTO t (id) VALUES (9)"));
        return Promise.all(asked);
      });
      end();
      expect(ids).toEqual([[{ id: 1 }], [{ id: 3 }], [{ id: 5 }]]);
      await expect(late).rejects.toThrow("the transaction has ended");
      const failed = db.transaction((sql) =>
        Promise.all([sql.run("INSERT INTO t (id) VALUES (7)"), sql.run("INSERT INTO t (id) VALUES (1)")]),
      );
      await expect(failed).rejects.toThrow("duplicate key");
      expect(await db.all("SELECT id FROM t ORDER BY id")).toEqual([{ id: 1 }, { id: 3 }, { id: 5 }]);
    }));

  test("texts lose U+0000 and half surrogate pairs, in parameters, lists and rows; whole numbers come back as numbers", () =>
    withDatabase(async (db) => {
      const id = 1_790_000_000_123;
      await db.run("INSERT INTO t VALUES ($1, $2)", [id, "C++\0 \ud800"]);
      const { rows, among } = db.dialect;
      await db.run(`INSERT INTO t SELECT id, text FROM ${rows("$1", { id: "int", text: "text" })}`, [
        jsonRows([
          { id: 2, text: "a\0b\ud800" },
          { id: 3, text: "\\u0000" },
        ]),
      ]);
      expect(await db.all(`SELECT * FROM t WHERE ${among("text", "$1", "text")}`, [["C++\0 \ud800"]])).toEqual([
        { id, text: "C++ \ufffd" },
      ]);
      expect(await db.all("SELECT text FROM t WHERE id < 9 ORDER BY id")).toEqual([
        { text: "ab\ufffd" },
        { text: "\\u0000" },
      ]);
    }));

  test("a statement that takes too long, a lock that is not given and a session that is ended are transient", () =>
    withDatabase(
      async (db) => {
        const other = openPostgres(given?.url ?? "", { statementMs: 300, lockMs: 100 });
        await expect(db.run("SELECT pg_sleep(5)")).rejects.toBeInstanceOf(Transient);
        await db.run("INSERT INTO t (id) VALUES (1)");
        await db.transaction(async (sql) => {
          await sql.run("SELECT 1 FROM t FOR UPDATE");
          await expect(other.run("DELETE FROM t")).rejects.toBeInstanceOf(Transient);
        });
        const ended = db.transaction(async (sql) => {
          const { pid } = (await sql.one<{ pid: number }>("SELECT pg_backend_pid() AS pid")) ?? { pid: 0 };
          await other.run("SELECT pg_terminate_backend($1)", [pid]);
          await sql.run("SELECT 1");
        });
        await expect(ended).rejects.toBeInstanceOf(Transient);
        expect(await db.one("SELECT count(*) AS n FROM t")).toEqual({ n: 1 });
        await other.close();
      },
      { statementMs: 300, lockMs: 100 },
    ));
});

describe("a PostgreSQL that is not there", () => {
  test("is transient, and no message holds the password", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    server.close();
    const db = openPostgres(`postgres://me:s3cret@127.0.0.1:${port}/db`);
    const failed = await db.run("SELECT 1").then(
      () => new Error("it answered"),
      (error: Error) => error,
    );
    await db.close();
    expect(failed).toBeInstanceOf(Transient);
    const cause = failed.cause as Error | undefined;
    expect(JSON.stringify([failed.message, String(cause), cause?.stack])).not.toContain("s3cret");
  });

  test("a session that is ended in the same breath in which it is ready ends no process", async () => {
    // AuthenticationOk, ReadyForQuery and an error, as they come together over a slow way.
    const fields = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
    const answer = Buffer.concat([
      Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05IE\0\0\0", "latin1"),
      Buffer.from([fields.length + 4]),
      Buffer.from(fields),
    ]);
    const server = createServer((socket) => {
      socket.once("data", () => socket.end(answer));
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const db = openPostgres(`postgres://me@127.0.0.1:${port}/db`);
    // An error that nothing listens to would fail the run.
    await expect(db.transaction((sql) => sql.run("SELECT 1"))).rejects.toThrow(Transient);
    await db.close();
    server.close();
  });

  test.each(["mysql://me:s3cret@host/db", "postgres://me:s3cret@host:port/db"])(
    "an address that is none is refused",
    (url) => {
      let failed: unknown = null;
      try {
        openPostgres(url);
      } catch (error) {
        failed = error;
      }
      expect(failed).toBeInstanceOf(StoreUnusable);
      expect(`${(failed as Error).message}${(failed as Error).stack}`).not.toContain("s3cret");
    },
  );
});
