// How a job ended is told in the words of whatever failed, and those may quote what they failed on: so they pass here.

import type { Arrival, Inbox } from "../../ports/inbox.ts";
import type { AnyJob, JobEnd, Lane, Queue } from "../../ports.ts";
import type { SecretRedactor } from "./redact.ts";

/** Reads through to `real`; the ends that it writes down are redacted. */
export function redactedQueue(real: Queue, redactor: SecretRedactor): Queue {
  const { end } = redactedLane(real, redactor);
  return {
    ...real,
    end,
    commands: redactedLane(real.commands, redactor),
    upkeep: redactedLane(real.upkeep, redactor),
  };
}

function redactedLane<Taken extends AnyJob>(real: Lane<Taken>, redactor: SecretRedactor): Lane<Taken> {
  const clean = async (text: string) => (await redactor.redact(text)).text;
  const safe = async (end: JobEnd): Promise<JobEnd> =>
    end.state === "done" ? { ...end, outcome: await clean(end.outcome) } : { ...end, reason: await clean(end.reason) };
  return { ...real, end: async (lease, end) => real.end(lease, await safe(end)) };
}

// What is written down of a delivery that asks nothing quotes it, so it passes here: without secrets.

export function redactedInbox(real: Inbox, redactor: SecretRedactor): Inbox {
  const safe = async (arrival: Arrival): Promise<Arrival> => {
    const { outcome } = arrival;
    // Reasons that quote nobody are our own words, and most deliveries ask nothing.
    if (outcome.kind !== "ignored" || !outcome.reason.includes('"')) return arrival;
    return { ...arrival, outcome: { ...outcome, reason: (await redactor.redact(outcome.reason)).text } };
  };
  return { ...real, take: async (batch) => real.take(await Promise.all(batch.map(safe))) };
}
