// Answers comments that people write to us, from top to bottom:
//
//   CommandJob -> count -> for us? -> who -> count -> acknowledge -> may they -> do it -> answer
//
// Everything a comment says comes from its signed delivery. People without permission are refused
// in words once a day, and nothing is done. Comments beyond the limits cost no request.
import { configView } from "../../config/config-view.ts";
import {
  type AccessLevel,
  type CommandJob,
  hasAccess,
  mayAsk,
  NEAR,
  type Verb,
  verbEntry,
} from "../../domain/command.ts";
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import { TooExpensive, Transient } from "../../domain/errors.ts";
import { jobKey } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import { counted } from "../../domain/text/counted.ts";
import { gatherSettings } from "../../gather/gather.ts";
import type { AnsweredComment } from "../../ports/conversation.ts";
import { acknowledge, isAnswered, publishAnswer } from "../../publish/publish.ts";
import { knownFor } from "../review/model-allowance.ts";
import type { Stage } from "../review/review-ports.ts";
import { countMemory, forgetMemory, rememberText } from "./memory-commands.ts";
import type { CommandContext, CommandPorts } from "./order.ts";
import { answerQuestion, explainThread } from "./question.ts";
import { help, pauseReviews, resumeReviews, startReview, stopReview, summarise } from "./review-commands.ts";
import { ignoreFinding, resolveThread, restoreFinding } from "./thread.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Commands of one person an hour and repository: with access, without, as an author without. */
const COMMANDS_AN_HOUR = 30;
const STRANGERS_COMMANDS_AN_HOUR = 5;
const AUTHORS_COMMANDS_AN_HOUR = 10;
/** Of all people without access together, except those whom GitHub calls near to the repository. */
const ALL_STRANGERS_COMMANDS_AN_HOUR = 100;
/** What is recorded of a stranger: a comment that was answered, and one that was refused. */
const STRANGERS = ["stranger", "denied"] as const;
/** Consecutive answers in a thread to replies that do not name us. */
const REPLIES_IN_A_ROW = 3;

const HANDLERS: Readonly<Record<Verb, (order: CommandContext) => Promise<Answer>>> = {
  review: startReview,
  "full review": startReview,
  summary: summarise,
  explain: explainThread,
  ask: answerQuestion,
  stop: stopReview,
  pause: pauseReviews,
  resume: resumeReviews,
  ignore: ignoreFinding,
  resolve: resolveThread,
  remember: rememberText,
  forget: forgetMemory,
  restore: restoreFinding,
  memory: countMemory,
  config: showConfig,
  help,
};

/**
 * Does and answers what one comment asks, with one visible effect however often the job runs.
 *
 * @returns one line on how it ended
 * @throws Transient when a retry may succeed; anything else is a bug, which the answer reports
 */
export async function answerComment(job: CommandJob, ports: CommandPorts, stage: Stage): Promise<string> {
  const ignored = await notForUs(job, ports);
  if (ignored !== null) return `ignored: ${ignored}`;

  const order = await admitted(job, ports, stage);
  if (typeof order === "string") return order;

  const before = isNamed(job) ? 0 : await ports.answers.repliesInARow(entryOf(job));
  if (before >= REPLIES_IN_A_ROW) return `ignored: ${REPLIES_IN_A_ROW} answers in a row; waits to be named`;
  const kind = isKnown(order) ? (isNamed(job) ? "command" : "reply") : "stranger";
  await ports.answers.record({ ...entryOf(job), kind, at: ports.now() });
  if (await isAnswered(job, ports.replies)) return "answered before";
  if (!isNamed(job)) await acknowledge(job, ports.replies);
  const answer = await carryOut(order);
  const isLast = !isNamed(job) && before === REPLIES_IN_A_ROW - 1;
  const { url, isShown } = await stage("publish", () =>
    publishAnswer(job, isLast ? nameMe(answer) : answer, ports.replies),
  );
  return `${answer.end}: ${answer.note}${url === null ? "" : ` ${url}`}${isShown ? "" : "; GitHub refused the reaction"}`;
}

/** One person or many strangers exceed the limit; or a reply in a thread that is not ours. */
async function notForUs(job: CommandJob, ports: CommandPorts): Promise<string | null> {
  const flood = (await tooMany(job, ports, COMMANDS_AN_HOUR)) ?? (await tooManyStrangers(job, ports));
  if (flood !== null || isNamed(job)) return flood;
  const { rootId } = job.comment;
  const root = rootId === null ? null : await ports.threads.root(job.repo, rootId);
  return root?.isOurs === true ? null : "a reply in a thread that is not ours";
}

async function admitted(job: CommandJob, ports: CommandPorts, stage: Stage): Promise<CommandContext | string> {
  const { repo, number, comment, command } = job;
  const level = await ports.permissions.of(repo, comment.author);
  const isAuthor = comment.author.id === job.pull.authorId;
  const person = { level, isAuthor };
  const most = isAuthor ? AUTHORS_COMMANDS_AN_HOUR : STRANGERS_COMMANDS_AN_HOUR;
  const flood = hasAccess(level, "triage") ? null : await tooMany(job, ports, most);
  if (flood !== null) return `ignored: ${flood}`;
  if (isNamed(job)) await acknowledge(job, ports.replies);
  if (command.kind === "unknown") return refuse(job, ports, hint(command), person);
  const verb = command.kind === "verb" ? command.verb : "ask";
  const order = { job, key: jobKey(repo, number), verb, text: command.text, level, isAuthor, ports, stage };
  if (mayAsk(verb, level, isAuthor)) return order;
  return isNamed(job)
    ? refuse(job, ports, notPermitted(verb, level), person, false)
    : "ignored: a reply by a person without permission to ask";
}

/** People with access, and the author of the pull request. Everybody else is a stranger. */
function isKnown({ level, isAuthor }: Pick<CommandContext, "level" | "isAuthor">): boolean {
  return hasAccess(level, "triage") || isAuthor;
}

/** For people near to the repository a flood by others is no reason not to ask. */
async function tooManyStrangers({ repo, comment, pull }: CommandJob, ports: CommandPorts): Promise<string | null> {
  const { id, association } = comment.author;
  if (NEAR.has(association) || id === pull.authorId) return null;
  const given = await ports.answers.strangers(repoKey(repo), ports.now() - HOUR_MS);
  return given < ALL_STRANGERS_COMMANDS_AN_HOUR
    ? null
    : `${given} comments of people without access were answered within an hour`;
}

function isNamed({ command }: CommandJob): boolean {
  return command.kind !== "reply";
}

async function tooMany(job: CommandJob, ports: CommandPorts, most: number): Promise<string | null> {
  const since = ports.now() - HOUR_MS;
  let given = 0;
  for (const kind of ["command", "reply", "refusal", ...STRANGERS] as const) {
    given += await ports.answers.given(entryOf(job), kind, since);
  }
  return given < most ? null : `${given} comments of this person were answered within an hour`;
}

/** The reaction each time; the text once a day, or each time for people with access. */
async function refuse(
  job: CommandJob,
  ports: CommandPorts,
  answer: Answer,
  person: Pick<CommandContext, "level" | "isAuthor">,
  always = isKnown(person),
): Promise<string> {
  const kind = isKnown(person) ? "refusal" : "denied";
  const wasRefused = (await ports.answers.given(entryOf(job), kind, ports.now() - DAY_MS)) > 0;
  await ports.answers.record({ ...entryOf(job), kind, at: ports.now() });
  const text = (wasRefused && !always) || (await isAnswered(job, ports.replies)) ? null : answer.text;
  await publishAnswer(job, { ...answer, text }, ports.replies);
  return `${answer.end}: ${answer.note}`;
}

function notPermitted(verb: Verb, level: AccessLevel): Answer {
  const text = `\`${verb}\` needs ${verbEntry(verb).least} access to this repository.`;
  return plainAnswer("refused", text, `${verb} by a person with ${level} access`);
}

function hint({ word, nearest }: { readonly word: string; readonly nearest: Verb | null }): Answer {
  const meant = nearest === null ? "" : ` Did you mean \`/kodiai ${nearest}\`?`;
  const text = `\`${word.replaceAll("`", "")}\` is not a command.${meant} \`/kodiai help\` lists what is wrong.`;
  return plainAnswer("failed", text, "unknown command");
}

/** Reports a bug to the asker; the job is then parked with its cause, as everywhere. */
async function carryOut(order: CommandContext): Promise<Answer> {
  try {
    return await HANDLERS[order.verb](order);
  } catch (error) {
    if (error instanceof Transient) throw error;
    const text = "An internal error occurred; the operator's log has the cause.";
    await publishAnswer(order.job, plainAnswer("failed", text, "bug"), order.ports.replies);
    throw error;
  }
}

/**
 * Answers that the change is too expensive to read, instead of another attempt.
 *
 * @throws TooExpensive when it is said, which parks the job; Transient when GitHub refuses it now
 */
export async function giveUpAnswer(job: CommandJob, { replies }: Pick<CommandPorts, "replies">): Promise<never> {
  const tooExpensive = new TooExpensive();
  const { message } = tooExpensive;
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  if (!(await isAnswered(job, replies))) await publishAnswer(job, plainAnswer("failed", text, message), replies);
  throw tooExpensive;
}

function nameMe(answer: Answer): Answer {
  const how = "To continue here, mention me: `/kodiai`.";
  return { ...answer, footer: [answer.footer, how].filter((part) => part !== "").join(" ") };
}

async function showConfig({ job, ports, stage }: CommandContext): Promise<Answer> {
  const read = () => gatherSettings(job, ports.pulls, knownFor(ports));
  const { config, problems, origins, used } = await stage("gather", read);
  const wrong =
    problems.length === 0 ? "" : `\n\n${counted(problems.length, "problem")}; the summary of a review lists them.`;
  return plainAnswer("done", `\`\`\`yaml\n# ${used}\n${configView(config, origins)}\n\`\`\`${wrong}`, "configuration");
}

function entryOf({ key, repo, number, comment }: CommandJob): AnsweredComment {
  const place = comment.rootId === null ? "conversation" : `thread-${comment.rootId}`;
  return { comment: key, repo: repoKey(repo), thread: `${jobKey(repo, number)}!${place}`, userId: comment.author.id };
}
