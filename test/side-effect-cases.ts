// Keys of .kodiai.yml that change what happens around a review, with what a visitor of GitHub or of
// the queue sees of it.
import { reviewPullRequest } from "../src/flows/review/review-pull-request.ts";
import { storedChecks, storedPushWaits } from "../src/store/reviews/checks.ts";
import { storedReviews } from "../src/store/reviews/reviews.ts";
import { BACKUP } from "./app/change-builders.ts";
import { addedFile, portsOf } from "./app/pipeline.ts";
import { fakeEmbedder, fakeMemory } from "./fakes/memory.ts";
import { aJob, HEAD, REPO } from "./fakes/pull-requests.ts";
import { fakeReviews } from "./fakes/reviews.ts";
import { fileDiff } from "./review/review-builders.ts";
import { sqliteInMemory } from "./store/databases.ts";

export interface AroundCase {
  readonly key: string;
  readonly before?: string;
  readonly config: string;
  readonly says: RegExp;
  readonly insteadOf: RegExp;
  /** Other than one with a finding. */
  readonly text?: string;
}

export const AROUND_CASES: readonly AroundCase[] = [
  {
    key: "review.checks.enabled",
    config: "review: {checks: {enabled: true}}",
    says: /^check completed: neutral, 1 major finding open$/m,
    insteadOf: /^no check$/m,
  },
  {
    key: "review.checks.failOn",
    before: "review: {checks: {enabled: true}}",
    config: "review: {checks: {enabled: true, failOn: major}}",
    says: /^check completed: failure, 1 major finding open$/m,
    insteadOf: /^check completed: neutral, 1 major finding open$/m,
  },
  {
    key: "review.summary",
    config: "review: {summary: always}",
    says: /^a summary$/m,
    insteadOf: /^a reaction$/m,
    text: "BACKUPS = 3\n",
  },
  {
    key: "review.debounceSeconds",
    config: "review: {debounceSeconds: 60}",
    says: /^the next push waits 60000 ms$/m,
    insteadOf: /^the next push waits 10000 ms$/m,
  },
];

/**
 * What a review of one file leaves behind, line by line; without a text of its own it has one major
 * finding.
 */
export async function around(config: string, text: string = BACKUP): Promise<string> {
  const db = await sqliteInMemory();
  const files = { "ops/backup.py": text };
  const ends: string[] = [];
  const reviews = fakeReviews({
    headSha: HEAD,
    files: [fileDiff("ops/backup.py", addedFile("ops/backup.py", text).patch)],
  });
  const waits = storedPushWaits(db);
  await reviewPullRequest(
    aJob(),
    {
      ...portsOf({ files, config }),
      ...{ keeping: null, isOnGitHub: null, isLastTry: false },
      reviews,
      ledger: storedReviews(db),
      memory: fakeMemory(),
      embedder: fakeEmbedder(),
      checkStore: storedChecks(db),
      waits,
      checks: {
        begin: () => Promise.resolve(7),
        end: async (_repo, _id, { conclusion, title }) => void ends.push(`check completed: ${conclusion}, ${title}`),
      },
      redact: (text) => Promise.resolve(text),
      botLogin: "kodiai[bot]",
    },
    (_room, enter) => Promise.resolve(enter()),
  );
  const checks = ends.length === 0 ? ["no check"] : ends;
  const posted = reviews.summaries.length > 0 ? "a summary" : "a reaction";
  return [...checks, posted, `the next push waits ${await waits.of(REPO)} ms`].join("\n");
}
