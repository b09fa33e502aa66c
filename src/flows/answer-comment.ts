// What people write to us is answered, read top to bottom:
//
//   CommandJob -> is it for us -> seen (eyes) -> who asks -> may they -> do it -> answer | publish
//
// Everything that a comment says is taken from its signed delivery. Whoever may not is told once a day, and nothing is done.

import { configView } from "../config/config-view.ts";
import { type CommandJob, hasAccess, mayAsk, type Verb, verbEntry, verbList } from "../domain/command.ts";
import { type Answer, plainAnswer } from "../domain/conversation.ts";
import { jobKey } from "../domain/job.ts";
import { repoKey } from "../domain/memory.ts";
import { Transient } from "../domain/transient.ts";
import { gatherSettings } from "../gather/gather.ts";
import { acknowledge, isAnswered, publishAnswer } from "../publish/publish.ts";
import { countMemory, forgetMemory, rememberTold } from "./command-memory.ts";
import type { CommandPorts, Order } from "./command-order.ts";
import { answerQuestion, explainFinding } from "./command-question.ts";
import { pauseReviews, resumeReviews, startReview, stopReview, summarise } from "./command-review.ts";
import { ignoreFinding, resolveThread, restoreFinding } from "./command-thread.ts";
import type { Step } from "./review-pull-request.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Commands of one person in an hour and repository, with and without access to it. */
const COMMANDS_AN_HOUR = 30;
const STRANGERS_COMMANDS_AN_HOUR = 5;
/** Answers in a thread to replies that do not name us, until one does. */
const REPLIES_IN_A_ROW = 3;

const OBEY: Readonly<Record<Verb, (order: Order) => Promise<Answer>>> = {
  review: startReview,
  "full review": startReview,
  summary: summarise,
  explain: explainFinding,
  ask: answerQuestion,
  stop: stopReview,
  pause: pauseReviews,
  resume: resumeReviews,
  ignore: ignoreFinding,
  resolve: resolveThread,
  remember: rememberTold,
  forget: forgetMemory,
  restore: restoreFinding,
  memory: countMemory,
  config: showConfig,
  help: async () => plainAnswer("done", verbList(), "help"),
};

/**
 * Does and answers what one comment asks, with one visible effect however often the job runs.
 *
 * @returns one line on how it ended
 * @throws Transient when another try may succeed; anything else is a bug, which the asker is told of
 */
export async function answerComment(job: CommandJob, ports: CommandPorts, step: Step): Promise<string> {
  const { repo, comment, command } = job;
  const ignored = await notForUs(job, ports);
  if (ignored !== null) return `ignored: ${ignored}`;
  const isNamed = command.kind !== "reply";
  if (isNamed) await acknowledge(job, ports.replies);
  const level = await ports.permissions.of(repo, comment.author);
  const isAuthor = comment.author.id === job.pull.authorId;
  const flood = tooMany(job, ports, hasAccess(level, "triage"));
  if (flood !== null) return `ignored: ${flood}`;
  if (command.kind === "unknown") return refuse(job, ports, hint(command), hasAccess(level, "triage"));

  const verb = command.kind === "verb" ? command.verb : "ask";
  if (!mayAsk(verb, level, isAuthor)) {
    if (!isNamed) return "ignored: a reply of somebody who may not ask";
    const { least } = verbEntry(verb);
    const text = `\`${verb}\` takes ${least} access to this repository.`;
    return refuse(job, ports, plainAnswer("refused", text, `${verb} by somebody with ${level} access`), false);
  }
  if (await isAnswered(job, ports.replies)) return "answered before";
  if (!isNamed) await acknowledge(job, ports.replies);
  const key = jobKey(repo, job.number);
  const order: Order = { job, key, verb, text: command.text, level, isAuthor, ports, step };
  const answer = lastInARow(await obeyed(order), job, ports);
  ports.book.record({ ...entryOf(job, ports), kind: isNamed ? "command" : "reply" });
  const url = await step("publish", () => publishAnswer(job, answer, ports.replies));
  return `${answer.end}: ${answer.note}${url === null ? "" : ` ${url}`}`;
}

/** A reply that does not name us is for us in a thread of ours, a few times in a row. */
async function notForUs(job: CommandJob, ports: CommandPorts): Promise<string | null> {
  if (job.command.kind !== "reply") return null;
  const { rootId } = job.comment;
  if (ports.book.repliesInARow(threadOf(job)) >= REPLIES_IN_A_ROW) {
    return `${REPLIES_IN_A_ROW} answers in a row; waits to be named`;
  }
  const root = rootId === null ? null : await ports.threads.root(job.repo, rootId);
  return root?.isOurs === true ? null : "a reply in a thread that is not ours";
}

function tooMany(job: CommandJob, ports: CommandPorts, isKnown: boolean): string | null {
  const { repo, userId } = entryOf(job, ports);
  const given = ports.book.given({ repo, userId, kind: "command" }, ports.now() - HOUR_MS);
  const most = isKnown ? COMMANDS_AN_HOUR : STRANGERS_COMMANDS_AN_HOUR;
  return given < most ? null : `${given} commands of this person within an hour`;
}

/** The reaction each time; the words once a day, or each time to people with access. */
async function refuse(job: CommandJob, ports: CommandPorts, answer: Answer, always: boolean): Promise<string> {
  const entry = entryOf(job, ports);
  const { repo, userId } = entry;
  const told = ports.book.given({ repo, userId, kind: "refusal" }, ports.now() - DAY_MS) > 0;
  const text = (told && !always) || (await isAnswered(job, ports.replies)) ? null : answer.text;
  if (text !== null) ports.book.record({ ...entry, kind: "refusal" });
  await publishAnswer(job, { ...answer, text }, ports.replies);
  return `${answer.end}: ${answer.note}`;
}

function hint({ word, nearest }: { readonly word: string; readonly nearest: Verb | null }): Answer {
  const meant = nearest === null ? "" : ` Did you mean \`/kodiai ${nearest}\`?`;
  const text = `\`${word.replaceAll("`", "")}\` is none of the commands.${meant} \`/kodiai help\` lists them.`;
  return plainAnswer("failed", text, "unknown command");
}

/** A bug is said to the asker, and then parked with its cause as everywhere. */
async function obeyed(order: Order): Promise<Answer> {
  try {
    return await OBEY[order.verb](order);
  } catch (error) {
    if (error instanceof Transient) throw error;
    const text = "It failed on our side; the log of whoever runs Kodiai says why.";
    await publishAnswer(order.job, plainAnswer("failed", text, "bug"), order.ports.replies);
    throw error;
  }
}

function lastInARow(answer: Answer, job: CommandJob, ports: CommandPorts): Answer {
  const isLast = job.command.kind === "reply" && ports.book.repliesInARow(threadOf(job)) === REPLIES_IN_A_ROW - 1;
  if (!isLast) return answer;
  return {
    ...answer,
    footer: [answer.footer, "To go on here, name me: `/kodiai`."].filter((part) => part !== "").join(" "),
  };
}

async function showConfig({ job, ports, step }: Order): Promise<Answer> {
  const { config, problems } = await step("gather", () => gatherSettings(job, ports.pulls, ports.known));
  const wrong = problems.length === 0 ? "" : `\n\n${problems.length} problems; the summary of a review lists them.`;
  return plainAnswer("done", `\`\`\`yaml\n${configView(config)}\n\`\`\`${wrong}`, "configuration");
}

function threadOf({ repo, number, comment }: CommandJob): string {
  const place = comment.rootId === null ? "conversation" : `thread-${comment.rootId}`;
  return `${jobKey(repo, number)}!${place}`;
}

function entryOf(job: CommandJob, ports: CommandPorts) {
  return { repo: repoKey(job.repo), thread: threadOf(job), userId: job.comment.author.id, at: ports.now() };
}
