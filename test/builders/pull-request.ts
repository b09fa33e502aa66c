import { defaultConfig } from "../../src/config/repo-config.ts";
import { jobKey, type Repo, type ReviewJob, UNSHAPED } from "../../src/domain/job.ts";
import type { PullRequest, PullRequestContext } from "../../src/domain/pull-request.ts";
import { NO_PAST } from "../../src/domain/review/review-history.ts";
import { NO_REPORT } from "../../src/domain/tool-result.ts";

const HEAD = "4f1c2d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e";
const BASE = "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b";

/** acme/shop. */
export function aRepo(more: Partial<Repo> = {}): Repo {
  return { host: "github.com", id: 42, ownerId: 7, owner: "acme", name: "shop", visibility: "private", ...more };
}

/** The job of a pull request that was opened. */
export function aReviewJob({ repo = aRepo(), number = 12, ...more }: Partial<ReviewJob> = {}): ReviewJob {
  return {
    ...UNSHAPED,
    kind: "review",
    key: jobKey(repo, number),
    delivery: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    installationId: 1,
    repo,
    number,
    headSha: HEAD,
    trigger: "opened",
    explicit: false,
    ...more,
  };
}

/** A contributor's open pull request into main. */
export function aPullRequest(
  { repo, number, headSha }: Pick<ReviewJob, "repo" | "number" | "headSha">,
  more: Partial<PullRequest> = {},
): PullRequest {
  return {
    number,
    url: `https://${repo.host}/${repo.owner}/${repo.name}/pull/${number}`,
    title: "feat(auth): log in by name",
    body: null,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    author: { login: "octocat", id: 583231, type: "User", association: "CONTRIBUTOR" },
    base: { ref: "main", sha: BASE },
    head: { ref: "topic", sha: headSha, repo: `octocat/${repo.name}` },
    commits: [],
    ...more,
  };
}

/** What gather hands on of that pull request, on defaults and without a past. */
export function aContext(
  { job = aReviewJob(), ...more }: Partial<PullRequestContext>,
  pull: Partial<PullRequest> = {},
): PullRequestContext {
  return {
    kind: "context",
    job,
    repo: job.repo,
    pull: aPullRequest(job, pull),
    config: defaultConfig(),
    configProblems: [],
    configUsed: "none found",
    newTests: null,
    issues: [],
    tools: NO_REPORT,
    files: [],
    leftOut: [],
    spared: [],
    headTexts: new Map(),
    guidance: [],
    authorFacts: { mergedPullRequests: 3 },
    declined: [],
    ownComments: [],
    past: NO_PAST,
    degraded: [],
    ...more,
  };
}
