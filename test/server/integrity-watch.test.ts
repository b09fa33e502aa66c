// PostgreSQL reads its own files: damage that it reports is what an operator hears of.
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { integrityWatch } from "../../src/server/sweeps/maintenance.ts";
import { onDamage } from "../../src/store/damage.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { until } from "../app/app-harness.ts";
import { emptyDatabase } from "../postgres.ts";

const given = await emptyDatabase();
afterAll(() => given?.drop());

test.skipIf(given === null).each(["XX001", "XX002"])(
  "damage that PostgreSQL reports as %s is reported",
  async (code) => {
    const db = openPostgres(given?.url ?? "");
    const log: string[] = [];
    const watch = integrityWatch(
      { verify: () => Promise.resolve([]), onDamage },
      pino({}, { write: (line: string) => void log.push(line) }),
    );
    await expect(
      db.script(`DO $$ BEGIN RAISE EXCEPTION 'bad page' USING ERRCODE = '${code}'; END $$`),
    ).rejects.toThrow();
    await until("it is told", () => watch.problem() !== null);
    expect(watch.problem()).toBe("the database is damaged: see the log");
    expect(log.join("")).toContain(`PostgreSQL reports damaged data (${code}). See the log of PostgreSQL`);
    await watch.stop();
    await db.close();
  },
);
