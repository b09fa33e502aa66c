// Fits src/retrieve/rank/fusion-table.json: `node eval/fit-fusion.ts --data DIR [--write]`. Weights come from the development
// data only; the printed figures are of repositories that the weights did not see.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { randomFrom } from "../src/domain/figures/bootstrap-interval.ts";
import { TOKENISER_VERSION } from "../src/domain/text/tokenise.ts";
import type { Background } from "../src/domain/text/word-rarity.ts";
import { type Signals, signalsOf, textSignals } from "../src/retrieve/rank/features.ts";
import { type FusionWeight, scaled } from "../src/retrieve/rank/learned-fusion.ts";
import type { PreparedMemory } from "../src/retrieve/rank/prepare-documents.ts";
import type { Lexicon } from "../src/retrieve/rank/term-ids.ts";
import { backgroundFile, countWords } from "./background.ts";
import { bootstrap, mrr, pairedBootstrap, recallAt } from "./metrics.ts";
import { fingerprint } from "./read-data.ts";
import { earlier, type RetrievalQuery, type RetrievalRows, rank, readRetrieval } from "./retrieval-rows.ts";
import { untunedFusion } from "./untuned-fusion.ts";

const FOLDS = 10;
const SEED = 1;
/** Pulls weights to zero; .003–.1 are within noise. */
const RIDGE = 0.01;
const ROUNDS = 250;
const STEP = 0.04;

type Choice = Omit<FusionWeight, "weight">;
const within = (signal: string): Choice => ({ signal, scale: "within" });
const asIs = (signal: string): Choice => ({ signal, scale: "as-is" });

/** Chosen by leaving each out and putting each in (eval/research/retrieval.md). */
const MEMORY: readonly Choice[] = [
  ...["sameLanguage", "languageShare", "languageCrowd", "lowInformation", "sameFile", "pathPrefix"].map(asIs),
  ...["windowText", "windowLines", "allText", "echo", "contextKeywords", "age"].map(within),
];
/** For text that has no place, language or date. */
const TEXT: readonly Choice[] = [
  ...["windowTextAnywhere", "pairTextAnywhere", "titleText", "allText", "addedKeywords", "bodyKeywords"].map(within),
  ...["contextKeywords", "windowKeywords", "spans"].map(within),
];

/** One query: its candidates' ids and signals, and which candidates matter. */
interface Example {
  readonly query: string;
  readonly repo: string;
  readonly ids: readonly string[];
  /** Candidate by candidate, each with one value per choice. */
  readonly values: Float64Array;
  /** Each candidate's share of the truth; all 0 when no candidate matters. */
  readonly hits: Float64Array;
  readonly truth: ReadonlySet<string>;
  readonly untuned: readonly string[];
}

type Task = "G" | "S";

function examplesOf(rows: RetrievalRows, task: Task, choices: readonly Choice[]): Example[] {
  const backgrounds = new Map<string, Background>();
  return rows.queries.flatMap((query) => {
    const truth = task === "G" ? query.gold : query.own;
    const memories = task === "G" ? earlier(rows, query) : (rows.memories.get(query.repo) ?? []);
    if (truth.size === 0 || memories.length === 0) return [];
    const background = backgrounds.get(query.repo) ?? countWords(rows, query.repo);
    backgrounds.set(query.repo, background);
    return [exampleOf(query, truth, memories, { background, words: rows.lexicon }, task, choices)];
  });
}

function exampleOf(
  query: RetrievalQuery,
  truth: ReadonlySet<string>,
  memories: readonly PreparedMemory[],
  { background, words }: { readonly background: Background; readonly words: Lexicon },
  task: Task,
  choices: readonly Choice[],
): Example {
  const signals: Signals = (task === "G" ? signalsOf : textSignals)(query.change, memories, background, words);
  const columns = choices.map(({ signal, scale }) =>
    scaled(signals[signal] ?? new Float64Array(memories.length), scale),
  );
  const values = Float64Array.from(memories.flatMap((_, at) => columns.map((column) => column[at] ?? 0)));
  const ids = memories.map((memory) => memory.id);
  const found = Math.max(1, ids.filter((id) => truth.has(id)).length);
  const hits = Float64Array.from(ids, (id) => (truth.has(id) ? 1 / found : 0));
  const untuned = untunedFusion(query, memories, task, words);
  return { query: query.id, repo: query.repo, ids, values, hits, truth, untuned };
}

/** Repositories into folds: largest first into the emptiest fold, equals in seeded order. */
function foldsOf(examples: readonly Example[]): ReadonlyMap<string, number> {
  const random = randomFrom(SEED);
  const sizes = [...Map.groupBy(examples, (example) => example.repo)]
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

/** Listwise softmax: the share of probability that goes to what matters, by gradient descent (Adam), ridge on weights. */
function fitWeights(examples: readonly Example[], width: number): Float64Array {
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
function slopeOf(examples: readonly Example[], weights: Float64Array): Float64Array {
  const width = weights.length;
  const slope = new Float64Array(width);
  for (const { ids, values, hits } of examples) {
    const scores = scoresOf(values, ids.length, weights);
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

function scoresOf(values: Float64Array, size: number, weights: Float64Array): Float64Array {
  const width = weights.length;
  const scores = new Float64Array(size);
  for (let at = 0; at < size; at += 1) {
    for (let column = 0; column < width; column += 1) scores[at]! += values[at * width + column]! * weights[column]!;
  }
  return scores;
}

/** Every query ranked by weights fitted without its repository. */
function crossValidated(examples: readonly Example[], width: number): (readonly string[])[] {
  const folds = foldsOf(examples);
  const fitted = Array.from({ length: FOLDS }, (_, fold) =>
    fitWeights(
      examples.filter((example) => folds.get(example.repo) !== fold),
      width,
    ),
  );
  return examples.map(({ repo, ids, values }) =>
    rank(ids, scoresOf(values, ids.length, fitted[folds.get(repo) ?? 0]!)),
  );
}

const METRICS = {
  mrr,
  "recall@5": (ranked: readonly string[], truth: ReadonlySet<string>) => recallAt(5, ranked, truth),
  "recall@10": (ranked: readonly string[], truth: ReadonlySet<string>) => recallAt(10, ranked, truth),
} as const;

const round = (value: number) => Math.round(value * 1e4) / 1e4;

function report(task: Task, examples: readonly Example[], ranked: readonly (readonly string[])[]) {
  const figures: Record<string, number> = {};
  for (const [name, metric] of Object.entries(METRICS)) {
    const ours = examples.map((example, at) => metric(ranked[at]!, example.truth));
    const theirs = examples.map((example) => metric(example.untuned, example.truth));
    const own = bootstrap(ours, SEED);
    const gain = pairedBootstrap(ours, theirs, SEED);
    figures[name] = round(own.mean);
    console.log(
      `${task} ${name.padEnd(10)} n=${examples.length} ${text(own)}  untuned fusion ${text(bootstrap(theirs, SEED))}  gain ${text(gain)}`,
    );
  }
  return figures;
}

const text = ({ mean, low, high }: { mean: number; low: number; high: number }) =>
  `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

function fitTask(rows: RetrievalRows, task: Task, choices: readonly Choice[], ablate: boolean) {
  const examples = examplesOf(rows, task, choices);
  const ranked = crossValidated(examples, choices.length);
  const figures = report(task, examples, ranked);
  if (ablate) leaveOneOut(task, examples, choices, ranked);
  const weights = fitWeights(examples, choices.length);
  const table = choices.map((choice, at): FusionWeight => ({ ...choice, weight: round(weights[at]!) }));
  return { queries: examples.length, repositories: new Set(examples.map(({ repo }) => repo)).size, figures, table };
}

/** What each signal is worth: the loss of MRR and R@10 without it, with all weights fitted again. */
function leaveOneOut(
  task: Task,
  examples: readonly Example[],
  choices: readonly Choice[],
  all: readonly (readonly string[])[],
) {
  choices.forEach(({ signal }, out) => {
    const kept = (_: number, at: number) => at % choices.length !== out;
    const fewer = examples.map((example) => ({ ...example, values: example.values.filter(kept) }));
    const ranked = crossValidated(fewer, choices.length - 1);
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
    write: { type: "boolean", default: false },
    ablate: { type: "boolean", default: false },
  },
});
if (values.data === undefined) throw new Error("say where the retrieval data is: --data DIR");
const rows = await readRetrieval(values.data);
const background = backgroundFile(countWords(rows, null));
const memory = fitTask(rows, "G", MEMORY, values.ablate);
const plain = fitTask(rows, "S", TEXT, values.ablate);
const table = {
  about:
    "Weights of retrieve/fuse-learned.ts, made by eval/fit-fusion.ts --write. Figures are cross-validated by repository.",
  tokeniser: TOKENISER_VERSION,
  background: fingerprint(background),
  data: rows.fingerprint,
  fit: { folds: FOLDS, seed: SEED, ridge: RIDGE, rounds: ROUNDS },
  memory: {
    queries: memory.queries,
    repositories: memory.repositories,
    crossValidated: memory.figures,
    weights: memory.table,
  },
  text: {
    queries: plain.queries,
    repositories: plain.repositories,
    crossValidated: plain.figures,
    weights: plain.table,
  },
};
const file = {
  fingerprint: fingerprint([table.memory.weights, table.text.weights, table.background, table.tokeniser]),
  ...table,
};
console.log(`table ${file.fingerprint}, background ${table.background}, data ${rows.fingerprint}`);
for (const { signal, weight } of [...memory.table, { signal: "text only:", weight: 0 }, ...plain.table])
  console.log(signal, weight);
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
