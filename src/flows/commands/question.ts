// Answers a question from the thread of then, the finding, memory, and one question to the model.

import { sharesOfFile } from "../../analyze/analyze.ts";
import { hasAccess, mayAsk } from "../../domain/command.ts";
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import type { Finding } from "../../domain/finding.ts";
import { costOf } from "../../domain/model.ts";
import type { Precedents } from "../../domain/retrieval.ts";
import { parseFindingMarker } from "../../domain/review/marker.ts";
import { counted } from "../../domain/text/counted.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { isoDate } from "../../domain/text/iso-date.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { gatherSettings, gatherThread } from "../../gather/gather.ts";
import { retrieveForQuestion } from "../../retrieve/retrieve.ts";
import { type Answered, answer } from "../../review/review.ts";
import { logRetrieval } from "../memory/search-memory.ts";
import { knownFor, modelAllowance, remainingAfter, retrievalShare } from "../review/model-allowance.ts";
import { type CommandContext, findingsOfThread, isWriter } from "./order.ts";
import { explainReview } from "./review-commands.ts";

const WHY = "Why was this said, in which case does it matter, and what was decided about it before?";

/** Why a finding was reported; outside threads, why there is a review or none. */
export async function explainThread(order: CommandContext): Promise<Answer> {
  if (order.job.comment.rootId === null) return explainReview(order);
  const found = await findingsOfThread(order);
  if ("end" in found) return found;
  return answerQuestion({ ...order, text: WHY });
}

/** Answers the order's text. */
export async function answerQuestion(order: CommandContext): Promise<Answer> {
  const { job, key, text, level, isAuthor, ports, stage } = order;
  if (text === "") return plainAnswer("failed", "Ask something: `/kodiai ask Is the lock needed here?`", "no question");
  const { repo, number, comment, pull } = job;
  const { config } = await stage("gather", () => gatherSettings(job, ports.pulls, knownFor(ports)));
  const thread = await stage("gather", () => gatherThread(job, ports.threads));
  const findings = await findingsOf(order, thread.comments);
  const question = { repo, pull: { number }, text, about: findings[0]?.title ?? "" };
  const { knowledge } = config;
  const at = ports.now();
  const access = mayAsk("ask", level, isAuthor) || hasAccess(level, "triage") ? ports.access : null;
  const asker = { isOutsider: !isWriter(order), isReview: false, signal: ports.signal };
  const allowance = await modelAllowance(config.review, repo, access, at, asker);
  const searching = { ...ports, allowance: retrievalShare(allowance) };
  const latest = await ports.records.latest(key);
  const { path } = comment;
  const changed = latest?.signals.files.map((file) => file.path) ?? [];
  const languages = path === null ? [] : sharesOfFile(path, changed);
  const before = thread.comments
    .filter(({ id }) => id !== comment.id)
    .slice(-1)
    .map(({ body }) => visibleText(body).text);
  const description = visibleText(`${pull.title}\n${pull.description}`).text;
  const around = { path, languages, before, description, changed };
  const precedents = await stage("retrieve", () =>
    retrieveForQuestion({ ...question, ...around }, searching, { knowledge, now: at }),
  );
  await logRetrieval(precedents, { repo, number, origin: "question", retrieval: knowledge.retrieval, at }, ports);
  const spent = precedents.modelCosts;
  const answered = await stage("review", () =>
    answer(
      {
        text,
        repo: `${repo.owner}/${repo.name}`,
        title: pull.title,
        path,
        hunk: comment.hunk,
        thread: thread.comments.map(({ author, isOurs, body }) => ({ login: author.login, isOurs, body })),
        findings,
        walkthrough: latest?.walkthrough ?? null,
        precedents: precedents.ranked,
        maxContextChars: knowledge.retrieval.maxContextChars,
        language: config.review.language,
      },
      remainingAfter(allowance, spent),
    ),
  );
  return written({ ...answered, cost: costOf([answered.cost, ...spent]) }, findings, precedents, thread.leftOut);
}

/** In the thread of a finding that one; elsewhere those of the latest review. */
async function findingsOf(
  { job, key, ports }: CommandContext,
  thread: Awaited<ReturnType<typeof gatherThread>>["comments"],
): Promise<readonly Finding[]> {
  const root = thread.find(({ id, isOurs }) => id === job.comment.rootId && isOurs);
  const findingIds = root === undefined ? [] : parseFindingMarker(root.body);
  if (findingIds.length > 0) {
    const findings = await Promise.all(findingIds.map((id) => ports.records.finding(key, id)));
    return findings.filter((finding) => finding !== null);
  }
  if (job.comment.rootId !== null) return [];
  const latest = await ports.records.latest(key);
  return latest?.findings.map(({ finding }) => finding) ?? [];
}

function written(
  { text, reason, model, cost }: Answered,
  findings: readonly Finding[],
  precedents: Precedents,
  leftOut: number,
): Answer {
  const changed = {
    part: "thread",
    reason: `${counted(leftOut, "comment was", "comments were")} written or changed after the question`,
  };
  const around = {
    sources: precedents.ranked.map(({ record }) => ({
      label: [isoDate(record.provenance.at), record.outcome ?? ""].filter((part) => part !== "").join(", "),
      url: record.provenance.url,
    })),
    degraded: [...precedents.degraded, ...(leftOut === 0 ? [] : [changed])],
  };
  if (text === null) {
    const fallback = withoutModel(reason ?? "", findings, precedents);
    return { ...plainAnswer("done", fallback, `answered without a model: ${reason}`), ...around };
  }
  const usd = cost.usd === null ? "" : `, USD ${cost.usd.toFixed(4)}`;
  const footer = `Cost: ${cost.inputTokens} tokens in, ${cost.outputTokens} out (\`${model}\`)${usd}`;
  return { ...plainAnswer("done", text, `answered, memory ${precedents.gate.decidedBy}`), ...around, footer };
}

function withoutModel(reason: string, findings: readonly Finding[], { ranked }: Precedents): string {
  const [finding] = findings;
  const about =
    finding === undefined || findings.length > 1
      ? []
      : [
          `The finding: ${finding.title} (${finding.severity}, ${finding.category}, \`${finding.path}:${finding.line}\`).`,
          finding.body,
          finding.rule === null ? "" : `It comes from the rule \`${finding.rule}\`, not from a model.`,
        ];
  const before = ranked
    .slice(0, 3)
    .map(({ record }) => `- ${record.outcome ?? "said before"}: ${cutText(record.text.replace(/\s+/g, " "), 200)}`);
  const known = [...about, before.length === 0 ? "" : `Earlier comments on similar code:\n\n${before.join("\n")}`];
  const parts = known.filter((part) => part !== "");
  const nothing =
    parts.length === 0 ? " Nothing is known here that would answer the question." : " What is known without it:";
  return [`No model answers this (${reason}).${nothing}`, ...parts].join("\n\n");
}
