// What is written down of a delivery that asks nothing quotes it, so it passes here: without secrets.
import type { Arrival, Inbox } from "../../ports/inbox.ts";
import type { SecretRedactor } from "./redact.ts";

export function redactedInbox(real: Inbox, redactor: SecretRedactor): Inbox {
  const safe = async (arrival: Arrival): Promise<Arrival> => {
    const { outcome } = arrival;
    // Reasons that quote nobody are our own words, and most deliveries ask nothing.
    if (outcome.kind !== "ignored" || !outcome.reason.includes('"')) return arrival;
    return { ...arrival, outcome: { ...outcome, reason: (await redactor.redact(outcome.reason)).text } };
  };
  return { ...real, take: async (batch) => real.take(await Promise.all(batch.map(safe))) };
}
