// What is written down of a retrieval holds words of a pull request, so it passes here: without secrets, and without
// ever costing the review that it is about.
import type { RetrievalLog } from "../../ports/memory.ts";
import type { SecretRedactor } from "./redact.ts";

/** @param onFailure told why an entry was not written; `write` itself never rejects */
export function redactedRetrievals(
  real: RetrievalLog,
  redactor: SecretRedactor,
  onFailure: (error: unknown) => void,
): RetrievalLog {
  return {
    async write(entry) {
      try {
        await real.write({ ...entry, query: (await redactor.redact(entry.query)).text });
      } catch (error) {
        onFailure(error);
      }
    },
  };
}
