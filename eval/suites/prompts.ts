// The exact prompts for real pull requests, as files that any model, or a person, can answer; and
// whether the answers that are there already can be read. `--out DIR` takes the prompts,
// `--replies DIR,DIR` (default: the same) holds the replies, `--repos DIR` has bundles of the
// repositories: then the code around the change is in the prompts. `--readings N` reads each change
// so often; `--sittings N` writes the questions that have no reply yet, in a folder for each kind
// and sitting. `--limit N` says how many pull requests (60), `--only TEXT` picks by id,
// `--model NAME` sizes the prompts; see openReviewSet for the rest.
import { mkdir } from "node:fs/promises";
import { bootstrap } from "../metrics.ts";
import { modelChoice } from "../model-choice.ts";
import { readFlat } from "../packed-replies.ts";
import { dataFingerprint, fingerprint } from "../read-data.ts";
import { type Outcome, recordedModel, stemOf, writeQuestion } from "../reply-folder.ts";
import { reviewPull } from "../review-pull.ts";
import { openReviewSet } from "../review-set.ts";
import { type OpenQuestion, writeSittings } from "../sittings.ts";
import type { Suite } from "../suite.ts";

const LIMIT = 60;

export const suite: Suite = async (options) => {
  const { flags } = options;
  const out = flags.get("out");
  if (out === undefined) throw new Error("say where the prompts go: --out DIR");
  const started = performance.now();
  await mkdir(out, { recursive: true });
  const replies = await readFlat(flags.get("replies") ?? out);
  const set = await openReviewSet(options, LIMIT);
  const { read, pulls, memories } = set;
  const choice = modelChoice(flags.get("model"));
  const outcomes: Outcome[] = [];
  const open: OpenQuestion[] = [];
  const remembering: number[] = [];
  try {
    for (const pull of pulls) {
      const { model, outcomes: asked } = await recordedModel(stemOf(pull), replies, choice);
      const reviewer = await set.reviewerOf(pull, Number(flags.get("readings") ?? 1));
      const { review } = await reviewPull(pull, { ...reviewer, model });
      if (!flags.has("sittings")) for (const outcome of asked) await writeQuestion(out, pull, outcome);
      // What comes after a question without a reply would be asked otherwise with one.
      const missing = asked.filter(({ state }) => state === "missing");
      const next = missing.filter(({ question }) => question.purpose === missing[0]?.question.purpose);
      open.push(...next.map((outcome) => ({ pull, outcome })));
      outcomes.push(...asked);
      remembering.push(review.memory.precedents.length > 0 ? 1 : 0);
    }
  } finally {
    await set.close();
  }
  const sittings = flags.get("sittings");
  if (sittings !== undefined) await writeSittings(out, open, Number(sittings));
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
      `${outcomes.length} questions about ${pulls.length} pull requests in ${seconds.toFixed(1)} s; ${memories} memories, ${read.withoutDiff} pull requests without a diff left out`,
      ...outcomes.flatMap(({ stem, problem }) => (problem === null ? [] : [`${stem}: malformed: ${problem}`])),
    ],
  };
};
