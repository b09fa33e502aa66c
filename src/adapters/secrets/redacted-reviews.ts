// Redacts a comment right before it goes to GitHub: no token, key or password leaves in it.

import type { CommandJob } from "../../domain/command.ts";
import type { Checks } from "../../ports/checks.ts";
import type { Replies } from "../../ports/conversation.ts";
import type { Arrival, Inbox } from "../../ports/inbox.ts";
import type { RetrievalLog } from "../../ports/memory.ts";
import type { AnyJob, JobEnd, Lane, Queue, Reviews } from "../../ports.ts";
import type { SecretRedactor } from "./redact.ts";

/** Our hidden markers at the end of a comment, which identify it and must not change. */
const MARKERS = /(?<!\s)(?:\s*<!-- kodiai:[a-z]+(?: \w+)* -->)+\s*$/;
const SUGGESTION = /^(`{3,})suggestion$/gm;

/** Reads from `real`; what it writes is redacted. Paths stay: GitHub places comments by them. */
export function redactedReviews(real: Reviews, redactor: SecretRedactor): Reviews {
  const clean = (body: string) => redactBody(body, redactor);
  return {
    head: (repo, number) => real.head(repo, number),
    postedFindings: (repo, number, headSha) => real.postedFindings(repo, number, headSha),
    outsideDiff: (repo, number, comments) => real.outsideDiff(repo, number, comments),
    async postReview(repo, number, headSha, body, comments) {
      const cleaned = await Promise.all(comments.map(async (one) => ({ ...one, body: await clean(one.body) })));
      return real.postReview(repo, number, headSha, await clean(body), cleaned);
    },
    async postFileComment(repo, number, headSha, path, body) {
      return real.postFileComment(repo, number, headSha, path, await clean(body));
    },
    async putSummary(repo, number, body, headSha) {
      return real.putSummary(repo, number, await clean(body), headSha);
    },
    async editSummary(repo, number, body, headSha) {
      return real.editSummary(repo, number, await clean(body), headSha);
    },
    showQuiet: (repo, number, headSha) => real.showQuiet(repo, number, headSha),
    endQuiet: (repo, number) => real.endQuiet(repo, number),
    async showNotice(repo, number, line, headSha) {
      return real.showNotice(repo, number, await clean(line), headSha);
    },
  };
}

/** A body without secrets; the hidden markers at its end stay unchanged. */
export async function redactBody(body: string, redactor: SecretRedactor): Promise<string> {
  const at = MARKERS.exec(body)?.index ?? body.length;
  const { text, found } = await redactor.redactMarkdown(body.slice(0, at));
  // A committed suggestion would write the placeholder into the code.
  const shown = found.length === 0 ? text : text.replace(SUGGESTION, "$1");
  return shown + body.slice(at);
}

/** Reads from `real`; what it writes is redacted. */
export function redactedReplies(real: Replies, redactor: SecretRedactor): Replies {
  return {
    ...real,
    reply: async (repo, number, to, body) => real.reply(repo, number, to, await redactBody(body, redactor)),
  };
}

/** Writes through to `real`, redacted. Paths stay: GitHub places annotations by them. */
export function redactedChecks(real: Checks, redactor: SecretRedactor): Checks {
  const clean = async (text: string) => (await redactor.redact(text)).text;
  const cleanMarkdown = async (text: string) => (await redactor.redactMarkdown(text)).text;
  return {
    begin: (repo, number, headSha, after) => real.begin(repo, number, headSha, after),
    async end(repo, id, end) {
      const annotations = end.annotations.map(async (one) => ({
        ...one,
        title: await clean(one.title),
        message: await clean(one.message),
      }));
      return real.end(repo, id, {
        ...end,
        title: await clean(end.title),
        summary: await cleanMarkdown(end.summary),
        text: await cleanMarkdown(end.text),
        annotations: await Promise.all(annotations),
      });
    },
  };
}

/** Reads from `real`. Redacts the ends that it stores: a failure may quote its input. */
export function redactedQueue(real: Queue, redactor: SecretRedactor): Queue {
  const [commands, upkeep] = [redactedLane(real.commands, redactor), redactedLane(real.upkeep, redactor)];
  return { ...real, end: redactedLane(real, redactor).end, commands, upkeep };
}

function redactedLane<Taken extends AnyJob>(real: Lane<Taken>, redactor: SecretRedactor): Lane<Taken> {
  const clean = async (text: string) => (await redactor.redact(text)).text;
  const safe = async (end: JobEnd): Promise<JobEnd> =>
    end.state === "done" ? { ...end, outcome: await clean(end.outcome) } : { ...end, reason: await clean(end.reason) };
  return { ...real, end: async (lease, end) => real.end(lease, await safe(end)) };
}

/** Redacts what is stored of a delivery: a comment's text and lines, a reason with a quote. */
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
    pull: { ...pull, title: await clean(pull.title) },
  };
}

/**
 * The log of a retrieval contains words of a pull request; a failure never affects the review.
 *
 * @param onFailure called with the reason if an entry was not written; `write` itself never rejects
 */
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
