// Notifications over a connection that breaks, or that was cut without a word.
import { afterAll, describe, expect, test } from "vitest";
import { openWire } from "../../chaos/database-proxy.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { postgresListener } from "../../src/store/postgres-listener.ts";
import { testDatabase } from "../postgres.ts";

const given = await testDatabase([]);
const url = given?.url ?? "";
afterAll(async () => {
  await given?.drop();
});

describe.skipIf(given === null)("the listener on PostgreSQL", () => {
  test("it listens again when its connection was ended, and says so each time", async () => {
    const db = openPostgres(url);
    const listener = postgresListener(url);
    const retrieved: string[] = [];
    let began = 0;
    listener.listen(
      "shop",
      (said) => void retrieved.push(said),
      () => {
        began += 1;
      },
    );
    await expect.poll(() => began, { timeout: 10_000 }).toBe(1);
    await db.all("SELECT pg_notify('shop', 'open')");
    await expect.poll(() => retrieved, { timeout: 10_000 }).toEqual(["open"]);
    await db.all(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'kodiai listener' AND datname = current_database()`,
    );
    await expect.poll(() => began, { timeout: 10_000 }).toBe(2);
    await db.all("SELECT pg_notify('shop', 'closed')");
    await expect.poll(() => retrieved, { timeout: 10_000 }).toEqual(["open", "closed"]);
    await listener.close();
    await db.close();
  });

  test("it closes at once, also when its connection answers no more [R26]", async () => {
    const direct = new URL(url);
    const wire = await openWire({ host: direct.hostname, port: Number(direct.port || 5432) });
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String(wire.port);
    const listener = postgresListener(through.href);
    await new Promise<void>((resolve) => listener.listen("shop", () => {}, resolve));
    expect(wire.swallow()).toBeGreaterThan(0);
    await listener.close();
    await wire.close();
  });
});
