// When GitHub last answered: a GitHub that is away for hours is otherwise seen only in reviews that do not come.
import type { githubFetch } from "../wire/egress.ts";

type Fetch = ReturnType<typeof githubFetch>;

export interface AnswerClock {
  readonly fetch: Fetch;
  /** Milliseconds since the last answer but 5xx; null before the first. */
  sinceAnsweredMs(): number | null;
}

/** The same fetch, watched. A 5xx is no answer: it comes from what stands before GitHub, or from a GitHub that cannot. */
export function answerClock(fetch: Fetch): AnswerClock {
  let answeredAt: number | null = null;
  return {
    async fetch(...request) {
      const response = await fetch(...request);
      if (response.status < 500) answeredAt = performance.now();
      return response;
    },
    sinceAnsweredMs: () => (answeredAt === null ? null : performance.now() - answeredAt),
  };
}
