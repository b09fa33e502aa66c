// Check runs of a dry run: told, not made.
import type { Checks } from "../../ports/checks.ts";
import type { Unposted } from "./reviews.ts";

/** Ids that GitHub never gives. */
let last = 0;

/** Each end is told to `record`; GitHub is not asked. */
export function dryRunChecks(record: (unposted: Unposted) => void): Checks {
  return {
    begin: () => Promise.resolve(--last),
    async end(_repo, _id, { conclusion, title, annotations }) {
      const comments = annotations.map(({ path, message }) => ({ path, body: message }));
      record({ what: "check run", body: `${conclusion}: ${title}`, comments });
    },
  };
}
