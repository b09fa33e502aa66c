// Commands about reviews of a pull request: start, stop, pause, resume, summarise.

import { verbList } from "../../domain/command.ts";
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import { SEVERITIES } from "../../domain/finding.ts";
import { type ReviewJob, UNSHAPED } from "../../domain/job.ts";
import { isQuiet, quietVerdict, type Review } from "../../domain/review.ts";
import { paragraphs } from "../../domain/text/paragraphs.ts";
import { admit } from "../../gather/gather.ts";
import { writersOf } from "../review/check-run.ts";
import { knownFor } from "../review/model-allowance.ts";
import { addReview, type CommandContext, isWriter } from "./order.ts";

const FINDINGS = 20;

/** Starts a review at the newest head; the text of the order is its focus. */
export async function startReview(order: CommandContext): Promise<Answer> {
  const { job, key, verb, text, ports } = order;
  const { repo, number, delivery, installationId } = job;
  const head = await ports.reviews.head(repo, number);
  if (head.state === "closed") return plainAnswer("failed", "The pull request is closed.", "closed meanwhile");
  if (verb === "full review" && !isWriter(order) && (await ports.records.latest(key))?.headSha === head.sha) {
    const why =
      "This head was reviewed already: people with write access can request a full review. The next push is reviewed automatically.";
    return plainAnswer("refused", why, "full review of an unchanged head");
  }
  const skipped = isWriter(order) ? null : await skippedBecause(order, job.comment.author);
  if (skipped !== null) return plainAnswer("refused", `Not reviewed: ${skipped}.`, `not reviewed: ${skipped}`);
  const review: ReviewJob = {
    ...UNSHAPED,
    kind: "review",
    key,
    delivery,
    installationId,
    repo,
    number,
    headSha: head.sha,
    trigger: "command",
    explicit: true,
    askedBy: job.comment.author,
    whole: verb === "full review",
    focus: text === "" ? null : text,
    words: job.pull.words,
  };
  await ports.jobs.add(review, ports.now());
  return plainAnswer("started", null, `review of ${head.sha.slice(0, 7)}`);
}

/** Why policy does not review it on the request of `asker`, or after an event; null if it does. */
async function skippedBecause(
  { job, key, ports, stage }: CommandContext,
  asker: ReviewJob["askedBy"],
): Promise<string | null> {
  const { repo, number, delivery, installationId } = job;
  const place = { kind: "review", key, delivery, installationId, repo, number, headSha: "" } as const;
  const { pausedBy } = await ports.decisions.of(key);
  const people = { pausedBy, mayWrite: writersOf(repo, ports) };
  const review = { ...UNSHAPED, ...place, trigger: "command", explicit: asker !== null, askedBy: asker } as const;
  const admitted = await stage("gather", () => admit(review, ports.pulls, knownFor(ports), people));
  return admitted.kind === "skipped" ? admitted.reason : null;
}

/** Whether the pull request is reviewed, or why not, and what the latest review said. */
export async function explainReview(order: CommandContext): Promise<Answer> {
  const skipped = await skippedBecause(order, null);
  const latest = await order.ports.records.latest(order.key);
  const why = notReviewed(skipped);
  const none = skipped === null ? "This pull request was not reviewed yet. `/kodiai review` reviews it." : "";
  const summary = latest === null ? none : summaryText(latest);
  const how = "In the thread of a finding it explains the finding.";
  const text = paragraphs(why, summary, how);
  return plainAnswer("done", text, skipped === null ? "why: reviewed" : `why: ${skipped}`);
}

/** The list of commands, and first why the pull request is not reviewed, where it is not. */
export async function help(order: CommandContext): Promise<Answer> {
  const skipped = await skippedBecause(order, null);
  const parts = [notReviewed(skipped), verbList()].filter((part) => part !== "");
  return plainAnswer("done", parts.join("\n\n"), "help");
}

function notReviewed(skipped: string | null): string {
  return skipped === null ? "" : `Not reviewed automatically: ${skipped}.`;
}

export async function stopReview({ job, key, ports }: CommandContext): Promise<Answer> {
  const stopped = await ports.jobs.stop(key, `stopped by @${job.comment.author.login}`);
  const note = `${stopped.waiting} waiting and ${stopped.running} running reviews stopped`;
  const text = stopped.waiting + stopped.running === 0 ? "No review of this pull request is queued or running." : null;
  return plainAnswer("done", text, note);
}

export async function pauseReviews({ job, key, ports }: CommandContext): Promise<Answer> {
  await ports.decisions.pause(key, job.comment.author.login, ports.now());
  const text =
    "Pushes to this pull request are no longer reviewed automatically. `/kodiai resume` undoes this; `/kodiai review` still works.";
  return plainAnswer("done", text, "paused");
}

export async function resumeReviews(order: CommandContext): Promise<Answer> {
  const { key, ports } = order;
  const was = await ports.decisions.resume(key, ports.now());
  if (!was) return plainAnswer("done", "Reviews of this pull request are not paused.", "not paused");
  await addReview(order, "command");
  return plainAnswer("done", "The next push is reviewed again, and what was pushed meanwhile is now.", "resumed");
}

export async function summarise({ key, ports }: CommandContext): Promise<Answer> {
  const latest = await ports.records.latest(key);
  if (latest === null) {
    return plainAnswer("done", "This pull request was not reviewed yet. `/kodiai review` reviews it.", "no review yet");
  }
  return plainAnswer("done", summaryText(latest), "summary");
}

function summaryText(review: Review): string {
  const { findings, heldBack, headSha, degraded } = review;
  const bySeverity = Map.groupBy(findings, ({ finding }) => finding.severity);
  const counts = SEVERITIES.flatMap((severity) => {
    const own = bySeverity.get(severity);
    return own === undefined ? [] : [`${own.length} ${severity}`];
  });
  const lines = findings
    .slice(0, FINDINGS)
    .map(({ finding: { severity, title, path, line } }) => `- ${severity}: ${title} (\`${path}:${line}\`)`);
  const more = findings.length > FINDINGS ? [`- and ${findings.length - FINDINGS} more`] : [];
  const { head, rest, held } = quietVerdict(review);
  const quiet = isQuiet(review) ? " There was nothing to say." : "";
  const found = counts.length === 0 ? `${head}${rest}${held}` : counts.join(", ");
  return [
    `The latest review, of \`${headSha.slice(0, 7)}\`: ${found}.${quiet}`,
    review.walkthrough ?? "",
    [...lines, ...more].join("\n"),
    heldBack.length === 0 || counts.length === 0 ? "" : `Held back: ${heldBack.length}.`,
    degraded.length === 0 ? "" : `Incomplete: ${degraded.map(({ part }) => part).join(", ")}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
