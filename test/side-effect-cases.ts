// Keys of .kodiai.yml that change what happens around a review, with what a visitor of GitHub or of the queue sees of it.
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
}

export const AROUND_CASES: readonly AroundCase[] = [
  {
    key: "review.checks.enabled",
    config: "review: {checks: {enabled: true}}",
    says: /^check completed: neutral, 1 finding$/m,
    insteadOf: /^no check$/m,
  },
  {
    key: "review.checks.failOn",
    before: "review: {checks: {enabled: true}}",
    config: "review: {checks: {enabled: true, failOn: major}}",
    says: /^check completed: failure, 1 finding$/m,
    insteadOf: /^check completed: neutral, 1 finding$/m,
  },
  {
    key: "review.debounceSeconds",
    config: "review: {debounceSeconds: 60}",
    says: /^the next push waits 60000 ms$/m,
    insteadOf: /^the next push waits 10000 ms$/m,
  },
];

/** What a review of one file with one major finding leaves behind, line by line. */
export async function around(config: string): Promise<string> {
  const db = await sqliteInMemory();
  const files = { "ops/backup.py": BACKUP };
  const ends: string[] = [];
  const waits = storedPushWaits(db);
  await reviewPullRequest(
    aJob(),
    {
      ...portsOf({ files, config }),
      reviews: fakeReviews({
        headSha: HEAD,
        files: [fileDiff("ops/backup.py", addedFile("ops/backup.py", BACKUP).patch)],
      }),
      ledger: storedReviews(db),
      memory: fakeMemory(),
      embedder: fakeEmbedder(),
      checkBook: storedChecks(db),
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
  return [...checks, `the next push waits ${await waits.of(REPO)} ms`].join("\n");
}
