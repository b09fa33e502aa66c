import { describe, expect, test } from "vitest";
import type { Corpus } from "../../src/domain/memory.ts";
import { choose } from "../../src/retrieve/choose.ts";

const entry = (id: string, length: number, path: string | null = null, corpus: Corpus = "review_comment") => ({
  record: { id, path, corpus },
  length,
});
const lengthOf = ({ length }: { readonly length: number }) => length;
const NO_LIMITS = { topK: 20, maxPerFile: 20, characters: Number.POSITIVE_INFINITY };

describe("choosing from the ordered list", () => {
  const LIST = [entry("a", 100, "x.ts"), entry("b", 900, "x.ts"), entry("c", 100, "x.ts"), entry("d", 100)];
  const ids = (chosen: readonly { readonly record: { readonly id: string } }[]) =>
    chosen.map(({ record }) => record.id);

  test("takes the best few and says which were over", () => {
    const { chosen, cut } = choose(LIST, { ...NO_LIMITS, topK: 2 }, lengthOf);
    expect(ids(chosen)).toEqual(["a", "b"]);
    expect(cut).toEqual([
      { id: "c", reason: "over the 2 that are used" },
      { id: "d", reason: "over the 2 that are used" },
    ]);
  });

  test("leaves an entry that does not fit out whole and goes on with the next", () => {
    const { chosen, cut } = choose(LIST, { ...NO_LIMITS, characters: 350 }, lengthOf);
    expect(ids(chosen)).toEqual(["a", "c", "d"]);
    expect(cut).toEqual([{ id: "b", reason: "over the characters that are left" }]);
  });

  test("caps one file only when asked to; what has no path is no file, and findings are never capped", () => {
    expect(ids(choose(LIST, NO_LIMITS, lengthOf).chosen)).toEqual(["a", "b", "c", "d"]);
    const findings = ["e", "f"].map((id) => entry(id, 100, "x.ts", "finding"));
    expect(ids(choose([...findings, ...LIST], { ...NO_LIMITS, maxPerFile: 1 }, lengthOf).chosen)).toEqual([
      ...["e", "f", "a", "d"],
    ]);
  });
});
