// Embedders as people have them: one bad text of many, through `kodiai index` of a clone's
// documents.
import { afterAll, beforeAll, expect, test } from "vitest";
import { EMBEDDERS } from "../../scripts/model-matrix.ts";
import { readEmbeddings } from "../../src/config/environment/read-models.ts";
import { embeddedText } from "../../src/domain/memory/write-report.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import { remember } from "../../src/learn/learn.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { type Answer, json, type ScriptedServer, scriptedServer, status } from "../fakes/scripted-server.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { sqliteInMemory } from "../store/databases.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
});
afterAll(() => server.close());

const BAD = "unusual";
const LONG = "wordy ".repeat(400);

/** A vector for each text, of that length. */
function vectors(input: readonly string[], length = 8): readonly object[] {
  return input.map((content, index) => ({
    index,
    embedding: Array.from({ length }, (_, at) => 1 + ((content.codePointAt(at) ?? 0) % 31)),
  }));
}

/** What each row's server does to a text with `unusual` in it. */
function answering({ status: code, body, does }: (typeof EMBEDDERS)[number]): Answer {
  return (response, request) => {
    const input = request.body.input as string[];
    const at = input.findIndex((one) => one.includes(BAD) && (!does.includes("shortened") || one.length > 1_300));
    if (body === "other") return json({ data: vectors(input, 5) })(response, request);
    const data = vectors(input);
    if (at === -1) return json({ data })(response, request);
    if (code !== 200) return status(code, {}, JSON.stringify(body))(response, request);
    const spoiled = body === "null" ? { index: at, embedding: [null, 1] } : { index: at, embedding: [1, 2, 3] };
    return json({ data: data.map((row, index) => (index === at ? spoiled : row)) })(response, request);
  };
}

const records = (suffix: string): readonly MemoryRecord[] =>
  Array.from({ length: 30 }, (_, at) => {
    const id = `doc:${suffix}:${at}`;
    return givenRecord({ id, sourceId: id, text: at === 17 ? `${BAD} ${suffix} ${LONG}` : `usual ${suffix} ${at}` });
  });

async function opened() {
  const db = await sqliteInMemory();
  const read = readEmbeddings(
    new Map([
      ["KODIAI_EMBEDDINGS", "http"],
      ["KODIAI_EMBEDDINGS_URL", `${server.url}/v1/embeddings`],
      ["KODIAI_EMBEDDINGS_MODEL", "some-embedder"],
    ]),
  );
  if ("problems" in read) expect.fail(read.problems.join());
  const embedder = await chosenEmbedder(read.embeddings, { firstWaitMs: 2, maxWaitMs: 4 });
  const keep = (given: readonly MemoryRecord[]) =>
    remember(
      given,
      embedder,
      storedMemory(db, () => Promise.resolve()),
      { redact: async (value) => value },
    );
  return { db, embedder, keep };
}

test.each(EMBEDDERS.map((row) => [row.name, row.what, row] as const))("%s: %s", async (_name, _what, row) => {
  const { db, embedder, keep } = await opened();
  try {
    const before = server.received.length;
    if (row.body === "other") {
      // The server has another model from here on.
      server.script((response, request) => json({ data: vectors(request.body.input as string[]) })(response, request));
      expect(await keep(records("before"))).toMatchObject({ embedded: 30, wordsOnly: 0 });
      server.script(answering(row));
      const changed = await keep(records("after"));
      expect(embeddedText(changed)).toMatch(
        /0 embedded, 30 by words only: .*now answers with vectors of 5 numbers, and before with 8: run `kodiai index`/,
      );
      expect(embedder.space.dimension).toBe(5);
      expect(embeddedText(await keep(records("before")))).toBe("30 embedded");
      return;
    }
    server.script(answering(row));
    const done = await keep(records("one"));
    if (/short/.test(row.does)) expect(embeddedText(done)).toBe("30 embedded");
    else expect(embeddedText(done)).toMatch(/^29 embedded, 1 by words only: \S/);
    expect(done.added).toBe(30);
    expect(server.received.length - before).toBeLessThan(20);
    expect(server.received.every(({ path }) => path === "/v1/embeddings")).toBe(true);
    // What has no vector is tried again, and nothing else.
    server.script((response, request) => json({ data: vectors(request.body.input as string[]) })(response, request));
    const again = await keep(records("one"));
    expect(again.embedded).toBe(done.wordsOnly);
  } finally {
    await db.close();
  }
});
