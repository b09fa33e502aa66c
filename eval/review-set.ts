// Which pull requests a suite about reviews takes, and everything that a review of them needs.
import { codeSymbols } from "../src/adapters/code-index/symbols.ts";
import { inspector } from "../src/wire/rules.ts";
import { readCleanChanges } from "./clean-changes.ts";
import { type PullsRead, type RealPull, readPulls } from "./pull-requests.ts";
import { openRepositories } from "./repositories.ts";
import { openCommentMemory, type Reviewer } from "./review-pull.ts";
import type { SuiteOptions } from "./suite.ts";

export interface ReviewSet {
  readonly read: PullsRead;
  readonly pulls: readonly RealPull[];
  readonly memories: number;
  /** Everything but the model. */
  reviewerOf(pull: RealPull, readings: number): Promise<Omit<Reviewer, "model">>;
  close(): Promise<void>;
}

/**
 * Opens them by the flags `--only TEXT`, `--limit N`, `--repos DIR`, `--in-repos` (those with a
 * repository alone) and `--clean` (merged changes without a comment in place of pull requests).
 *
 * @param isTaken which of them are in question at all
 */
export async function openReviewSet(
  { data, flags }: SuiteOptions,
  mostPulls: number,
  isTaken: (pull: RealPull) => boolean = () => true,
): Promise<ReviewSet> {
  const read = await readPulls(data);
  const repositories = await openRepositories(flags.get("repos") ?? null);
  const all = flags.has("clean") ? await readCleanChanges(data, read) : read.pulls;
  const pulls: RealPull[] = [];
  for (const pull of all.filter((one) => one.id.includes(flags.get("only") ?? "") && isTaken(one))) {
    if (pulls.length === Number(flags.get("limit") ?? mostPulls)) break;
    if (!flags.has("in-repos") || (await repositories.of(pull.repo, pull.number)) !== null) pulls.push(pull);
  }
  const commentMemory = await openCommentMemory(read.corpus, new Set(pulls.map(({ repo }) => repo)));
  const symbols = codeSymbols();
  const rules = inspector();
  return {
    read,
    pulls,
    memories: commentMemory.memories,
    async reviewerOf(pull, readings) {
      const repository = await repositories.of(pull.repo, pull.number);
      return {
        recall: commentMemory.recall(pull.asOf),
        rules,
        repository,
        symbols: repository === null ? null : symbols.ofReview(),
        config: `review: {readings: ${readings}}\n`,
      };
    },
    async close() {
      symbols.close();
      await repositories.close();
      await commentMemory.close();
    },
  };
}
