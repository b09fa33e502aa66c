// review_diff and review_changes: review a diff, or what changed in the clone. Nothing is posted.

import { z } from "zod";
import { UsageError } from "../config/usage-error.ts";
import { commandLineJob } from "../domain/job.ts";
import { quietVerdict, type Review, unreadDiff } from "../domain/review.ts";
import { writeReview } from "../flows/review/review-pull-request.ts";
import type { NamedChange } from "../wire/cli/change.ts";
import type { McpPorts } from "../wire/cli/mcp.ts";
import { repositoryField, repositoryOf, type Tool } from "./tool.ts";

/** UTF-16 units of a diff, GitHub's own limit. */
const MOST_DIFF = 1_048_576;
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
    return reviewed(await ports.change(repo, { kind: "diff", text: diff, title }, signal), ports);
  },
};

const changes = z.strictObject({
  what: z
    .enum(["working tree", "staged", "range"])
    .default("working tree")
    .describe("All uncommitted work, what is staged, or commits."),
  base: z.string().min(1).max(250).optional().describe("range: the commit or branch that the head left."),
  head: z.string().min(1).max(250).optional().describe("range: its last commit. Left out: HEAD."),
});

export const reviewChanges: Tool<typeof changes> = {
  name: "review_changes",
  title: "Review what changed in the clone",
  description:
    "Reviews uncommitted work, what is staged, or a range of commits of the clone that the server was started in, as review_diff does, with whole files at hand. Posts nothing.",
  input: changes,
  async run({ what, base, head }, ports, signal) {
    if (!ports.hasClone) throw new UsageError("the server was started for no clone; use review_diff");
    return reviewed(await ports.change(ports.repo, rangeOf(what, base, head), signal), ports);
  },
};

function rangeOf(what: z.output<typeof changes>["what"], base: string | undefined, head: string | undefined) {
  if (what !== "range") {
    if (base !== undefined || head !== undefined) throw new UsageError("base and head are for what: range");
    return { kind: what === "staged" ? "staged" : "uncommitted" } as const;
  }
  if (base === undefined) throw new UsageError("a range needs its base: the commit or branch that the work began at");
  return { kind: "commits", base, head: head ?? "HEAD" } as const;
}

async function reviewed({ repo, number, headSha, ports: own }: NamedChange, ports: McpPorts) {
  const written = await writeReview(commandLineJob(repo, number, headSha), own, enter);
  const failed = written.kind === "skipped" ? written.reason : unreadDiff(written);
  if (written.kind === "skipped" || failed !== null) throw new UsageError(`not reviewed: ${failed}`);
  ports.recent.unshift(written);
  ports.recent.splice(MOST_RECENT);
  return { value: shownReview(written), lists: ["findings", "heldBack", "leftOut", "reviewed", "configProblems"] };
}

function shownReview(review: Review): Record<string, unknown> {
  const { signals, memory, coverage, cost, walkthrough, heldBack, leftOut, degraded, configProblems, reviewed } =
    review;
  const { head, rest, held } = quietVerdict(review);
  return {
    // First, because a client may cut what follows.
    findings: review.findings.map(({ finding, place, reason }) => ({ ...finding, place, placeReason: reason })),
    version: 1,
    verdict: review.findings.length === 0 ? `${head}${rest}${held}` : null,
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
