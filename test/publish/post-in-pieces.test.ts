import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_POSTS, postInPieces } from "../../src/publish/post-in-pieces.ts";
import { runs } from "../property-runs.ts";

/** GitHub's diff explains nothing. */
const unexplained = async () => [];

/** Posts items to a GitHub that takes a piece unless it holds a bad one, and counts the posts. */
async function settle(
  items: readonly number[],
  bad: readonly number[],
  outside: (items: readonly number[]) => Promise<readonly number[]> = unexplained,
) {
  let posts = 0;
  const post = async (piece: readonly number[]) => {
    posts++;
    return piece.some((item) => bad.includes(item)) ? null : piece.join(",");
  };
  const settled = await postInPieces(items, post, outside);
  const taken = settled.posted.flatMap((piece) => piece.split(",").map(Number)).sort((a, b) => a - b);
  return { ...settled, posts, taken };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("postInPieces", () => {
  test("one post when nothing is refused, none when there is nothing", async () => {
    expect(await settle(upTo(10), [])).toMatchObject({
      posts: 1,
      posted: ["0,1,2,3,4,5,6,7,8,9"],
    });
    expect(await settle([], [])).toMatchObject({ posts: 0, posted: [] });
  });

  test.each(upTo(10))("one bad comment among ten, at %i, costs at most five more posts", async (bad) => {
    const settled = await settle(upTo(10), [bad]);
    expect(settled.refused).toEqual([bad]);
    expect(settled.untried).toEqual([]);
    expect(settled.taken).toHaveLength(9);
    expect(settled.posts).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(10)) + 1);
  });

  test("when nearly everything is refused the posts stay bounded and the rest is untried", async () => {
    const settled = await settle(upTo(20), upTo(20));
    expect(settled.posts).toBe(MAX_POSTS);
    expect(settled.refused.length + settled.untried.length).toBe(20);
    expect(settled.untried.length).toBeGreaterThan(0);
  });

  test.each([2, 6, 19])(
    "%i bad comments among twenty that GitHub's diff explains cost at most four posts",
    async (count) => {
      const bad = upTo(20)
        .filter((item) => item % Math.floor(20 / count) === 0)
        .slice(0, count);
      const settled = await settle(upTo(20), bad, async (left) => left.filter((one) => bad.includes(one)));
      expect(settled.refused).toEqual(bad);
      expect(settled.taken).toHaveLength(20 - count);
      expect(settled.posts).toBeLessThanOrEqual(4);
    },
  );

  test("no item is posted twice, none is lost, only bad ones are refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 20 }), fc.uniqueArray(fc.nat({ max: 19 })), async (count, bad) => {
        const settled = await settle(upTo(count), bad);
        expect([...settled.taken, ...settled.refused, ...settled.untried].sort((a, b) => a - b)).toEqual(upTo(count));
        expect(settled.refused.every((item) => bad.includes(item))).toBe(true);
        expect(settled.posts).toBeLessThanOrEqual(MAX_POSTS);
      }),
      runs(5000),
    );
  });
});
