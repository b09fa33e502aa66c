// A twentieth of them, each dialect its own; all of them in malformed-reviews.slow.test.ts.
import { malformedReviews } from "./malformed-reviews.ts";

malformedReviews(20);
