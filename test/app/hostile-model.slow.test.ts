// A model that wants harm at length, through the running app: what it repeats stays inert and
// bounded.
import { test } from "vitest";
import { expectBounded, LONG } from "./hostile-replies.ts";

test.each(LONG)("two megabytes of %s in every place are bounded [T13]", async (_, piece) => {
  await expectBounded(piece, 2_000_000);
});
