// The process's redactor, its registered secrets, and wrappers that redact.

import { type RedactedLog, redactedLog, redactStrings, secretRedactor } from "../adapters/secrets/redact.ts";
import { redactedInbox, redactedQueue, redactedRetrievals } from "../adapters/secrets/redacted-reviews.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { RetrievalLog } from "../ports/memory.ts";
import type { Queue } from "../ports.ts";

const own = new Set<string>();

/** Redacts everything that leaves the process or is stored. */
export const redactor = secretRedactor(own);

export function registerSecrets(...secrets: readonly (string | null)[]): void {
  for (const secret of secrets) if (secret !== null) own.add(secret);
}

/** The password of a URL; null without one. */
export function passwordIn(url: string): string | null {
  const password = URL.parse(url)?.password ?? "";
  return password === "" ? null : decodeURIComponent(password);
}

/** Masks every secret in a text; keeps the line count. */
export async function redact(text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

/** The retrieval log for reviews and searches: redacted, and never rejecting. */
export function safeRetrievals(log: RetrievalLog, onUnrecorded: (error: unknown) => void): RetrievalLog {
  return redactedRetrievals(log, redactor, onUnrecorded);
}

/** Redacts reasons of ignored deliveries in the inbox, and outcomes of jobs in the queue. */
export function withoutSecretsTaken<Kept extends { readonly inbox: Inbox; readonly queue: Queue }>(kept: Kept): Kept {
  return { ...kept, inbox: redactedInbox(kept.inbox, redactor), queue: redactedQueue(kept.queue, redactor) };
}

/** Replaces every secret in a value's texts with `‹redacted:KIND›`; keeps line numbers. */
export function withoutSecrets<T>(value: T): Promise<T> {
  return redactStrings(value, redactor);
}

export function logWithoutSecrets(handOn: (line: string) => void): RedactedLog {
  return redactedLog(handOn, redactor);
}
