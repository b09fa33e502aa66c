// Joins what it takes to learn from people to its ports.
import { dryRunEvidence } from "../adapters/dry-run/memory.ts";
import { githubFeedback } from "../adapters/github/feedback.ts";
import { githubPullRequests } from "../adapters/github/pull-requests.ts";
import type { FeedbackJob } from "../domain/job.ts";
import type { LearnPorts } from "../flows/people/learn-from-people.ts";
import { redact, type WiredGitHub } from "../wire.ts";
import type { Store } from "./store.ts";

/** Gives each job its ports: its token reaches that repository and nothing else. */
export function learnPorts(github: WiredGitHub, store: Store): (job: FeedbackJob) => Promise<LearnPorts> {
  const { clients, botLogin } = github;
  return async ({ installationId, repo }) => {
    const client = await clients.forRepository(installationId, repo);
    const authors = { get: () => undefined, set: () => {} };
    return {
      feedback: githubFeedback(client, botLogin),
      pulls: githubPullRequests({ github: client, clients, installationId, botLogin, authors }),
      records: store.ledger,
      evidence: github.onUnposted === null ? store.evidence : dryRunEvidence(store.evidence),
      book: store.looks,
      redact,
      now: Date.now,
    };
  };
}
