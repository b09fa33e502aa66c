// The exact prompts for real pull requests, as files that any model, or a person, can answer; and whether the answers that
// are there already can be read. `--out DIR` takes the prompts, `--replies DIR` (default: the same) holds the replies,
// `--repos DIR` has bundles of the repositories: then the code around the change is in the prompts. `--limit N` says how many pull requests (60), `--only TEXT` picks by id, `--model NAME` sizes
// the prompts.
import { mkdir } from "node:fs/promises";
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { inspector } from "../../src/wire/rules.ts";
import { bootstrap } from "../metrics.ts";
import { modelChoice } from "../model-choice.ts";
import { readReplies } from "../packed-replies.ts";
import { readPulls } from "../pull-requests.ts";
import { dataFingerprint, fingerprint } from "../read-data.ts";
import { type Outcome, recordedModel, stemOf, writeQuestion } from "../reply-folder.ts";
import { openRepositories } from "../repositories.ts";
import { openCommentMemory, reviewPull } from "../review-pull.ts";
import type { Suite } from "../suite.ts";

const LIMIT = 60;

export const suite: Suite = async ({ data, flags }) => {
  const out = flags.get("out");
  if (out === undefined) throw new Error("say where the prompts go: --out DIR");
  const started = performance.now();
  await mkdir(out, { recursive: true });
  const replies = await readReplies(flags.get("replies") ?? out);
  const read = await readPulls(data);
  const only = flags.get("only") ?? "";
  const pulls = read.pulls.filter(({ id }) => id.includes(only)).slice(0, Number(flags.get("limit") ?? LIMIT));
  const choice = modelChoice(flags.get("model"));
  const rules = inspector();
  const commentMemory = await openCommentMemory(read.corpus, new Set(pulls.map(({ repo }) => repo)));
  const repositories = await openRepositories(flags.get("repos") ?? null);
  const symbols = codeSymbols();
  const outcomes: Outcome[] = [];
  const remembering: number[] = [];
  try {
    for (const pull of pulls) {
      const { model, outcomes: asked } = await recordedModel(stemOf(pull), replies, choice);
      const repository = await repositories.of(pull.repo, pull.number);
      const { review } = await reviewPull(pull, {
        recall: commentMemory.recall(pull.asOf),
        model,
        rules,
        repository,
        symbols: repository === null ? null : symbols.ofReview(),
      });
      for (const outcome of asked) await writeQuestion(out, pull, outcome);
      outcomes.push(...asked);
      remembering.push(review.memory.precedents.length > 0 ? 1 : 0);
    }
  } finally {
    symbols.close();
    await repositories.close();
    await commentMemory.close();
  }
  const count = (state: Outcome["state"]) => outcomes.filter((one) => one.state === state).length;
  const tokens = bootstrap(outcomes.map(({ question }) => question.inputTokens));
  const seconds = (performance.now() - started) / 1000;
  return {
    data: { n: pulls.length, fingerprint: dataFingerprint(read.files) },
    config: { fingerprint: fingerprint([choice.names, LIMIT]) },
    rows: [
      {
        name: "default",
        n: pulls.length,
        metrics: {
          questions: outcomes.length,
          tokensEach: tokens.mean,
          withPrecedents: bootstrap(remembering).mean,
          answered: count("answered") + count("fixed"),
          fixed: count("fixed"),
          malformed: count("malformed"),
          missing: count("missing"),
          seconds,
        },
        ci: { tokensEach: [tokens.low, tokens.high] },
      },
    ],
    notes: [
      `${outcomes.length} questions about ${pulls.length} pull requests in ${seconds.toFixed(1)} s; ${commentMemory.memories} memories, ${read.withoutDiff} pull requests without a diff left out`,
      ...outcomes.flatMap(({ stem, problem }) => (problem === null ? [] : [`${stem}: malformed: ${problem}`])),
    ],
  };
};
