import { malformedReviews } from "./malformed-reviews.ts";

malformedReviews(1);
