// Redacts how a job ended: the message of a failure may quote its input.
import type { CommandJob } from "../../domain/command.ts";
import type { Arrival, Inbox } from "../../ports/inbox.ts";
import type { AnyJob, JobEnd, Lane, Queue } from "../../ports.ts";
import type { SecretRedactor } from "./redact.ts";

/** Reads from `real`; the ends that it stores are redacted. */
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

/** Redacts what is stored of a delivery: a comment's text and its lines, and a reason with a quote. */
export function redactedInbox(real: Inbox, redactor: SecretRedactor): Inbox {
  const clean = async (text: string) => (await redactor.redact(text)).text;
  const safe = async (arrival: Arrival): Promise<Arrival> => {
    const { outcome } = arrival;
    if (outcome.kind === "command") return { ...arrival, outcome: await withoutSecrets(outcome, clean) };
    // Reasons without a quote are our own words, and most deliveries are ignored.
    if (outcome.kind !== "ignored" || !outcome.reason.includes('"')) return arrival;
    return { ...arrival, outcome: { ...outcome, reason: await clean(outcome.reason) } };
  };
  return { ...real, take: async (batch) => real.take(await Promise.all(batch.map(safe))) };
}

async function withoutSecrets(job: CommandJob, clean: (text: string) => Promise<string>): Promise<CommandJob> {
  const { command, comment, pull } = job;
  return {
    ...job,
    command:
      command.kind === "unknown"
        ? { ...command, word: await clean(command.word) }
        : { ...command, text: await clean(command.text) },
    comment: { ...comment, hunk: comment.hunk === null ? null : await clean(comment.hunk) },
    pull: {
      ...pull,
      title: await clean(pull.title),
      ...(pull.words === undefined ? {} : { words: await clean(pull.words) }),
    },
  };
}
