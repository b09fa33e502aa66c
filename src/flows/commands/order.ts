// The input of every command: who asks for what, where, and the ports.

import { type AccessLevel, type CommandJob, hasAccess, type Verb, verbEntry } from "../../domain/command.ts";
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import { UNSHAPED } from "../../domain/job.ts";
import { parseFindingMarker } from "../../domain/review/marker.ts";
import type {
  AnswerStore,
  Decisions,
  Permissions,
  Replies,
  ReviewJobs,
  ReviewRecords,
  Threads,
} from "../../ports/conversation.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";
import type { ReviewPorts, Stage } from "../review/review-ports.ts";

export interface CommandPorts extends ReviewPorts {
  readonly permissions: Permissions;
  readonly threads: Threads;
  readonly replies: Replies;
  readonly decisions: Decisions;
  readonly answers: AnswerStore;
  readonly jobs: ReviewJobs;
  readonly records: ReviewRecords;
  readonly evidence: EvidenceStore;
}

/** A command of a person with permission. */
export interface CommandContext {
  readonly job: CommandJob;
  /** Of the review jobs of this pull request. */
  readonly key: string;
  readonly verb: Verb;
  readonly text: string;
  readonly level: AccessLevel;
  readonly isAuthor: boolean;
  readonly ports: CommandPorts;
  readonly stage: Stage;
}

/** The findings of a thread that we started, at least one; or, as an answer, why there is none. */
export async function findingsOfThread({ job, verb, ports }: CommandContext): Promise<readonly string[] | Answer> {
  const { rootId } = job.comment;
  const root = rootId === null ? null : await ports.threads.root(job.repo, rootId);
  const findingIds = root?.isOurs === true ? parseFindingMarker(root.body) : [];
  if (findingIds.length > 0) return findingIds;
  const how = `\`/kodiai ${verbEntry(verb).usage}\` works in the thread of a finding: reply there.`;
  return plainAnswer("failed", how, `${verb} outside the thread of a finding`);
}

/** Adds a review of the current head, as an event without a person behind it would be reviewed. */
export async function addReview({ job, key, ports }: CommandContext, trigger: "verdict" | "command"): Promise<void> {
  const { repo, number, delivery, installationId } = job;
  const { sha: headSha } = await ports.reviews.head(repo, number);
  const place = { key, delivery, installationId, repo, number, headSha };
  await ports.jobs.add({ ...UNSHAPED, kind: "review", ...place, trigger, explicit: false }, ports.now());
}

/** True for people with write access. */
export function isWriter({ level }: Pick<CommandContext, "level">): boolean {
  return hasAccess(level, "write");
}
