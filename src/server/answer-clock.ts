// Tracks when GitHub last answered. Otherwise an outage of hours would show only as missing reviews.
import type { githubFetch } from "../wire/egress.ts";

type Fetch = ReturnType<typeof githubFetch>;

/** Wraps fetch. A 5xx does not count as an answer: it comes from a proxy, or from GitHub during an outage. */
export function answerClock(fetch: Fetch) {
  let answeredAt: number | null = null;
  return {
    async fetch(...request: Parameters<Fetch>): ReturnType<Fetch> {
      const response = await fetch(...request);
      if (response.status < 500) answeredAt = performance.now();
      return response;
    },
    /** Milliseconds since the last answer other than 5xx; null before the first. */
    sinceAnsweredMs: () => (answeredAt === null ? null : performance.now() - answeredAt),
  };
}
