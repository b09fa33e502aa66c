import fc from "fast-check";
import { expect, test } from "vitest";
import { trainingPairs } from "../../src/learn/remember/training-pairs.ts";
import { givenRecord } from "./memory-builders.ts";

const record = (at: number, pull: number | null, hunk: string | null) =>
  givenRecord({
    sourceId: `${at}`,
    id: `mem_${at}`,
    text: `said ${at}`,
    hunk,
    provenance: { ...givenRecord().provenance, pull },
  });
const records = fc.array(
  fc.record({ pull: fc.option(fc.integer({ min: 1, max: 4 })), hunk: fc.option(fc.constantFrom("a", "b", "c")) }),
  { maxLength: 12 },
);

test("every memory with code has its own as positive, and no negative of it is its code or of its pull request [002-22]", () => {
  fc.assert(
    fc.property(records, (shapes) => {
      const all = shapes.map(({ pull, hunk }, at) => record(at, pull, hunk));
      const byId = new Map(all.map((one) => [one.id, one]));
      const alike = new Map(all.map(({ id }) => [id, all.map((other) => other.id)]));
      const pairs = trainingPairs(all, alike);
      const reported = all.filter(({ hunk }) => hunk !== null).map(({ id }) => id);
      expect(pairs.filter(({ kind }) => kind === "positive").map(({ of }) => of)).toEqual(reported);
      for (const { kind, memory, of, snippet } of pairs) {
        const [about, from] = [byId.get(memory), byId.get(of)];
        expect(snippet).toBe(from?.hunk);
        if (kind === "positive") continue;
        expect(snippet).not.toBe(about?.hunk);
        if (about?.provenance.pull !== null) expect(from?.provenance.pull).not.toBe(about?.provenance.pull);
      }
      expect(trainingPairs(all, alike)).toEqual(pairs);
    }),
  );
});

test("the hard negative is the most alike memory whose code is another", () => {
  const all = [record(1, 1, "a"), record(2, 2, "a"), record(3, 3, "b"), record(4, 4, "c")];
  const alike = new Map([["mem_1", ["mem_1", "mem_2", "mem_gone", "mem_3", "mem_4"]]]);
  const hard = trainingPairs(all, alike).filter(({ kind }) => kind === "hard-negative");
  expect(hard).toEqual([{ kind: "hard-negative", memory: "mem_1", situation: "said 1", snippet: "b", of: "mem_3" }]);
});
