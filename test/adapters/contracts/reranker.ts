import { describe, expect, test } from "vitest";
import type { RerankCandidate, Reranker } from "../../../src/ports/memory.ts";

export const CANDIDATES: readonly RerankCandidate[] = [
  { id: "mem_a", text: "The cache is read without the lock.", path: "src/cache.cpp", type: "finding", language: "cpp" },
  { id: "mem_b", text: "", path: null, type: "doc", language: "unknown" },
  { id: "mem_c", text: "Escape the name before it goes into SQL.", path: "api/users.py", language: "python" },
  { id: "mem_d", text: "Prefer `std::unique_ptr` over owning raw pointers.", path: "src/a.h" },
];
export const IDS = CANDIDATES.map(({ id }) => id);
export const QUERY = "Fix data race in cache";

export interface RerankerUnderTest {
  /** A reranker whose next answers name these places, best first; and the count of requests it made. */
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
    test("the order is the one that it names", async () => {
      const { reranker } = under().naming([2, 0, 3, 1]);
      const reranked = await reranker.rerank(QUERY, CANDIDATES, 3);
      expect(reranked.order).toEqual(["mem_c", "mem_a", "mem_d"]);
      expect(reranked.failed).toBeNull();
      const scores = IDS.map((id) => reranked.scores.get(id) ?? Number.NaN);
      expect(scores[2]).toBeGreaterThan(scores[0] ?? Number.NaN);
      expect(scores[0]).toBeGreaterThan(scores[3] ?? Number.NaN);
      expect(reranked.tokens).toBeGreaterThan(0);
      expect(reranked.usd).toBeGreaterThan(0);
      expect(reranked.ms).toBeGreaterThanOrEqual(0);
    });

    test("whom it does not name follows in the order given", async () => {
      const { reranker } = under().naming([3]);
      expect((await reranker.rerank(QUERY, CANDIDATES, 3)).order).toEqual(["mem_d", "mem_a", "mem_b"]);
    });

    test("places that do not exist or come twice are passed over", async () => {
      const { reranker } = under().naming([99, 1, -1, 1, 2.5, 4, 0]);
      const { order, failed } = await reranker.rerank(QUERY, CANDIDATES, 3);
      expect(order).toEqual(["mem_b", "mem_a", "mem_c"]);
      expect(failed).toBeNull();
    });

    test("an order that names no candidate keeps the given order, with a reason", async () => {
      const { reranker } = under().naming([]);
      expect(await reranker.rerank(QUERY, CANDIDATES, 2)).toMatchObject({
        order: ["mem_a", "mem_b"],
        failed: expect.stringMatching(/no candidate/),
      });
    });

    test.each([4, 5, 1000])("with no more than topK (%i) candidates no request is sent", async (topK) => {
      const { reranker, requests } = under().naming([3, 2, 1, 0]);
      expect(await reranker.rerank(QUERY, CANDIDATES, topK)).toMatchObject({ order: IDS, tokens: 0, failed: null });
      expect((await reranker.rerank(QUERY, [], topK)).order).toEqual([]);
      expect(requests()).toBe(0);
    });

    test.each(failures)(
      "%s: the order stays as given, with a reason, and no second request is sent",
      async (failure) => {
        const found = under().failing.find((one) => one.name === failure);
        const { reranker, requests } = found?.make() ?? under().naming([]);
        const reranked = await reranker.rerank(QUERY, CANDIDATES, 3);
        expect(reranked).toMatchObject({
          order: ["mem_a", "mem_b", "mem_c"],
          usd: 0,
          failed: expect.stringMatching(found?.reason ?? /^$/),
        });
        expect(reranked.scores.size).toBe(0);
        expect(reranked.failed).not.toContain("secret");
        expect(requests()).toBeLessThanOrEqual(1);
      },
    );
  });
}
