// A connection that was cut without a word: nothing arrives any more, and nobody is told, for hours.
import { performance } from "node:perf_hooks";
import { afterAll, expect, test } from "vitest";
import { openWire } from "../../../chaos/wire-cutter.ts";
import { connectPostgres } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { PARTS } from "../../../src/adapters/postgres/migrations.ts";
import { openTickets } from "../../../src/adapters/postgres/tickets.ts";
import { testDatabase } from "../../postgres.ts";

const SLOW = process.env.SLOW === "1";
const given = await testDatabase();
afterAll(async () => {
  await given?.drop();
});

/** pg-boss looks after its tables at its own times: it is at it when nobody answers any more. */
test.skipIf(given === null || !SLOW)(
  "whoever stops waits for no upkeep that a half-open connection holds up (SLOW=1)",
  async () => {
    const direct = new URL(given?.url ?? "");
    const db = connectPostgres(direct.href);
    await migrate(db, PARTS);
    await db.close();
    const wire = await openWire({ host: direct.hostname, port: Number(direct.port || 5432) });
    const through = new URL(direct.href);
    through.hostname = "127.0.0.1";
    through.port = String(wire.port);
    const tickets = await openTickets(through.href, () => {});
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(wire.swallow()).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    const began = performance.now();
    await tickets.close();
    // Ten times what it may take would be more than the 28 s after which a process is ended by force.
    expect(performance.now() - began).toBeLessThan(20_000);
    await wire.close();
  },
  120_000,
);
