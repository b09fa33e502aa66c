// Each way in which a real server turns somebody away, and each lack that it can have: what is said
// names the variable and what fixes it, and never the password.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findMeans } from "../../scripts/postgres-providers.ts";
import { type Running, startServer, stopServer } from "../../scripts/postgres-server.ts";
import { DatabaseRefuses, StoreUnusable } from "../../src/domain/errors.ts";
import { MEMORY_PART } from "../../src/store/memory/schema.ts";
import { migrate, type SchemaPart } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { QUEUE_PART } from "../../src/store/queue/schema.ts";
import { emptyDatabase, serverUrl, within } from "../postgres.ts";

const PASSWORD = "tr0ub4dor&3";

const PARTS: readonly SchemaPart[] = [MEMORY_PART, QUEUE_PART];
const part = (name: string, step: string): readonly SchemaPart[] => [{ part: name, steps: [() => step] }];

/** The message when a store is opened there. */
async function said(url: string, parts = PARTS): Promise<string> {
  const db = openPostgres(url);
  const failed = await migrate(db, parts, "DATABASE_URL").then(
    () => null,
    (error: unknown) => error,
  );
  await db.close();
  expect(failed instanceof DatabaseRefuses || failed instanceof StoreUnusable, String(failed)).toBe(true);
  const { message, stack, cause } = failed as Error;
  expect(`${message} ${stack} ${JSON.stringify(cause)}`).not.toContain(encodeURIComponent(PASSWORD));
  expect(message).not.toContain(PASSWORD);
  return message;
}

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const given = await emptyDatabase();
afterAll(() => given?.drop());

describe.skipIf(given === null)("a database that lacks something", () => {
  const url = given?.url ?? "";
  const as = (user: string) => {
    const named = new URL(url);
    [named.username, named.password] = [user, encodeURIComponent(PASSWORD)];
    return named.href;
  };

  test("one that does not exist, and an unknown user", async () => {
    expect(await said(within(url, "nothing_of_that_name"))).toBe(
      "DATABASE_URL: the server has no such database; create it, or fix the name",
    );
    expect(await said(as("nobody_of_that_name"))).toContain("DATABASE_URL: the server knows no such user");
    expect(await said(within(url, "template0"))).toContain("accepts no connections to this database");
  });

  test("a server without pgvector, and one whose pgvector is too old", async () => {
    const absent = part("absent", "CREATE EXTENSION pgvector_that_is_absent");
    expect(await said(url, absent)).toMatch(/^DATABASE_URL: the PostgreSQL server has no pgvector. Install it there/);
    const old = await emptyDatabase();
    await ask(old?.url ?? "", "CREATE EXTENSION vector", "ALTER TYPE halfvec RENAME TO what_07_brought");
    expect(await said(old?.url ?? "")).toMatch(/^DATABASE_URL: the database has a pgvector before 0.7. .*UPDATE/);
    await old?.drop();
  });

  test("a user who may not make the extension, the tables, or even connect", async () => {
    const role = `kodiai_test_guest_${process.pid}`;
    await ask(url, `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    const extension = part("extension", "CREATE EXTENSION vector");
    const tables = part("tables", "CREATE TABLE t (id int)");
    try {
      expect(await said(as(role), tables)).toContain("DATABASE_URL: the database user may not make tables");
      await ask(url, `GRANT CREATE ON SCHEMA public TO ${role}`);
      expect(await said(as(role), extension)).toContain("DATABASE_URL: the database user may not CREATE EXTENSION");
      const name = new URL(url).pathname.slice(1);
      await ask(url, `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
      expect(await said(as(role))).toContain("GRANT CONNECT ON DATABASE");
    } finally {
      await ask(url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    }
  });

  test("a server that speaks no TLS, where the address asks for it", async () => {
    expect(await said(`${url}?sslmode=verify-full`)).toMatch(/^DATABASE_URL: the server has no TLS; turn it on there/);
  });
});

test.skipIf(given === null)("a server that is too old", async () => {
  const db = openPostgres(given?.url ?? "");
  const old: typeof db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          one: async <Row>(text: string, values?: readonly unknown[]) =>
            text.includes("server_version_num")
              ? ({ number: 140_011, name: "14.11" } as Row)
              : tx.one<Row>(text, values),
        }),
      ),
  };
  await expect(migrate(old, part("old", "CREATE TABLE old (id int)"), "DATABASE_URL")).rejects.toThrow(
    "DATABASE_URL: the server is PostgreSQL 14.11; Kodiai needs 15 or",
  );
  await db.close();
});

const means = serverUrl() === null ? { kind: "none" as const, why: [] } : findMeans(() => {});

describe.skipIf(means.kind !== "programs")("a server that asks for a password and speaks TLS", () => {
  let server: Running;
  const address = (user: string, password: string, more = "") =>
    server.url.replace("kodiai@", `${user}${password && `:${encodeURIComponent(password)}`}@`) + more;

  beforeAll(async () => {
    if (means.kind !== "programs") return;
    server = await startServer(means, { port: null, data: null, quick: true });
    const data = server.data ?? "";
    const [key, cert] = [join(data, "server.key"), join(data, "server.crt")];
    const subject = ["-subj", "/CN=db.example.com", "-addext", "subjectAltName=DNS:db.example.com"];
    spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject]);
    chmodSync(key, 0o600);
    for (const file of [key, cert]) chownSync(file, statSync(data).uid, statSync(data).gid);
    await ask(server.url, `CREATE ROLE wren LOGIN PASSWORD '${PASSWORD}'`, "ALTER SYSTEM SET ssl = on");
    const rules = ["host all kodiai 127.0.0.1/32 trust", "hostssl all robin 127.0.0.1/32 scram-sha-256"];
    writeFileSync(join(data, "pg_hba.conf"), [...rules, "host all wren 127.0.0.1/32 scram-sha-256", ""].join("\n"));
    await ask(server.url, "SELECT pg_reload_conf()");
  });
  afterAll(() => server && stopServer(server));

  test("the wrong password, none at all, and no TLS", async () => {
    expect(await said(address("wren", "another"))).toBe(
      "DATABASE_URL: the server refuses the user or the password; fix them in the address",
    );
    expect(await said(address("wren", ""))).toBe(
      "DATABASE_URL: the server asks for a password, and the address has none",
    );
    expect(await said(address("robin", PASSWORD))).toMatch(/^DATABASE_URL: the server may require TLS; add/);
  });

  test("a certificate of an unknown authority, and one of another host", async () => {
    expect(await said(address("wren", PASSWORD, "?sslmode=verify-full"))).toMatch(
      /^DATABASE_URL: the server's certificate is signed by an unknown authority; name/,
    );
    const signed = `?sslmode=verify-full&sslrootcert=${join(server.data ?? "", "server.crt")}`;
    expect(await said(address("wren", PASSWORD, signed))).toMatch(
      /^DATABASE_URL: the server's certificate is another host's/,
    );
  });
});
