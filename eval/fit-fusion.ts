// Fits src/retrieve/fusion-table.json: `node eval/fit-fusion.ts --data DIR [--write]`. Weights come from the development
// data only; the printed figures are of repositories that the weights did not see.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { textSignals, type Signals, signalsOf } from "../src/retrieve/features.ts";
import { type FusionWeight, scaled } from "../src/retrieve/fuse-learned.ts";
import type { PreparedMemory } from "../src/retrieve/prepare.ts";
import { TOKENISER_VERSION } from "../src/retrieve/tokenise.ts";
import type { Background } from "../src/retrieve/word-weight.ts";
import { backgroundFile, countWords } from "./background.ts";
import { bootstrap, mrr, pairedBootstrap, randomFrom, recallAt } from "./metrics.ts";
import { fingerprint } from "./read-data.ts";
import { earlier, rank, readRetrieval, type RetrievalQuery, type RetrievalRows } from "./retrieval-rows.ts";
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
  ...["windowText", "windowLines", "allText", "addedText", "bodyKeywords", "echo", "contextKeywords", "age"].map(within),
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
  /** Row per candidate, column per choice. */
  readonly rows: readonly Float64Array[];
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
    return [exampleOf(query, truth, memories, background, task, choices)];
  });
}

function exampleOf(
  query: RetrievalQuery,
  truth: ReadonlySet<string>,
  memories: readonly PreparedMemory[],
  background: Background,
  task: Task,
  choices: readonly Choice[],
): Example {
  const signals: Signals = (task === "G" ? signalsOf : textSignals)(query.change, memories, background);
  const columns = choices.map(({ signal, scale }) => scaled(signals[signal] ?? new Float64Array(memories.length), scale));
  const rows = memories.map((_, at) => Float64Array.from(columns, (column) => column[at] ?? 0));
  const ids = memories.map((memory) => memory.id);
  return { query: query.id, repo: query.repo, ids, rows, truth, untuned: untunedFusion(query, memories, task) };
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
function fit(examples: readonly Example[], width: number): Float64Array {
  const weights = new Float64Array(width);
  const mean = new Float64Array(width);
  const square = new Float64Array(width);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const slope = slopeOf(examples, weights);
    const step = STEP * (round < ROUNDS * 0.6 ? 1 : 0.25);
    for (let at = 0; at < width; at += 1) {
      const pull = slope[at]! / examples.length + RIDGE * weights[at]!;
      mean[at] = 0.9 * mean[at]! + 0.1 * pull;
      square[at] = 0.98 * square[at]! + 0.02 * pull * pull;
      weights[at]! -= (step * (mean[at]! / (1 - 0.9 ** round))) / (Math.sqrt(square[at]! / (1 - 0.98 ** round)) + 1e-6);
    }
  }
  return weights;
}

function slopeOf(examples: readonly Example[], weights: Float64Array): Float64Array {
  const slope = new Float64Array(weights.length);
  for (const { ids, rows, truth } of examples) {
    const scores = rows.map((row) => dot(row, weights));
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - top));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const hits = ids.filter((id) => truth.has(id)).length;
    if (hits === 0) continue;
    rows.forEach((row, at) => {
      const error = powers[at]! / total - (truth.has(ids[at]!) ? 1 / hits : 0);
      for (let column = 0; column < slope.length; column += 1) slope[column]! += error * row[column]!;
    });
  }
  return slope;
}

function dot(row: Float64Array, weights: Float64Array): number {
  return row.reduce((sum, value, at) => sum + value * weights[at]!, 0);
}

/** Every query ranked by weights fitted without its repository. */
function crossValidated(examples: readonly Example[], width: number): (readonly string[])[] {
  const folds = foldsOf(examples);
  const fitted = Array.from({ length: FOLDS }, (_, fold) =>
    fit(
      examples.filter((example) => folds.get(example.repo) !== fold),
      width,
    ),
  );
  return examples.map(({ repo, ids, rows }) => {
    const weights = fitted[folds.get(repo) ?? 0]!;
    return rank(
      ids,
      rows.map((row) => dot(row, weights)),
    );
  });
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
  const weights = fit(examples, choices.length);
  const table = choices.map((choice, at): FusionWeight => ({ ...choice, weight: round(weights[at]!) }));
  return { queries: examples.length, repositories: new Set(examples.map(({ repo }) => repo)).size, figures, table };
}

/** What each signal is worth: the loss of MRR and R@10 without it, with all weights fitted again. */
function leaveOneOut(task: Task, examples: readonly Example[], choices: readonly Choice[], all: readonly (readonly string[])[]) {
  choices.forEach(({ signal }, out) => {
    const fewer = examples.map((example) => ({ ...example, rows: example.rows.map((row) => row.filter((_, at) => at !== out)) }));
    const ranked = crossValidated(fewer, choices.length - 1);
    const losses = Object.entries(METRICS).map(([name, metric]) => {
      const loss = examples.map(({ truth }, at) => metric(all[at]!, truth) - metric(ranked[at]!, truth));
      return `${name} ${text(bootstrap(loss, SEED))}`;
    });
    console.log(`${task} worth of ${signal.padEnd(20)} ${losses.join("  ")}`);
  });
}

const { values } = parseArgs({
  options: { data: { type: "string" }, write: { type: "boolean", default: false }, ablate: { type: "boolean", default: false } },
});
if (values.data === undefined) throw new Error("say where the retrieval data is: --data DIR");
const rows = await readRetrieval(values.data);
const background = backgroundFile(countWords(rows, null));
const memory = fitTask(rows, "G", MEMORY, values.ablate);
const plain = fitTask(rows, "S", TEXT, values.ablate);
const table = {
  about: "Weights of retrieve/fuse-learned.ts, made by eval/fit-fusion.ts --write. Figures are cross-validated by repository.",
  tokeniser: TOKENISER_VERSION,
  background: fingerprint(background),
  data: rows.fingerprint,
  fit: { folds: FOLDS, seed: SEED, ridge: RIDGE, rounds: ROUNDS },
  memory: { queries: memory.queries, repositories: memory.repositories, crossValidated: memory.figures, weights: memory.table },
  text: { queries: plain.queries, repositories: plain.repositories, crossValidated: plain.figures, weights: plain.table },
};
const file = { fingerprint: fingerprint([table.memory.weights, table.text.weights, table.background, table.tokeniser]), ...table };
console.log(`table ${file.fingerprint}, background ${table.background}, data ${rows.fingerprint}`);
for (const { signal, weight } of [...memory.table, { signal: "text only:", weight: 0 }, ...plain.table]) console.log(signal, weight);
if (values.write) {
  await writeFile(new URL("../src/retrieve/fusion-table.json", import.meta.url), `${JSON.stringify(file, null, 2)}\n`);
  await writeFile(new URL("../src/retrieve/background-words.json", import.meta.url), `${JSON.stringify(background, null, 2)}\n`);
}
