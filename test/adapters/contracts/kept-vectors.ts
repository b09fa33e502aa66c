import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNMEASURED } from "../../../src/adapters/embed-texts.ts";
import type { EmbeddingSpace } from "../../../src/domain/memory.ts";
import type { Embedder } from "../../../src/ports/memory.ts";
import type { OpenMemory, OpenMemoryPorts } from "./memory-ports.ts";

const DAY = 24 * 60 * 60_000;

/** What everybody who keeps the vectors of queries promises. */
export function keptVectorsContract(name: string, open: OpenMemory): void {
  describe(`${name} keeps the promises of kept vectors`, () => {
    let opened: OpenMemoryPorts;
    let now = 1_000_000_000;
    let asked: (readonly string[])[];
    beforeEach(async () => {
      opened = await open();
      now = 1_000_000_000;
      asked = [];
    });
    afterEach(() => opened.close());

    /** A vendor that is paid by the text and knows no text that starts with "bad". */
    function vendor(space: EmbeddingSpace = { model: "voyage-code-3", dimension: 4 }): Embedder {
      return {
        space,
        threshold: 0.3,
        ...UNMEASURED,
        weight: 1,
        async embed(texts) {
          asked.push(texts);
          const vectors = texts.map((text) => (text.startsWith("bad") ? null : Float32Array.of(text.length, 1, 0, 0)));
          return { vectors, tokens: texts.length * 10, usd: texts.length, cached: 0, failed: null };
        },
      };
    }

    const cached = (inner = vendor()) => opened.cached(inner, () => now);

    test("a query that was asked before is answered without the vendor, and costs nothing", async () => {
      const embedder = cached();
      const first = await embedder.embed(["fix: close the pool", "src/net"], "query");
      const again = await embedder.embed(["src/net", "fix: close the pool"], "query");
      expect(again.vectors).toEqual(first.vectors.toReversed());
      expect([again.tokens, again.usd, again.cached]).toEqual([0, 0, 2]);
      expect(asked).toHaveLength(1);
    });

    test("only missing vectors are requested, each distinct text once, and the results keep the order of the texts", async () => {
      const embedder = cached();
      await embedder.embed(["aa"], "query");
      const reported = await embedder.embed(["b", "aa", "b", "aa", "ccc", "bad one"], "query");
      expect(asked[1]).toEqual(["b", "ccc", "bad one"]);
      expect(reported.vectors.map((vector) => vector?.[0] ?? null)).toEqual([1, 2, 1, 2, 3, null]);
      expect([reported.cached, reported.usd]).toEqual([2, 3]);
    });

    test("an answer is kept for a day and not longer, and old ones are cleared away [003-03]", async () => {
      const embedder = cached();
      await embedder.embed(["q"], "query");
      now += DAY - 1;
      expect((await embedder.embed(["q"], "query")).cached).toBe(1);
      now += 1;
      expect((await embedder.embed(["q"], "query")).cached).toBe(0);
      expect((await embedder.embed(["other"], "query")).cached).toBe(0);
      expect(await opened.count(`embeddings WHERE at <= ${now - DAY}`)).toBe(0);
    });

    test("another model, dimension or kind of text is another answer [003-03]", async () => {
      await cached().embed(["q"], "query");
      await cached(vendor({ model: "voyage-4", dimension: 4 })).embed(["q"], "query");
      await cached(vendor({ model: "voyage-code-3", dimension: 8 })).embed(["q"], "query");
      await cached().embed(["q"], "document");
      expect(asked).toHaveLength(4);
    });

    test("documents are not cached, but a text that occurs twice in one call is embedded once", async () => {
      const embedder = cached();
      const reported = await embedder.embed(["d", "d"], "document");
      expect(reported.vectors.map((vector) => vector?.[0])).toEqual([1, 1]);
      await embedder.embed(["d"], "document");
      expect(asked).toEqual([["d"], ["d"]]);
    });

    test("a failed embedding and a vector of the wrong size are not kept", async () => {
      const embedder = cached(vendor({ model: "voyage-code-3", dimension: 8 }));
      await embedder.embed(["bad", "wrong size"], "query");
      expect((await embedder.embed(["bad", "wrong size"], "query")).cached).toBe(0);
    });

    test("why a text has no vector is handed on", async () => {
      const inner = vendor();
      const failing: Embedder = {
        ...inner,
        embed: async (texts, kind) => ({ ...(await inner.embed(texts, kind)), failed: "the service answered 500" }),
      };
      expect((await cached(failing).embed(["bad"], "query")).failed).toBe("the service answered 500");
    });

    test("forgetting a repository also forgets what was asked", async () => {
      await cached().embed(["secret plans"], "query");
      await opened.memory.forgetRepository("github.com/42");
      expect((await cached().embed(["secret plans"], "query")).cached).toBe(0);
    });

    test("the cache stays within its bound; the oldest go", async () => {
      await opened.run(`INSERT INTO embeddings WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 10049)
    SELECT 'old' || at, ${name.includes("SQLite") ? "x'00'" : "'\\x00'::bytea"}, ${now - 20_000} + at FROM n`);
      await cached().embed(["new"], "query");
      expect(await opened.count("embeddings")).toBe(10_000);
      expect((await cached().embed(["new"], "query")).cached).toBe(1);
    });
  });
}
