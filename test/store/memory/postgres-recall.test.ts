// The search over a PostgreSQL: several questions at once, what is written in between, and a server
// that is away.

import { afterAll, describe, expect, test } from "vitest";
import { storedRecall } from "../../../src/store/memory/recall.ts";
import { openPostgres } from "../../../src/store/postgres.ts";
import { memoryRecord, SPACE, scopeOf, vectorAt } from "../../adapters/contracts/memory.ts";
import { postgresTestDatabase } from "../databases.ts";
import { memoryPortsOver } from "./memory-ports.ts";

const given = await postgresTestDatabase();
const isServer = given !== null && given.place !== null;
afterAll(() => given?.close());

describe.skipIf(!isServer)("search over PostgreSQL", () => {
  if (given === null) return;

  test("several questions are answered each, in their order, and see what was written since the last", async () => {
    const { memory, recall, close } = memoryPortsOver({ ...given, close: () => Promise.resolve() });
    const rows = Array.from({ length: 60 }, (_, at) => ({
      record: memoryRecord({ text: `the word${at} of the pool leaks` }),
      vector: vectorAt(at),
    }));
    await memory.remember(rows, SPACE);
    const ids = rows.map(({ record }) => record.id);
    const near = await recall.nearest(
      scopeOf(),
      rows.map((row) => row.vector),
      SPACE,
      1,
      {},
    );
    expect(near.map((hits) => hits[0]?.id)).toEqual(ids);
    const texts = [...rows.map((_, at) => `word${at}`), "nothing"];
    const matching = await recall.matching(scopeOf(), texts, 1, {});
    expect(matching.map((hits) => hits[0]?.id)).toEqual([...ids, undefined]);
    const later = memoryRecord({ text: "a zeppelin was left open" });
    await memory.remember([{ record: later, vector: null }], SPACE);
    const [found] = await recall.matching(scopeOf(), ["zeppelin"], 3, {});
    expect(found?.map(({ id }) => id)).toEqual([later.id]);
    await memory.forget(later.repo, [later.id]);
    expect(await recall.matching(scopeOf(), ["zeppelin"], 3, {})).toEqual([[]]);
    await expect(recall.matching(scopeOf({ repo: "shop" as never }), ["pool"], 3, {})).rejects.toThrow(RangeError);
    await close();
  });

  test("a server that cannot be reached is Transient, without its password", async () => {
    const away = openPostgres("postgres://me:s3cret@127.0.0.1:9/none");
    const failed = await storedRecall(away, null)
      .matching(scopeOf(), ["pool"], 3, {})
      .then(
        () => new Error("it answered"),
        (error: Error) => error,
      );
    await away.close();
    expect(failed).toMatchObject({ name: "Transient" });
    expect(`${String(failed)} ${failed.stack} ${String(failed.cause)}`).not.toContain("s3cret");
  });
});
