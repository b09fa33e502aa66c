// The gate's input, assembled from values that the review has anyway: nothing is fetched for it.
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { MemoryCounts } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import type { ChangedFiles } from "./change-classes.ts";

export interface GateContext extends ChangedFiles {
  readonly title: string;
  readonly body: string;
  readonly trigger: string;
  /** A person requested this review explicitly. */
  readonly explicit: boolean;
  readonly signals: Pick<ReviewSignals, "intent" | "risks" | "languages">;
  readonly headTexts: ReadonlyMap<string, string>;
  /** OWNER/NAME, for the model and the cache. */
  readonly project: string;
  readonly repo: string;
  readonly pull: number;
  readonly headSha: string;
  readonly memory: {
    /** Memories in scope; null when they could not be counted. */
    readonly counts: MemoryCounts | null;
    /** Changes with every change of memory; null when unknown. */
    readonly version: number | null;
    /** Why a replay advises against memory; null or absent when it does not. */
    readonly noGain?: string | null | undefined;
  };
}

/** Assembles the gate's context. */
export function gateContext(
  context: PullRequestContext,
  signals: ReviewSignals,
  memory: GateContext["memory"],
): GateContext {
  const { pull, job, repo } = context;
  return {
    files: context.files,
    facts: signals.files,
    leftOut: context.leftOut,
    title: pull.title,
    body: pull.body ?? "",
    trigger: job.trigger,
    explicit: job.explicit,
    signals,
    headTexts: context.headTexts,
    project: `${repo.owner}/${repo.name}`,
    repo: `${repo.host}/${repo.id}`,
    pull: pull.number,
    headSha: pull.head.sha,
    memory,
  };
}

/** Every changed path, reviewed or left out. */
export function changedPaths({ files, leftOut }: ChangedFiles): readonly string[] {
  return [...files, ...leftOut].map(({ path }) => path);
}
