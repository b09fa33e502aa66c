// The log of a retrieval contains words of a pull request, so it is redacted here; a failure never affects the review.
import type { RetrievalLog } from "../../ports/memory.ts";
import type { SecretRedactor } from "./redact.ts";

/** @param onFailure called with the reason if an entry was not written; `write` itself never rejects */
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
