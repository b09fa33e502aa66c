// review_diff: reviews a unified diff like the command line does. Nothing is posted.

import { z } from "zod";
import { UsageError } from "../config/usage-error.ts";
import { commandLineJob } from "../domain/job.ts";
import { quietVerdict, type Review, unreadDiff } from "../domain/review.ts";
import { writeReview } from "../flows/review/review-pull-request.ts";
import { repositoryField, repositoryOf, type Tool } from "./tool.ts";

/** UTF-16 units of a diff, GitHub's own limit. */
export const MOST_DIFF = 1_048_576;
/** Reviews kept for explain_finding. */
const MOST_RECENT = 20;

const input = z.strictObject({
  diff: z.string().min(1).max(MOST_DIFF).describe("A unified diff, as `git diff` prints it."),
  title: z.string().min(1).max(300).default("a diff").describe("What the change does, as a commit would say it."),
  repository: repositoryField,
});

export const reviewDiff: Tool<typeof input> = {
  name: "review_diff",
  title: "Review a diff",
  description:
    "Reviews a unified diff by deterministic rules and by what reviewers said before, and by the model where the server has one. Returns findings with file, line, severity and reason, and what was held back or left out, and why. Posts nothing.",
  input,
  async run({ diff, title, repository }, ports, signal) {
    const repo = await repositoryOf(repository, ports);
    const change = await ports.change(repo, diff, title, signal);
    const written = await writeReview(commandLineJob(change.repo, change.number, change.headSha), change.ports, enter);
    const failed = written.kind === "skipped" ? written.reason : unreadDiff(written);
    if (written.kind === "skipped" || failed !== null) throw new UsageError(`not reviewed: ${failed}`);
    ports.recent.unshift(written);
    ports.recent.splice(MOST_RECENT);
    return { value: shownReview(written), lists: ["findings", "heldBack", "leftOut", "reviewed", "configProblems"] };
  },
};

function shownReview(review: Review): Record<string, unknown> {
  const { signals, memory, coverage, cost, walkthrough, heldBack, leftOut, degraded, configProblems, reviewed } =
    review;
  const { head, rest } = quietVerdict(review);
  return {
    version: 1,
    verdict: review.findings.length === 0 ? `${head}${rest}` : null,
    findings: review.findings.map(({ finding, place, reason }) => ({ ...finding, place, placeReason: reason })),
    heldBack: heldBack.map(({ finding, reason, precedent }) => ({
      id: finding.id,
      path: finding.path,
      line: finding.line,
      severity: finding.severity,
      title: finding.title,
      rule: finding.rule,
      reason,
      precedent: precedent ?? null,
    })),
    memory: { gate: memory.gate, precedents: memory.precedents, seenBefore: memory.seenBefore },
    change: { intent: signals.intent.type, languages: signals.languages, risks: signals.risks },
    walkthrough,
    coverage: coverage === null ? "no model was asked" : { model: coverage.model, questions: coverage.questions },
    reviewed,
    leftOut: leftOut.map(({ path, reason }) => ({ path, reason })),
    degraded: degraded.map(({ part, reason }) => ({ part, reason })),
    configProblems,
    cost,
  };
}

const enter = async <T>(_stage: string, work: () => T | Promise<T>): Promise<T> => work();
