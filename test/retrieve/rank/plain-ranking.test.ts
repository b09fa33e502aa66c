import fc from "fast-check";
import { expect, test } from "vitest";
import { tokenise } from "../../../src/domain/text/tokenise.ts";
import { BACKGROUND } from "../../../src/domain/text/word-rarity.ts";
import { dedupe } from "../../../src/retrieve/rank/dedupe.ts";
import { featureSignals } from "../../../src/retrieve/rank/features.ts";
import { fuseByRank, pool } from "../../../src/retrieve/rank/fusion.ts";
import table from "../../../src/retrieve/rank/fusion-table.json" with { type: "json" };
import {
  type Change,
  prepareChange,
  prepareMemory,
  type RememberedComment,
} from "../../../src/retrieve/rank/prepare-documents.ts";
import { lexicon } from "../../../src/retrieve/rank/term-ids.ts";
import { runs } from "../../property-runs.ts";
import { plainKept, plainRanks, plainSignals } from "./reference-ranking.ts";

/** As they stand in comments and code; some in no language that ASCII can write. */
const PIECES = (
  "connection getUserId HTTPServer leaks finally parse_error x2 null the retry caching busy naïve déjà_vu 接続を閉じる ÅÄÖ " +
  "__proto__ constructor `pool.connect()` ```ts\nawait``` <b>bold</b> <!--hidden--> https://example.org/a/b LGTM nit: 🚀 \ud800 ß"
).split(" ");
const sentence = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(" "));
const lines = fc.array(sentence, { maxLength: 30 });
const path = fc.constantFrom("src/pool.ts", "src/a/pool.ts", "lib/pool.go", "README.md", "");
const memory: fc.Arbitrary<RememberedComment> = fc.record({
  id: fc.uuid(),
  pr: fc.integer({ min: 1, max: 4 }),
  path,
  text: sentence,
  hunk: lines.map((all) => ["@@ -1 +1 @@", ...all.map((line) => `+${line}`)].join("\n")),
});
const kind = fc.constantFrom("added" as const, "removed" as const, "context" as const);
const diffLines = lines.chain((all) => fc.tuple(...all.map((text) => kind.map((one) => ({ kind: one, text })))));
const hunk = fc.record({ section: sentence, lines: diffLines });
const change: fc.Arbitrary<Change> = fc.record({
  title: sentence,
  body: sentence,
  paths: fc.array(path, { maxLength: 3 }),
  hunks: fc.array(hunk, { maxLength: 3 }),
});

function quick(asked: Change, memories: readonly RememberedComment[], wanted: ReadonlySet<string> | null = null) {
  const words = lexicon();
  const prepared = memories.map((one) => prepareMemory(one, words));
  return featureSignals(prepareChange(asked, words), prepared, BACKGROUND, words, wanted);
}

test("the numbers of a text are the words that the tokeniser gives, after any other text", () => {
  const words = lexicon();
  const text = fc.oneof(
    sentence,
    fc.string({ unit: "binary" }),
    fc.constantFrom("a".repeat(300), `${"é".repeat(300)} b`),
  );
  fc.assert(
    fc.property(text, (one) => {
      expect(words.numbersOf(one).map(words.wordOf).join(" ")).toBe(tokenise(one).join(" "));
    }),
    runs(300),
  );
});

test("every signal is the plain one's to the last bit", () => {
  fc.assert(
    fc.property(change, fc.array(memory, { maxLength: 12 }), (asked, memories) => {
      const signals = quick(asked, memories);
      for (const [name, plain] of Object.entries(plainSignals(asked, memories)))
        expect([name, ...(signals[name] ?? [])]).toEqual([name, ...plain]);
    }),
    { numRuns: 60 },
  );
});

test("a memory that was read before gives the plain signals too, and so does one that was edited since", () => {
  const edited = fc.tuple(memory, sentence).map(([one, text]) => [one, { ...one, text }] as const);
  fc.assert(
    fc.property(change, fc.array(edited, { minLength: 1, maxLength: 8 }), (asked, pairs) => {
      const [before, after] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
      for (const memories of [before, before, after]) {
        const signals = quick(asked, memories);
        for (const [name, plain] of Object.entries(plainSignals(asked, memories)))
          expect([name, ...(signals[name] ?? [])]).toEqual([name, ...plain]);
      }
    }),
    { numRuns: 25 },
  );
});

test("what a table asks for is the same without what it does not ask for", () => {
  fc.assert(
    fc.property(change, fc.array(memory, { maxLength: 8 }), (asked, memories) => {
      const words = lexicon();
      const prepared = memories.map((one) => prepareMemory(one, words));
      const all = featureSignals(prepareChange(asked, words), prepared, BACKGROUND, words);
      for (const { weights } of [table.memory, table.text, table.question]) {
        const some = quick(asked, memories, new Set(weights.map(({ signal }) => signal)));
        for (const { signal } of weights) expect([signal, some[signal]]).toEqual([signal, all[signal]]);
      }
    }),
    { numRuns: 40 },
  );
});

const id = fc.integer({ min: 0, max: 20 }).map((at) => `mem_${at}`);
const nearest = fc.array(fc.record({ id, distance: fc.float({ min: 0, max: 2, noNaN: true }) }), { maxLength: 12 });
const matching = fc.array(fc.record({ id, score: fc.float({ min: 0, max: 9, noNaN: true }) }), { maxLength: 12 });

test("ranks and their scores are the plain ones, ties and repeats included", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ nearest, matching }), { maxLength: 5 }), (lists) => {
      const weights = { vector: 0.25, keyword: 1 };
      const variant = { kind: "intent", text: "", path: null } as const;
      const queries = lists.map((list) => ({ variant, ...list }));
      const fused = pool(
        queries.map((query) => fuseByRank(query, weights, 60)),
        "max",
      );
      expect(fused.map(({ id, score }) => ({ id, score }))).toEqual(plainRanks(queries, weights, 60));
    }),
  );
});

test("the same texts are folded as when each is held against each", () => {
  const text = fc.oneof(
    sentence,
    sentence.map((said) => `${said} `.repeat(3)),
    sentence.map((said) => said.toUpperCase()),
  );
  const threshold = fc.constantFrom(0.5, 0.9, 1);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 15 }), threshold, (said, least) => {
      const all = said.map((one, at) => ({ id: `mem_${at}`, text: one, source: "finding", label: "" }));
      const { kept } = dedupe(all, least);
      expect(kept.map(({ item }) => item.id)).toEqual(plainKept(all, least));
    }),
  );
});
