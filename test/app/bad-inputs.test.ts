import { expect, test } from "vitest";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { aJob, aPull } from "../fakes/pull-requests.ts";
import { badInputs, expectSound } from "./bad-inputs.ts";
import { reviewed } from "./pipeline.ts";

// All of them in bad-inputs.slow.test.ts.
badInputs(8);

test("the pipeline's own worst texts are bounded: a title, a path and a line of a megabyte", async () => {
  const long = "a/".repeat(500_000);
  const review = await reviewed({
    files: { "src/a.py": `x = "${long}"\n` },
    world: { pull: aPull({ title: long, body: long.repeat(2) }) },
    job: aJob({ explicit: true }),
  });
  expectSound(review);
  expect(reviewMarkdown(review).length).toBeLessThan(65_536);
});
