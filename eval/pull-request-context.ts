// A pull request as the gather stage returns it, made from evaluation data.

import { defaultConfig } from "../src/config/repo-config.ts";
import { jobKey, type Repo, UNSHAPED } from "../src/domain/job.ts";
import type { FileDiff, PullRequestContext } from "../src/domain/pull-request.ts";
import { NO_PAST } from "../src/domain/review/review-history.ts";
import { NO_REPORT } from "../src/domain/tool-result.ts";

export interface PullRequestFacts {
  readonly repo: Repo;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly files: readonly FileDiff[];
  /** True when a person asked: then the gate always searches. */
  readonly explicit: boolean;
}

/** Only the data is known: no head texts, no labels, no facts about the author. */
export function pullRequestContext({
  repo,
  number,
  title,
  body,
  files,
  explicit,
}: PullRequestFacts): PullRequestContext {
  const base = "b".repeat(40);
  const head = "a".repeat(40);
  return {
    kind: "context",
    job: {
      ...UNSHAPED,
      kind: "review",
      key: jobKey(repo, number),
      delivery: "eval",
      installationId: 0,
      repo,
      number,
      headSha: head,
      trigger: "command-line",
      explicit,
    },
    repo,
    pull: {
      number,
      url: "",
      title,
      body,
      state: "open",
      draft: false,
      locked: false,
      labels: [],
      author: { login: "author", id: 1, type: "User", association: "CONTRIBUTOR" },
      base: { ref: "main", sha: base },
      head: { ref: "change", sha: head, repo: `${repo.owner}/${repo.name}` },
      commits: [],
    },
    config: defaultConfig(),
    configProblems: [],
    configUsed: "none found",
    newTests: null,
    issues: [],
    tools: NO_REPORT,
    files,
    leftOut: [],
    spared: [],
    headTexts: new Map(),
    guidance: [],
    past: NO_PAST,
    authorFacts: { mergedPullRequests: null },
    declined: [],
    ownComments: [],
    degraded: [],
  };
}
