import { describe, expect, test } from "vitest";
import type { RerankCandidate } from "../../../src/domain/retrieval.ts";
import type { Reranker } from "../../../src/ports/memory.ts";

const UNKNOWN = { path: null, type: null, language: null, outcome: null };
export const CANDIDATES: readonly RerankCandidate[] = [
  {
    ...{ ...UNKNOWN, id: "mem_a", text: "The cache is read without the lock." },
    ...{ path: "src/cache.cpp", type: "finding", language: "cpp" },
  },
  { ...UNKNOWN, id: "mem_b", text: "", type: "doc", language: "unknown" },
  {
    ...{ ...UNKNOWN, id: "mem_c", text: "Escape the name before it goes into SQL." },
    ...{ path: "api/users.py", language: "python" },
  },
  { ...UNKNOWN, id: "mem_d", text: "Prefer `std::unique_ptr` over owning raw pointers.", path: "src/a.h" },
];
export const IDS = CANDIDATES.map(({ id }) => id);
export const QUERY = "Fix data race in cache";

export interface RerankerUnderTest {
  /**
   * A reranker whose next answers name these places, best first; and the count of requests it made.
   */
  naming(places: readonly unknown[]): { readonly reranker: Reranker; requests(): number };
  /** Rerankers in trouble, each with the reason that is told. */
  readonly failing: readonly {
    readonly name: string;
    make(): { readonly reranker: Reranker; requests(): number };
    readonly reason: RegExp;
  }[];
}

/** What every reranker promises. */
export function rerankerContract(name: string, under: () => RerankerUnderTest, failures: readonly string[]): void {
  describe(`${name} keeps the promises of a reranker`, () => {
    const namedBy = async (reranker: Reranker) => [...(await reranker.rerank(QUERY, CANDIDATES, 3)).scores.keys()];

    test("the order is the one that it names", async () => {
      const { reranker } = under().naming([2, 0, 3, 1]);
      const reranked = await reranker.rerank(QUERY, CANDIDATES, 3);
      expect([...reranked.scores.keys()]).toEqual(["mem_c", "mem_a", "mem_d", "mem_b"]);
      expect(reranked.failed).toBeNull();
      const scores = [...reranked.scores.values()];
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(reranked.tokens).toBeGreaterThan(0);
      expect(reranked.usd).toBeGreaterThan(0);
      expect(reranked.ms).toBeGreaterThanOrEqual(0);
    });

    test("places that do not exist or come twice are passed over", async () => {
      const { reranker } = under().naming([99, 1, -1, 1, 2.5, 4, 0]);
      expect(await namedBy(reranker)).toEqual(["mem_b", "mem_a"]);
    });

    test("naming no candidate is a failure with its reason", async () => {
      const { reranker } = under().naming([]);
      expect(await reranker.rerank(QUERY, CANDIDATES, 2)).toMatchObject({
        scores: new Map(),
        failed: expect.stringMatching(/no candidate/),
      });
    });

    test.each([4, 5, 1000])("with no more than topK (%i) candidates no request is sent", async (topK) => {
      const { reranker, requests } = under().naming([3, 2, 1, 0]);
      const nothing = { scores: new Map(), tokens: 0, failed: null };
      expect(await reranker.rerank(QUERY, CANDIDATES, topK)).toMatchObject(nothing);
      expect(await reranker.rerank(QUERY, [], topK)).toMatchObject(nothing);
      expect(requests()).toBe(0);
    });

    test.each(failures)(
      "%s: there are no scores, there is a reason, and no second request is sent",
      async (failure) => {
        const found = under().failing.find((one) => one.name === failure);
        const { reranker, requests } = found?.make() ?? under().naming([]);
        const reranked = await reranker.rerank(QUERY, CANDIDATES, 3);
        expect(reranked).toMatchObject({ usd: 0, failed: expect.stringMatching(found?.reason ?? /^$/) });
        expect(reranked.scores.size).toBe(0);
        expect(reranked.failed).not.toContain("secret");
        expect(requests()).toBeLessThanOrEqual(1);
      },
    );
  });
}
