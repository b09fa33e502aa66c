import { describe, expect, test } from "vitest";
import { choose } from "../../src/retrieve/choose.ts";

const entry = (id: string, length: number) => ({ record: { id }, length });
const lengthOf = ({ length }: { readonly length: number }) => length;
const NO_LIMITS = { topK: 20, characters: Number.POSITIVE_INFINITY };

describe("choosing from the ordered list", () => {
  const LIST = [entry("a", 100), entry("b", 900), entry("c", 100), entry("d", 100)];
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
});
