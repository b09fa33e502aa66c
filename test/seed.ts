// Property tests try the same cases again on every run of the same commit, so that what is red was
// made red by the change. KODIAI_TEST_SEED=random looks for cases that nobody has seen yet; a
// number repeats those of such a run.
import fc from "fast-check";

const asked = process.env.KODIAI_TEST_SEED ?? "20260101";
if (asked !== "random") {
  const seed = Number(asked);
  if (!Number.isSafeInteger(seed)) throw new Error(`KODIAI_TEST_SEED is "${asked}": a whole number, or "random"`);
  fc.configureGlobal({ seed });
}
