// The one redactor of a process, the secrets that it knows word by word, and what passes through it.
import { redactStrings, secretRedactor } from "../adapters/secrets/redact.ts";
import { type RedactedLog, redactedLog } from "../adapters/secrets/redacted-log.ts";
import { redactedInbox, redactedQueue } from "../adapters/secrets/redacted-queue.ts";
import { redactedRetrievals } from "../adapters/secrets/redacted-retrievals.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { RetrievalLog } from "../ports/memory.ts";
import type { Queue } from "../ports.ts";

const own = new Set<string>();

/** Through it passes whatever leaves the process or is stored. */
export const redactor = secretRedactor(own);

/** Nothing that leaves or is stored from here on holds one of these, in its own form or encoded. */
export function registerSecrets(...secrets: readonly (string | null)[]): void {
  for (const secret of secrets) if (secret !== null) own.add(secret);
}

/** Of an address; null without one. */
export function passwordIn(url: string): string | null {
  const password = URL.parse(url)?.password ?? "";
  return password === "" ? null : decodeURIComponent(password);
}

/** The text with every secret masked; the line count stays. */
export async function redact(text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

/** The log as reviews and searches write it: without secrets, and never rejecting. */
export function safeRetrievals(log: RetrievalLog, onUnrecorded: (error: unknown) => void): RetrievalLog {
  return redactedRetrievals(log, redactor, onUnrecorded);
}

/** The inbox without secrets in what it keeps of deliveries that ask nothing, the queue without any in how jobs ended. */
export function withoutSecretsTaken<Kept extends { readonly inbox: Inbox; readonly queue: Queue }>(kept: Kept): Kept {
  return { ...kept, inbox: redactedInbox(kept.inbox, redactor), queue: redactedQueue(kept.queue, redactor) };
}

/** The value with `‹redacted:KIND›` in place of every secret in its texts; line numbers inside a text stay true. */
export function withoutSecrets<T>(value: T): Promise<T> {
  return redactStrings(value, redactor);
}

/** A destination for pino that hands each line on without secrets. */
export function logWithoutSecrets(handOn: (line: string) => void): RedactedLog {
  return redactedLog(handOn, redactor);
}
