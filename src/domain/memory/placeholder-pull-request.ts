// The pull request that a question or manual search is built on: nothing is known of it except its
// title.
import { defaultConfig } from "../../config/repo-config.ts";
import { jobKey, type Repo, UNSHAPED } from "../job.ts";
import type { PullRequest, PullRequestContext } from "../pull-request.ts";
import { NO_PAST } from "../review/review-history.ts";
import type { ReviewSignals } from "../signals.ts";
import { NO_REPORT } from "../tool-result.ts";

/** No pull request has this number, so the search excludes none (see scopeOf). */
export const NO_PULL = 0;

/**
 * @param number the pull request that the question is about, whose own memories are not searched;
 * or NO_PULL
 */
export function placeholderPullRequest(
  title: string,
  repo: Repo,
  number: number,
): { readonly context: PullRequestContext; readonly signals: ReviewSignals } {
  const pull: PullRequest = {
    number,
    url: "",
    title,
    body: null,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    author: { login: "you", id: 0, type: "User", association: "OWNER" },
    base: { ref: "", sha: "" },
    head: { ref: "", sha: "", repo: null },
    commits: [],
  };
  const asked = { delivery: "cli", installationId: 0, trigger: "command-line", explicit: true } as const;
  const context: PullRequestContext = {
    kind: "context",
    job: { ...UNSHAPED, kind: "review", key: jobKey(repo, number), repo, number, headSha: "", ...asked },
    repo,
    pull,
    config: defaultConfig(),
    configProblems: [],
    configUsed: "none found",
    files: [],
    leftOut: [],
    spared: [],
    newTests: null,
    issues: [],
    tools: NO_REPORT,
    headTexts: new Map(),
    guidance: [],
    past: NO_PAST,
    authorFacts: { mergedPullRequests: null },
    ownComments: [],
    declined: [],
    degraded: [],
  };
  const filesByKind = { source: 0, test: 0, config: 0, docs: 0, infra: 0 };
  const signals: ReviewSignals = {
    intent: {
      type: null,
      otherType: null,
      scope: null,
      subject: title,
      breaking: [],
      wip: false,
      noReview: false,
      styleOk: false,
      profile: null,
      focusAreas: [],
      reverts: false,
      issues: [],
      bump: null,
    },
    files: [],
    spared: [],
    languages: [],
    risks: [],
    author: { tier: "regular", because: "a question, not a change", isKnown: false },
    metrics: { files: 0, added: 0, removed: 0, hunks: 0, filesByKind },
  };
  return { context, signals };
}
