// Ranking by words in a thread of its own: the same answers, told the same way, from connections of its own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectPostgres } from "../../../src/adapters/postgres/database.ts";
import { keywordSearch } from "../../../src/adapters/postgres/keyword-search.ts";
import { keywordThread } from "../../../src/adapters/postgres/keyword-thread.ts";
import { postgresMemory } from "../../../src/adapters/postgres/memory.ts";
import { postgresRecall } from "../../../src/adapters/postgres/recall.ts";
import { testDatabase } from "../../postgres.ts";
import { memoryRecord, SPACE, scopeOf } from "../contracts/memory.ts";

const given = await testDatabase();
const WORDS = ["pool", "lease", "queue", "cursor", "retry", "batch", "page", "lock"];
const ROWS = 400;

describe.skipIf(given === null)("ranking by words in a thread", () => {
  if (given === null) return;
  const db = connectPostgres(given.url);
  const aside = keywordThread(given.url);
  afterAll(async () => {
    await aside.close();
    await db.close();
    await given.drop();
  });
  beforeAll(async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      record: memoryRecord({ sourceId: `m${at}`, text: `the ${WORDS[at % 8]} of ${WORDS[(at >> 3) % 8]} ${at} leaks` }),
      vector: null,
    }));
    await postgresMemory(db).remember(rows, SPACE);
  });
  const quiet = () => {};

  test("answers as the thread that asks would have, for several texts at once", async () => {
    const texts = ["which pool leaks", "the lease of a cursor", "page 17 of the batch", "nothing that is there"];
    const here = keywordSearch(db);
    const expected = await here.matchingAll(scopeOf(), texts, 10, {}, quiet);
    expect(await aside.matchingAll(scopeOf(), texts, 10, {}, quiet)).toEqual(expected);
    expect(expected.map((hits) => hits.length)).toEqual([10, 10, 10, 0]);
    expect(aside.warmth()).toMatchObject({ waiting: 0, repositories: 1, rows: ROWS });
  });

  test("sees what is written between two questions", async () => {
    const record = memoryRecord({ sourceId: "later", text: "a zeppelin was left open" });
    await postgresMemory(db).remember([{ record, vector: null }], SPACE);
    const [hits] = await aside.matchingAll(scopeOf(), ["zeppelin"], 3, {}, quiet);
    expect(hits?.map(({ id }) => id)).toEqual([record.id]);
    await postgresMemory(db).forget(record.repo, [record.id]);
    expect(await aside.matchingAll(scopeOf(), ["zeppelin"], 3, {}, quiet)).toEqual([[]]);
  });

  test("asks the database's own index where the words do not fit into its memory, and says so", async () => {
    const small = keywordThread(given.url, { memoryBytes: 10_000 });
    const told: string[] = [];
    const recall = postgresRecall(db, {}, small);
    const hits = await recall.matching(scopeOf(), "which pool leaks", 5, {}, (part, reason) =>
      told.push(`${part}: ${reason}`),
    );
    await recall.close();
    expect(hits).toHaveLength(5);
    expect(told).toEqual([expect.stringMatching(/^keyword-search: 400 memories are more than fit into memory/)]);
  });

  test("a question that is wrong is a RangeError, one that the database could not be asked a Transient without its password", async () => {
    await expect(aside.matchingAll(scopeOf({ repo: "shop" as never }), ["pool"], 3, {}, quiet)).rejects.toThrow(
      RangeError,
    );
    const nobody = keywordThread("postgres://me:s3cret@127.0.0.1:9/none");
    const failed = await nobody.matchingAll(scopeOf(), ["pool"], 3, {}, quiet).catch((error: Error) => error);
    await nobody.close();
    expect(failed).toMatchObject({ name: "Transient" });
    expect(String(failed)).not.toContain("s3cret");
  });
});
