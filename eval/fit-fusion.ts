// Fits src/retrieve/rank/fusion-table.json:
// `node eval/fit-fusion.ts --data DIR --questions DIR [--write]`. Weights come from the development
// data only; the printed figures are of repositories (questions: findings) that the weights did not
// see. `--keep FILE` writes each query's figures, and `--against FILE` prints the paired intervals
// against such a file. The factors of rank/factors.ts are part of each score that is fitted, and
// have no weight.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { randomFrom } from "../src/domain/figures/bootstrap-interval.ts";
import { TOKENISER_VERSION } from "../src/domain/text/tokenise.ts";
import { type FusionWeight, scaled, standardised } from "../src/retrieve/rank/learned-fusion.ts";
import { backgroundFile, countWords } from "./background.ts";
import { type Choice, changeExamples, type Example, questionExamples } from "./fusion-examples.ts";
import { readJudged } from "./judged-data.ts";
import { bootstrap, meanOf, mrr, pairedBootstrap, recallAt } from "./metrics.ts";
import { fingerprint } from "./read-data.ts";
import { prepareRows, rank } from "./retrieval-rows.ts";

const FOLDS = 10;
const SEED = 1;
/** Pulls weights to zero; .003–.1 are within noise. */
const RIDGE = 0.01;
const ROUNDS = 250;
const STEP = 0.04;

const within =
  (kind: FusionWeight["kind"]) =>
  (signal: string): Choice => ({ signal, kind, scale: "within" });
const asIs =
  (kind: FusionWeight["kind"]) =>
  (signal: string): Choice => ({ signal, kind, scale: "as-is" });

/** Chosen by leaving each out and putting each in (eval/research/retrieval.md). */
const MEMORY: readonly Choice[] = [
  asIs("words")("lowInformation"),
  ...["pairText", "windowLines", "allText", "bodyKeywords", "recurrence", "contextKeywords"].map(within("words")),
  ...["sameFile", "pathPrefix"].map(asIs("place")),
];
/** For text that has no place. */
const TEXT: readonly Choice[] = [
  ...["windowText", "pairText", "titleText", "allText", "addedKeywords", "bodyKeywords"].map(within("words")),
  ...["contextKeywords", "windowKeywords", "spans"].map(within("words")),
];
/** For a question without a change. */
const QUESTION: readonly Choice[] = ["titleText", "titleKeywords"].map(within("words"));

const NO_SCALE = { mean: 0, deviation: 1 };

/**
 * What similarity of vectors weighs is set by hand, not fitted: it counts for neural embedders
 * only, and the data has vectors of the local one, with a quarter of which no figure moves by more
 * than .008 between 0 and 3 (a question: 4). So set, the very same text counts about as much as the
 * best of the words.
 */
const similarity = (weight: number): FusionWeight => ({
  ...asIs("meaning")("similarity"),
  ...NO_SCALE,
  weight,
});
const OF_CHANGE = similarity(2);
const OF_QUESTION = similarity(4);

type Task = "G" | "S" | "questions";

/** An example with its signals scaled: candidate by candidate, each with one value per choice. */
type Scaled = Example & { readonly values: Float64Array };

type Scale = Pick<FusionWeight, "mean" | "deviation">;

/** Mean and standard deviation of each signal over all candidates, each query counting alike. */
function typicalOf(examples: readonly Example[], choices: readonly Choice[]): readonly Scale[] {
  return choices.map(({ scale }, at) => {
    if (scale === "as-is") return NO_SCALE;
    const columns = examples.map(({ columns }) => columns[at]!).filter(({ length }) => length > 0);
    const mean = meanOf(columns.map((column) => meanOf([...column])));
    const variance = meanOf(columns.map((column) => meanOf([...column].map((value) => (value - mean) ** 2))));
    return { mean: round(mean), deviation: round(Math.sqrt(variance)) };
  });
}

function scaledExamples(
  examples: readonly Example[],
  choices: readonly Choice[],
  typical: readonly Scale[],
  scaling: (values: Float64Array, how: Omit<Choice, "signal" | "kind"> & Scale) => Float64Array,
): readonly Scaled[] {
  return examples.map((example) => {
    const columns = choices.map(({ scale }, at) => scaling(example.columns[at]!, { scale, ...typical[at]! }));
    return { ...example, values: Float64Array.from(example.ids.flatMap((_, at) => columns.map((one) => one[at]!))) };
  });
}

/**
 * Of the candidates of task G. The others have more candidates for each labelled one; so that .1
 * means the same in all.
 */
const LABELLED_SHARE = 0.031;

const odds = (share: number) => share / (1 - share);

/** Width of a step of scores before neighbours are joined. */
const SCORE_STEP = 0.5;
/** Fewest labelled candidates of a step. */
const FEWEST_LABELLED = 8;

/**
 * Isotonic: the share of labelled candidates by the score of words and place, of queries whose
 * repository the weights did not see. Neighbouring steps are joined until each has enough labelled
 * ones and the shares rise.
 */
function calibrationOf(examples: readonly Scaled[], weights: (example: Scaled) => Float64Array) {
  const steps = new Map<number, { from: number; all: number; labelled: number }>();
  for (const example of examples) {
    const scores = scoresOf(example.values, weights(example), new Float64Array(example.ids.length));
    for (const [at, score] of scores.entries()) {
      const from = Math.floor(score / SCORE_STEP) * SCORE_STEP;
      const step = steps.get(from) ?? { from, all: 0, labelled: 0 };
      step.all += 1;
      if (example.hits[at]! > 0) step.labelled += 1;
      steps.set(from, step);
    }
  }
  const joined: { from: number; all: number; labelled: number }[] = [];
  for (const step of [...steps.values()].sort((a, b) => a.from - b.from)) {
    joined.push(step);
    for (let last = joined.length - 1; last > 0; last -= 1) {
      const [before, now] = [joined[last - 1]!, joined[last]!];
      if (before.labelled >= FEWEST_LABELLED && now.labelled / now.all > before.labelled / before.all) break;
      joined.splice(last - 1, 2, {
        from: before.from,
        all: before.all + now.all,
        labelled: before.labelled + now.labelled,
      });
    }
  }
  const end = joined.at(-1);
  if (end !== undefined && end.labelled < FEWEST_LABELLED && joined.length > 1) joined.pop();
  const share = joined.reduce((sum, { labelled }) => sum + labelled, 0) / joined.reduce((sum, { all }) => sum + all, 0);
  const toOneShare = odds(LABELLED_SHARE) / odds(share);
  return joined.map(({ from, all, labelled }) => {
    const adjusted = odds(Math.min(labelled / all, 0.99)) * toOneShare;
    return { from, probability: round(adjusted / (1 + adjusted)), all, labelled };
  });
}

/** Groups into folds: largest first into the emptiest fold, equals in seeded order. */
function foldsOf(examples: readonly Example[]): ReadonlyMap<string, number> {
  const random = randomFrom(SEED);
  const sizes = [...Map.groupBy(examples, (example) => example.group)]
    .map(([repo, list]) => ({ repo, size: list.length, draw: 0 }))
    .sort((a, b) => (a.repo < b.repo ? -1 : 1))
    .map((entry) => ({ ...entry, draw: random() }))
    .sort((a, b) => b.size - a.size || a.draw - b.draw);
  const filled = new Array<number>(FOLDS).fill(0);
  const folds = new Map<string, number>();
  for (const { repo, size } of sizes) {
    const fold = filled.indexOf(Math.min(...filled));
    filled[fold] = (filled[fold] ?? 0) + size;
    folds.set(repo, fold);
  }
  return folds;
}

/**
 * Listwise softmax: the share of probability that goes to what matters, by gradient descent (Adam),
 * ridge on weights.
 */
function fitWeights(examples: readonly Scaled[], width: number): Float64Array {
  const known = examples.filter((example) => example.hits.some((share) => share > 0));
  const weights = new Float64Array(width);
  const mean = new Float64Array(width);
  const square = new Float64Array(width);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const slope = slopeOf(known, weights);
    const step = STEP * (round < ROUNDS * 0.6 ? 1 : 0.25);
    for (let at = 0; at < width; at += 1) {
      const pull = slope[at]! / known.length + RIDGE * weights[at]!;
      mean[at] = 0.9 * mean[at]! + 0.1 * pull;
      square[at] = 0.98 * square[at]! + 0.02 * pull * pull;
      weights[at]! -= (step * (mean[at]! / (1 - 0.9 ** round))) / (Math.sqrt(square[at]! / (1 - 0.98 ** round)) + 1e-6);
    }
  }
  return weights;
}

/** Adds up over the examples, in plain loops: this is where the time goes. */
function slopeOf(examples: readonly Scaled[], weights: Float64Array): Float64Array {
  const width = weights.length;
  const slope = new Float64Array(width);
  for (const { values, hits, factors } of examples) {
    const scores = scoresOf(values, weights, factors);
    let top = Number.NEGATIVE_INFINITY;
    for (const score of scores) if (score > top) top = score;
    let total = 0;
    for (let at = 0; at < scores.length; at += 1) total += scores[at] = Math.exp(scores[at]! - top);
    for (let at = 0; at < scores.length; at += 1) {
      const error = scores[at]! / total - hits[at]!;
      for (let column = 0; column < width; column += 1) slope[column]! += error * values[at * width + column]!;
    }
  }
  return slope;
}

function scoresOf(values: Float64Array, weights: Float64Array, factors: Float64Array): Float64Array {
  const width = weights.length;
  const scores = factors.slice();
  for (let at = 0; at < scores.length; at += 1) {
    for (let column = 0; column < width; column += 1) scores[at]! += values[at * width + column]! * weights[column]!;
  }
  return scores;
}

/** For each query the weights that are fitted without its repository. */
function foldWeights(examples: readonly Scaled[], width: number): (example: Example) => Float64Array {
  const folds = foldsOf(examples);
  const fitted = Array.from({ length: FOLDS }, (_, fold) =>
    fitWeights(
      examples.filter((example) => folds.get(example.group) !== fold),
      width,
    ),
  );
  return ({ group }) => fitted[folds.get(group) ?? 0]!;
}

const rankedBy = (examples: readonly Scaled[], weights: (example: Example) => Float64Array) =>
  examples.map((example) => rank(example.ids, scoresOf(example.values, weights(example), example.factors)));

const METRICS = {
  mrr,
  "recall@5": (ranked: readonly string[], truth: ReadonlySet<string>) => recallAt(5, ranked, truth),
  "recall@10": (ranked: readonly string[], truth: ReadonlySet<string>) => recallAt(10, ranked, truth),
} as const;

const round = (value: number) => Math.round(value * 1e4) / 1e4;

/** Each query's figures, by task. */
type Figures = Record<string, Record<string, Record<string, number>>>;

function report(task: Task, examples: readonly Example[], ranked: readonly (readonly string[])[]) {
  const figures: Record<string, number> = {};
  kept[task] = {};
  for (const [name, metric] of Object.entries(METRICS)) {
    const ours = examples.map((example, at) => metric(ranked[at]!, example.truth));
    const theirs = examples.map((example) => metric(example.untuned, example.truth));
    const own = bootstrap(ours, SEED);
    const gain = pairedBootstrap(ours, theirs, SEED);
    figures[name] = round(own.mean);
    examples.forEach(({ query }, at) => {
      kept[task]![query] = { ...kept[task]![query], [name]: ours[at]! };
    });
    const before = examples.map(({ query }) => against[task]?.[query]?.[name]);
    const known = before.every((value) => value !== undefined) ? before : null;
    const change = known === null ? "" : `  against before ${text(pairedBootstrap(ours, known, SEED))}`;
    console.log(
      `${task} ${name.padEnd(10)} n=${examples.length} ${text(own)}  untuned fusion ${text(bootstrap(theirs, SEED))}  gain ${text(gain)}${change}`,
    );
  }
  return figures;
}

const text = ({ mean, low, high }: { mean: number; low: number; high: number }) =>
  `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

function fitTask(task: Task, asked: readonly Example[], choices: readonly Choice[], given: FusionWeight) {
  const typical = typicalOf(asked, choices);
  const examples = scaledExamples(asked, choices, typical, scaled);
  const unseen = foldWeights(examples, choices.length);
  const ranked = rankedBy(examples, unseen);
  const figures = report(task, examples, ranked);
  if (values.ablate) leaveOneOut(task, examples, choices, ranked);
  const weights = fitWeights(examples, choices.length);
  const fitted = choices.map(
    (choice, at): FusionWeight => ({
      ...choice,
      ...typical[at]!,
      weight: round(weights[at]!),
    }),
  );
  const table = [...fitted, given];
  for (const { signal, weight } of table) console.log(task, signal, weight);
  const groups = new Set(examples.map(({ group }) => group)).size;
  const calibration = calibrationOf(scaledExamples(asked, choices, typical, standardised), unseen);
  for (const { from, probability, all, labelled } of calibration)
    console.log(`${task} from ${from}: ${probability} (${labelled} of ${all})`);
  return {
    queries: examples.length,
    groups,
    crossValidated: figures,
    weights: table,
    calibration: calibration.map(({ from, probability }) => ({ from, probability })),
  };
}

/**
 * What each signal is worth: the loss of MRR and R@10 without it, with all weights fitted again.
 */
function leaveOneOut(
  task: Task,
  examples: readonly Scaled[],
  choices: readonly Choice[],
  all: readonly (readonly string[])[],
) {
  choices.forEach(({ signal }, out) => {
    const kept = (_: number, at: number) => at % choices.length !== out;
    const fewer = examples.map((example) => ({ ...example, values: example.values.filter(kept) }));
    const ranked = rankedBy(fewer, foldWeights(fewer, choices.length - 1));
    const losses = Object.entries(METRICS).map(([name, metric]) => {
      const loss = examples.map(({ truth }, at) => metric(all[at]!, truth) - metric(ranked[at]!, truth));
      return `${name} ${text(bootstrap(loss, SEED))}`;
    });
    console.log(`${task} worth of ${signal.padEnd(20)} ${losses.join("  ")}`);
  });
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    questions: { type: "string" },
    write: { type: "boolean", default: false },
    ablate: { type: "boolean", default: false },
    keep: { type: "string" },
    against: { type: "string" },
  },
});
if (values.data === undefined) throw new Error("say where the retrieval data is: --data DIR");
if (values.questions === undefined) throw new Error("say where the paraphrase data is: --questions DIR");
const kept: Figures = {};
const against: Figures =
  values.against === undefined ? {} : (JSON.parse(await readFile(values.against, "utf8")) as Figures);
const judged = await readJudged(values.data);
const rows = prepareRows(judged);
const background = backgroundFile(countWords(rows, null));
const memory = fitTask("G", changeExamples(rows, judged, "G", MEMORY), MEMORY, OF_CHANGE);
const plain = fitTask("S", changeExamples(rows, judged, "S", TEXT), TEXT, OF_CHANGE);
const asked = await questionExamples(values.questions, QUESTION);
const question = fitTask("questions", asked.examples, QUESTION, OF_QUESTION);
const table = {
  about:
    "Weights of retrieve/rank/learned-fusion.ts, made by eval/fit-fusion.ts --write. Figures are cross-validated by group: a repository, or a finding that is asked for.",
  tokeniser: TOKENISER_VERSION,
  background: fingerprint(background),
  data: rows.fingerprint,
  questions: asked.fingerprint,
  fit: { folds: FOLDS, seed: SEED, ridge: RIDGE, rounds: ROUNDS },
  memory,
  text: plain,
  question,
};
const file = {
  fingerprint: fingerprint([
    ...[memory, plain, question].flatMap(({ weights, calibration }) => [weights, calibration]),
    table.background,
    table.tokeniser,
  ]),
  ...table,
};
console.log(`table ${file.fingerprint}, background ${table.background}, data ${rows.fingerprint}`);
if (values.keep !== undefined) await writeFile(values.keep, JSON.stringify(kept));
if (values.write) {
  await writeFile(
    new URL("../src/retrieve/rank/fusion-table.json", import.meta.url),
    `${JSON.stringify(file, null, 2)}\n`,
  );
  await writeFile(
    new URL("../src/domain/text/background-words.json", import.meta.url),
    `${JSON.stringify(background, null, 2)}\n`,
  );
}
