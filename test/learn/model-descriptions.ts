// What a model answers about a memory, good and bad.
export const SITUATION =
  "A loop submits a payment request again after every error it catches, without telling a declined card from a network timeout, " +
  "so that a request that the server has already processed is sent twice.";
export const LESSON =
  "Retry only on errors that cannot have taken effect, such as timeouts before the request was sent.";
export const TAGS = ["payment retry loop", "resubmits after error", "missing error distinction"];

/** A reply that breaks no rule; each field may be another. */
export function reply(over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    status: "memory",
    reason: null,
    situation: SITUATION,
    lesson: LESSON,
    tags: TAGS,
    confidence: "high",
    ...over,
  };
}
