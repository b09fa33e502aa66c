// What the gate looks at, put together from values that the review has anyway: nothing is fetched for it.
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { MemoryCounts } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import type { ChangedFiles } from "./change-classes.ts";

export interface GateContext extends ChangedFiles {
  readonly title: string;
  readonly body: string;
  readonly trigger: string;
  /** A person asked for this review by name. */
  readonly explicit: boolean;
  /** Text of the request where there is one, and what was said before it, oldest first. */
  readonly question: string | null;
  readonly history: readonly string[];
  readonly signals: Pick<ReviewSignals, "intent" | "risks" | "languages">;
  readonly headTexts: ReadonlyMap<string, string>;
  /** OWNER/NAME, for the model and the cache. */
  readonly project: string;
  readonly repo: string;
  readonly pull: number;
  readonly headSha: string;
  readonly memory: {
    /** What is remembered in scope; null when it could not be counted. */
    readonly counts: MemoryCounts | null;
    /** Changes with every change of memory; null when unknown. */
    readonly version: number | null;
    /** Whether there is any way to search: by vectors or by words. */
    readonly searchable: boolean;
    /** Why a replay says that memory should stay out; null or absent when it does not. */
    readonly noGain?: string | null | undefined;
  };
}

/** Puts the gate's context together. */
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
    question: null,
    history: [],
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
