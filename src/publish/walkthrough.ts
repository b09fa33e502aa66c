// What the change does, in the model's words.
import type { Review } from "../domain/review.ts";
import { sanitizeBlock } from "./sanitize.ts";

/** Code points: one to three sentences were asked for. */
const WALKTHROUGH_LIMIT = 800;

/** Nothing without a model. */
export function walkthroughLines({ walkthrough }: Review): readonly string[] {
  return walkthrough === null ? [] : [sanitizeBlock(walkthrough, WALKTHROUGH_LIMIT)];
}
