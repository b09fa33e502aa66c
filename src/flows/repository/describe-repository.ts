// The job that has a model describe what is remembered of a repository's reviews, where the repository wants it.

import { Transient } from "../../domain/errors.ts";
import type { DescribeJob } from "../../domain/job.ts";
import type { Skipped } from "../../domain/omissions.ts";
import type { Embedder, Memory, Recall } from "../../ports/memory.ts";
import type { ModelAccess } from "../../ports/model.ts";
import { type DescribedMemories, describedLine, describeMemories } from "../memory/describe-memories.ts";
import { type HeadPorts, standingHead } from "./current-head.ts";

/** What describing needs beside what following a repository does. */
export interface DescribingPorts {
  readonly recall: Recall;
  /** Null: there is no model. */
  readonly access: ModelAccess | null;
}

/** Where the configuration is read, and where memory is. */
interface RepositoryPorts extends HeadPorts {
  readonly memory: Memory;
  readonly embedder: Embedder;
  readonly redact: (text: string) => Promise<string>;
  readonly now: () => number;
}

/** Memories of one run: a minute or two. What is left is a job of its own, so that others get their turn. */
export const MOST_DESCRIBED = 48;

/** @throws Transient when memory or the model can be asked later; what was written until then stays */
export async function describeRepository(
  { after }: DescribeJob,
  ports: RepositoryPorts,
  { recall, access }: DescribingPorts,
): Promise<DescribedMemories | Skipped> {
  if (access === null) return { kind: "skipped", reason: "there is no model" };
  const at = await standingHead(ports);
  if (at.kind === "skipped") return at;
  const { found, config } = at;
  if (config.knowledge.describe === "off") return { kind: "skipped", reason: "knowledge.describe is off" };
  if (config.review.model === "off") return { kind: "skipped", reason: "review.model is off" };
  const { memory, embedder, now, redact } = ports;
  const wish = {
    repo: found.repo,
    most: MOST_DESCRIBED,
    after: after ?? null,
    usdPerMonth: config.review.budget.usdPerMonth,
    remembering: { redact },
  };
  const done = await describeMemories(wish, { memory, embedder, recall, access, now });
  if (done.stopped?.again === true) throw new Transient(describedLine(done), done.stopped.notBefore);
  return done;
}
