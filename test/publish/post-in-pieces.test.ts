import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_POSTS, postInPieces } from "../../src/publish/post-in-pieces.ts";
import { runs } from "../property-runs.ts";

/** GitHub's diff explains nothing. */
const unexplained = async () => [];

/** Takes a piece unless it holds a bad item. */
const refusing = (bad: readonly number[]) => async (piece: readonly number[]) =>
  piece.some((item) => bad.includes(item)) ? null : piece.join(",");

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("postInPieces", () => {
  test("one post when nothing is refused, none when there is nothing", async () => {
    expect(await postInPieces(upTo(10), refusing([]), unexplained)).toMatchObject({
      posts: 1,
      posted: ["0,1,2,3,4,5,6,7,8,9"],
    });
    expect(await postInPieces([], refusing([]), unexplained)).toMatchObject({ posts: 0, posted: [] });
  });

  test.each(upTo(10))("one bad comment among ten, at %i, costs at most five more posts", async (bad) => {
    const settled = await postInPieces(upTo(10), refusing([bad]), unexplained);
    expect(settled.refused).toEqual([bad]);
    expect(settled.untried).toEqual([]);
    expect(settled.taken).toHaveLength(9);
    expect(settled.posts).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(10)) + 1);
  });

  test("when nearly everything is refused the posts stay bounded and the rest is untried", async () => {
    const settled = await postInPieces(upTo(20), refusing(upTo(20)), unexplained);
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
      const settled = await postInPieces(upTo(20), refusing(bad), async (left) =>
        left.filter((one) => bad.includes(one)),
      );
      expect(settled.refused).toEqual(bad);
      expect(settled.taken).toHaveLength(20 - count);
      expect(settled.posts).toBeLessThanOrEqual(4);
    },
  );

  test("no item is posted twice, none is lost, only bad ones are refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 20 }), fc.uniqueArray(fc.nat({ max: 19 })), async (count, bad) => {
        const settled = await postInPieces(upTo(count), refusing(bad), unexplained);
        const posted = settled.posted.flatMap((piece) => piece.split(",").map(Number));
        expect([...posted].sort((a, b) => a - b)).toEqual(settled.taken);
        expect([...settled.taken, ...settled.refused, ...settled.untried].sort((a, b) => a - b)).toEqual(upTo(count));
        expect(settled.refused.every((item) => bad.includes(item))).toBe(true);
        expect(settled.posts).toBeLessThanOrEqual(MAX_POSTS);
      }),
      runs(5000),
    );
  });
});
