import { expect, test } from "vitest";
import { retrievalFigures } from "../../src/domain/figures/retrieval-figures.ts";
import type { RetrievalStatistics } from "../../src/ports/memory.ts";
import { cachedStatistics } from "../../src/store/reviews/retrievals.ts";

const FIVE_MINUTES = 5 * 60_000;
const DAY = { ms: 86_400_000, repo: null };

function given(read: RetrievalStatistics["read"] = () => Promise.resolve(retrievalFigures([], []))) {
  const world = { now: 1_000, reads: 0 };
  const inner: RetrievalStatistics = {
    read: (window) => {
      world.reads += 1;
      return read(window);
    },
  };
  return { world, cached: cachedStatistics(inner, () => world.now) };
}

test("a window is read once in five minutes, another window on its own [003-34]", async () => {
  const { world, cached } = given();
  await cached.read(DAY);
  world.now += FIVE_MINUTES - 1;
  await cached.read({ ...DAY });
  expect(world.reads).toBe(1);
  await cached.read({ ...DAY, repo: "acme/shop" });
  expect(world.reads).toBe(2);
  world.now += 1;
  await cached.read(DAY);
  expect(world.reads).toBe(3);
});

test("a reading that failed is tried again", async () => {
  const { world, cached } = given(() => Promise.reject(new Error("the database is locked")));
  await expect(cached.read(DAY)).rejects.toThrow("locked");
  await expect(cached.read(DAY)).rejects.toThrow("locked");
  expect(world.reads).toBe(2);
});
