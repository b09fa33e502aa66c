import { createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import {
  asJson,
  connectPostgres,
  openPostgres,
  type PostgresSettings,
} from "../../../src/adapters/postgres/database.ts";
import { PARTS } from "../../../src/adapters/postgres/migrations.ts";
import type { Postgres } from "../../../src/adapters/postgres/sql.ts";
import { StoreUnusable } from "../../../src/domain/store-unusable.ts";
import { Transient } from "../../../src/domain/transient.ts";
import { testDatabase } from "../../postgres.ts";

const given = await testDatabase([]);
afterAll(() => given?.drop());

const T = { part: "test", steps: ["CREATE TABLE t (id bigint PRIMARY KEY, text text, about jsonb)"] };

async function withDatabase<X>(work: (db: Postgres) => Promise<X>, settings: PostgresSettings = {}): Promise<X> {
  const db = await openPostgres(given?.url ?? "", [T], settings);
  try {
    await db.run("DELETE FROM t");
    return await work(db);
  } finally {
    await db.close();
  }
}

describe.skipIf(given === null)("a Postgres database", () => {
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

  test.each([false, true])(
    "statements of a transaction that are asked at once are done in their order, and none after its end (pipelines: %s)",
    (pipelines) =>
      withDatabase(
        async (db) => {
          let late: Promise<unknown> = Promise.resolve();
          const ids = await db.transaction(async (sql) => {
            const asked = [1, 2, 3].map((id) =>
              sql.all("INSERT INTO t (id) SELECT count(*) + $1 FROM t RETURNING id", [id]),
            );
            late = new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
              sql.run("INSERT INTO t (id) VALUES (9)"),
            );
            return Promise.all(asked);
          });
          expect(ids).toEqual([[{ id: 1 }], [{ id: 3 }], [{ id: 5 }]]);
          await expect(late).rejects.toThrow("the transaction has ended");
          const failed = db.transaction((sql) =>
            Promise.all([sql.run("INSERT INTO t (id) VALUES (7)"), sql.run("INSERT INTO t (id) VALUES (1)")]),
          );
          await expect(failed).rejects.toThrow("duplicate key");
          expect(await db.all("SELECT id FROM t ORDER BY id")).toEqual([{ id: 1 }, { id: 3 }, { id: 5 }]);
        },
        { pipelines },
      ),
  );

  test("texts lose U+0000 and half surrogate pairs, in parameters, lists and JSON; whole numbers come back as numbers", () =>
    withDatabase(async (db) => {
      const about = asJson({ said: "a\0b\ud800", sure: "\\u0000" });
      await db.run("INSERT INTO t VALUES ($1, $2, $3)", [1_790_000_000_123, "C++\0 \ud800", about]);
      const [row] = await db.all("SELECT id, text, about FROM t WHERE text = ANY($1::text[])", [["C++\0 \ud800"]]);
      expect(row).toEqual({ id: 1_790_000_000_123, text: "C++ \ufffd", about: { said: "ab\ufffd", sure: "\\u0000" } });
    }));

  test("a statement that takes too long, a lock that is not given and a session that is ended are transient", () =>
    withDatabase(
      async (db) => {
        await expect(db.run("SELECT pg_sleep(5)")).rejects.toBeInstanceOf(Transient);
        await db.run("INSERT INTO t (id) VALUES (1)");
        await db.transaction(async (sql) => {
          await sql.run("SELECT 1 FROM t FOR UPDATE");
          await expect(db.run("DELETE FROM t")).rejects.toBeInstanceOf(Transient);
        });
        const ended = db.transaction(async (sql) => {
          const { pid } = (await sql.one<{ pid: number }>("SELECT pg_backend_pid() AS pid")) ?? { pid: 0 };
          await db.run("SELECT pg_terminate_backend($1)", [pid]);
          await sql.run("SELECT 1");
        });
        await expect(ended).rejects.toBeInstanceOf(Transient);
        expect(await db.one("SELECT count(*) AS n FROM t")).toEqual({ n: 1 });
      },
      { statementMs: 300, lockMs: 100 },
    ));

  test("processes that start at once migrate once; an older Kodiai refuses what a newer one wrote", async () => {
    const url = given?.url ?? "";
    const opened = await Promise.all([1, 2, 3, 4].map(() => openPostgres(url, PARTS)));
    await Promise.all(opened.map((db) => db.close()));
    const newer = PARTS.map(({ part, steps }) => ({ part, steps: [...steps, "SELECT 1"] }));
    await (await openPostgres(url, newer)).close();
    await expect(openPostgres(url, PARTS)).rejects.toBeInstanceOf(StoreUnusable);
  });

  test("a step that fails leaves nothing of the steps before it", async () => {
    const broken = { part: "broken", steps: ["CREATE TABLE first (id int)", "CREATE TABLE second (id nothing)"] };
    await expect(openPostgres(given?.url ?? "", [broken])).rejects.toThrow("nothing");
    const known = await withDatabase((db) => db.one("SELECT to_regclass('first') IS NULL AS gone"));
    expect(known).toEqual({ gone: true });
  });
});

describe("a Postgres that is not there", () => {
  test("is transient, and no message holds the password", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    server.close();
    const failed = await openPostgres(`postgres://me:s3cret@127.0.0.1:${port}/db`, PARTS).catch((error) => error);
    expect(failed).toBeInstanceOf(Transient);
    expect(JSON.stringify([failed.message, String(failed.cause), failed.cause?.stack])).not.toContain("s3cret");
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
    const db = connectPostgres(`postgres://me@127.0.0.1:${port}/db`);
    // An error that nobody listens to would fail the run.
    await expect(db.transaction((sql) => sql.run("SELECT 1"))).rejects.toThrow(Transient);
    await db.close();
    server.close();
  });

  test.each(["mysql://me:s3cret@host/db", "postgres://me:s3cret@host:port/db"])(
    "an address that is none is refused",
    async (url) => {
      const failed = await openPostgres(url, PARTS).catch((error) => error);
      expect(failed).toBeInstanceOf(StoreUnusable);
      expect(`${failed.message}${failed.stack}`).not.toContain("s3cret");
    },
  );
});
