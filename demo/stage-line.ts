// One line for each stage of the pipeline, from the value that it returned.

import type { ChangeContext } from "../src/domain/change-context.ts";
import type { Remembered } from "../src/domain/memory/write-report.ts";
import type { Skipped } from "../src/domain/omissions.ts";
import type { PullRequestContext } from "../src/domain/pull-request.ts";
import type { Precedents } from "../src/domain/retrieval.ts";
import type { PostedReview, Review, Superseded } from "../src/domain/review.ts";
import type { ReviewSignals } from "../src/domain/signals.ts";
import { counted } from "../src/domain/text/counted.ts";

/** What the publish stage returns for a reply to a command or a question. */
interface PostedAnswer {
  readonly url: string | null;
  readonly isShown: boolean;
}

type StageValue =
  | ChangeContext
  | PullRequestContext
  | Skipped
  | ReviewSignals
  | Review
  | Precedents
  | Remembered
  | PostedReview
  | PostedAnswer
  | Superseded;

/**
 * @param value what the stage returned
 * @param ms how long it took
 */
export function stageLine(stage: string, value: unknown, ms: number): string {
  return `${stage.padEnd(8)} ${`${ms} ms`.padStart(8)}  ${summaryOf(value as StageValue | null)}`;
}

function summaryOf(value: StageValue | null): string {
  if (typeof value !== "object" || value === null) return String(value);
  if ("url" in value) return String(value.url);
  if (!("kind" in value)) return signals(value);
  switch (value.kind) {
    case "change-context":
      return value.from === "nothing"
        ? "no model to show it to"
        : `${counted(value.excerpts.length, "excerpt")}, ${value.tokens} tokens`;
    case "context":
      return `${counted(value.files.length, "file")} to review, ${value.leftOut.length} left out, ${counted(value.pull.commits.length, "commit")}, configuration of ${value.pull.base.sha.slice(0, 7)}`;
    case "review":
      return `${counted(value.findings.length, "finding")}, ${value.heldBack.length} held back, ${counted(value.degraded.length, "part")} degraded`;
    case "precedents":
      return value.gate.retrieve
        ? `${value.ranked.length} of ${counted(value.provenance.totalCandidates, "memory", "memories")} fit (${value.provenance.method})`
        : `memory not searched: ${value.gate.reason}`;
    case "posted":
      return `${counted(value.findings.filter(({ place }) => place === "inline").length, "comment")} in one review, one summary`;
    case "remembered":
      return `${counted(value.added + value.updated, "finding")} remembered`;
    case "skipped":
    case "superseded":
      return `${value.kind}: ${value.reason}`;
  }
}

function signals({ intent, languages, risks, author }: ReviewSignals): string {
  const shares = languages.map(({ name, share }) => `${name} ${Math.round(share * 100)} %`).join(", ");
  return `${intent.type ?? "no type"}${intent.scope === null ? "" : `(${intent.scope})`}; ${shares}; risks: ${risks.map(({ id }) => id).join(", ")}; author ${author.tier}`;
}
