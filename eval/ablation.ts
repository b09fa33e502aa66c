// The ablation table: each row switches one thing on over the row before it, and lists its gain
// beside what was once expected of it. Every row is the real store and retrieve stage; only
// settings differ.
import type { QueryVariant } from "../src/domain/retrieval.ts";
import { FACTOR_NAMES, type FactorName } from "../src/retrieve/rank/factors.ts";
import type { Tuning } from "../src/retrieve/tuning.ts";
import { type Answer, figuresOf, gainOver, intervalText, rowOf } from "./answers.ts";
import { retrievalFingerprint } from "./configuration-fingerprint.ts";
import {
  type EmbeddedForm,
  MULTI_FIELD,
  SITUATION,
  TEXT_ONLY,
  WHOLE,
  WITH_CODE,
  WITH_TAGS,
  WRITTEN,
} from "./embedded-forms.ts";
import { withFirstKeywordScore } from "./first-keyword-score.ts";
import type { JudgedData } from "./judged-data.ts";
import { SEED } from "./metrics.ts";
import { type TaskData, type TaskQuery, taskOf } from "./retrieval-task.ts";
import { answersOf, mustHoldTruth } from "./run-all-queries.ts";
import type { Arm } from "./run-retrieval.ts";
import type { Row, SuiteResult } from "./suite.ts";
import { type TemporaryStore, type WrittenById, withStore } from "./temporary-store.ts";

/** Published or promised gains, in points of recall. */
const EXPECTED = {
  A2: "A2: +20–40",
  A3: "A3: +10–20",
  B1: "B1: +15–25",
  C1: "C1: +10–15",
  C2: "C2: +10–20",
} as const;

interface Stage extends Arm {
  /** The row that it replaces: its gain is relative to that row. */
  readonly over?: string;
  readonly expected?: keyof typeof EXPECTED;
  readonly form: EmbeddedForm;
}

interface Unmeasured {
  readonly name: string;
  readonly remark: string;
}

const PLAIN: Partial<Tuning> = { factors: [] };
const only = (...kinds: QueryVariant["kind"][]): Partial<Tuning> => ({ ...PLAIN, variants: new Set(kinds) });
const RRF = { fusion: "rrf" } as const;
const VECTORS = { method: "semantic", fusion: "rrf" } as const;

const WORDS = { method: "keyword", fusion: "rrf" } as const;

const NAIVE = "naive: title and first 20 paths, vectors";
const ENRICHED = "enriched query, vectors";
const HYBRID = "+ words (hybrid)";
const MAX = "+ several queries, pooled by max";
const FIELDS = "+ path, language and category in the embedded text";
const DESCRIBED = "+ model-written situation";
const TAGGED = "+ model-written tags";
const LANGUAGE = "+ language boost";
const RECENCY = "+ recency";
const FIRST_SYSTEM = "first system's keyword score, one query";
const KEYWORD = "keyword alone";
const ONE_QUERY = "keyword alone, one query";
const DEFAULT = "+ learned fusion (default)";

const STAGES: readonly (Stage | Unmeasured)[] = [
  { name: NAIVE, form: TEXT_ONLY, retrieval: VECTORS, tuning: { ...only("paths"), paths: 20 } },
  { name: ENRICHED, over: NAIVE, expected: "A2", form: TEXT_ONLY, retrieval: VECTORS, tuning: only("intent") },
  { name: HYBRID, over: ENRICHED, expected: "C1", form: TEXT_ONLY, retrieval: RRF, tuning: only("intent") },
  {
    name: "+ several queries, pooled by RRF",
    over: HYBRID,
    expected: "A3",
    form: TEXT_ONLY,
    retrieval: RRF,
    tuning: { ...PLAIN, pooling: "rrf" },
  },
  {
    name: "+ several queries, pooled by best rank",
    over: HYBRID,
    expected: "A3",
    form: TEXT_ONLY,
    retrieval: RRF,
    tuning: { ...PLAIN, pooling: "best-rank" },
  },
  { name: MAX, over: HYBRID, expected: "A3", form: TEXT_ONLY, retrieval: RRF, tuning: PLAIN },
  { name: FIELDS, over: MAX, form: WHOLE, retrieval: RRF, tuning: PLAIN },
  { name: DESCRIBED, over: FIELDS, form: SITUATION, retrieval: RRF, tuning: PLAIN },
  { name: TAGGED, over: DESCRIBED, expected: "B1", form: WITH_TAGS, retrieval: RRF, tuning: PLAIN },
  { name: "+ model-written lesson (multi-field)", over: TAGGED, form: MULTI_FIELD, retrieval: RRF, tuning: PLAIN },
  { name: "+ its code in the embedded text", over: FIELDS, form: WITH_CODE, retrieval: RRF, tuning: PLAIN },
  { name: LANGUAGE, over: FIELDS, form: WHOLE, retrieval: RRF, tuning: { factors: ["language"] } },
  {
    name: RECENCY,
    over: LANGUAGE,
    form: WHOLE,
    retrieval: RRF,
    tuning: { factors: ["language", "recency"] },
  },
  { name: "+ contrast", remark: "measured by itself (eval -- contrast): the corpus holds no fixed code" },
  { name: "+ HyDE", remark: `${EXPECTED.C2}; measured apart, with recorded replies (--replies eval/replies)` },
  {
    name: "+ model-written queries",
    remark: `${EXPECTED.A2}; measured apart, with recorded replies (--replies eval/replies)`,
  },
  {
    name: "+ model-written queries of 20–50 words",
    remark: `${EXPECTED.A2}; not measured: no replies are recorded`,
  },
  { name: "+ rerank", remark: "measured with recorded replies: --replies eval/replies" },
  { name: DEFAULT, over: RECENCY, form: WHOLE },
  {
    name: "semantic alone (embedder local-hash-1)",
    over: DEFAULT,
    form: WHOLE,
    retrieval: VECTORS,
    tuning: PLAIN,
  },
  { name: "other embedders", remark: "measured by itself, with a key: --embedder env" },
  { name: KEYWORD, over: DEFAULT, form: WHOLE, retrieval: WORDS, tuning: PLAIN },
  { name: ONE_QUERY, over: KEYWORD, form: WHOLE, retrieval: WORDS, tuning: only("intent") },
  { name: FIRST_SYSTEM, over: ONE_QUERY, form: WHOLE, retrieval: WORDS, tuning: only("intent") },
];

const without = (name: FactorName): Partial<Tuning> => ({ factors: FACTOR_NAMES.filter((one) => one !== name) });

/** What each factor is worth: its loss where it is 1. */
const FACTORS_OFF: readonly Stage[] = FACTOR_NAMES.map((name) => ({
  name: `default without ${name}`,
  over: DEFAULT,
  form: WHOLE,
  tuning: without(name),
}));

/** What the text of a query is worth, all else as it is by default. */
const PLAIN_QUERY = "default, asked with title and first 20 paths";
const QUERY_STEP: readonly Stage[] = [
  { name: PLAIN_QUERY, form: WHOLE, tuning: { variants: new Set(["paths"]), paths: 20 } },
  {
    name: "default, asked with the enriched query",
    over: PLAIN_QUERY,
    expected: "A2",
    form: WHOLE,
    tuning: { variants: new Set(["intent"]) },
  },
];

/**
 * Whose truths are written about another language than the change: without the factor and with it.
 */
const ELSEWHERE_OFF = "truths in another language: default without language";
const LANGUAGE_STEP: readonly Stage[] = [
  { name: ELSEWHERE_OFF, form: WHOLE, tuning: without("language") },
  { name: "truths in another language: default", over: ELSEWHERE_OFF, form: WHOLE },
];

/**
 * @param repos as the caller restricted the data, so that the looser labels are restricted alike
 * @param written what a model wrote about the corpus; null leaves those rows unmeasured
 */
export async function ablation(
  asked: TaskData,
  judged: JudgedData,
  repos: ReadonlySet<string> | null,
  written: WrittenById | null = null,
): Promise<SuiteResult> {
  const stages = [...STAGES, ...QUERY_STEP, ...FACTORS_OFF]
    .filter((stage): stage is Stage => "form" in stage)
    .map((stage) =>
      stage.name === FIRST_SYSTEM
        ? { ...stage, recall: (recall: TemporaryStore["recall"]) => withFirstKeywordScore(recall, judged.corpus) }
        : stage,
    );
  const elsewhere = inAnotherLanguage(taskOf("H", judged, repos), judged);
  const answers = new Map<string, readonly Answer[]>();
  let config = "";
  let threshold = 0;
  const measured = stages.filter(({ form }) => written !== null || !WRITTEN.has(form));
  for (const [form, ofForm] of Map.groupBy(measured, (stage) => stage.form)) {
    await withStore(async (store) => {
      if (written !== null && WRITTEN.has(form)) await store.importWritten(asked.lines, written, form);
      else await store.importLines(asked.lines, form);
      await mustHoldTruth(asked, store);
      config = retrievalFingerprint(store.embedder);
      threshold = store.embedder.threshold;
      for (const [name, list] of (await answersOf(asked, ofForm, store)).answers) answers.set(name, list);
      if (form !== WHOLE) return;
      for (const [name, list] of (await answersOf(elsewhere, LANGUAGE_STEP, store)).answers) answers.set(name, list);
    });
  }
  return {
    data: { n: asked.queries.length, fingerprint: judged.fingerprint },
    config: { fingerprint: config },
    rows: [...STAGES, ...QUERY_STEP, ...FACTORS_OFF, ...LANGUAGE_STEP].map((stage) =>
      rowOfStage(stage, answers, threshold),
    ),
    printIntervals: ["mrr", "recall@10"],
    notes: [
      `Each gain is over the row named, in points of recall@10 and in MRR, paired (bootstrap, seed ${SEED}); what was once expected of the step stands behind it.`,
      "The learned table was fitted on this data; fit-fusion.ts prints its figures outside the folds it was fitted on.",
    ],
  };
}

const NONE = { mean: 0, low: 0, high: 0 };

function rowOfStage(
  stage: Stage | Unmeasured,
  answers: ReadonlyMap<string, readonly Answer[]>,
  threshold: number,
): Row {
  if (!("form" in stage)) return { name: stage.name, n: 0, metrics: {}, remark: stage.remark };
  const list = answers.get(stage.name) ?? [];
  if (list.length === 0 && WRITTEN.has(stage.form))
    return { name: stage.name, n: 0, metrics: {}, remark: unwritten(stage) };
  const figures = figuresOf(list, threshold);
  const row = rowOf(stage.name, figures, list);
  if (stage.over === undefined) return row;
  const against = gainOver(stage.over, figures, figuresOf(answers.get(stage.over) ?? [], threshold));
  const gain = against.gain["recall@10"] ?? NONE;
  const points = (share: number) => `${share < 0 ? "" : "+"}${(100 * share).toFixed(1)}`;
  const expected = stage.expected === undefined ? "" : `; expected ${EXPECTED[stage.expected]}`;
  const mrr = intervalText(against.gain.mrr ?? NONE);
  const text = `${points(gain.mean)} [${points(gain.low)}, ${points(gain.high)}], MRR ${mrr} over "${stage.over}"${expected}`;
  return { ...row, against, remark: text };
}

function unwritten({ expected }: Stage): string {
  const hoped = expected === undefined ? "" : `${EXPECTED[expected]}; `;
  return `${hoped}not measured: give --written FILE, an export of described memories`;
}

/**
 * Looser labels, because the strict ones hold five such truths only; other truths of the same
 * queries do not count.
 */
function inAnotherLanguage(asked: TaskData, { corpus }: JudgedData): TaskData {
  const languageOf = new Map(corpus.map(({ id, language }) => [id, language]));
  const queries = asked.queries.flatMap((query): TaskQuery[] => {
    const own = new Set(query.languages);
    const truth = [...query.truth].filter((id) => {
      const language = languageOf.get(id) ?? null;
      return language !== null && !own.has(language);
    });
    const grades = new Map(truth.map((id) => [id, query.grades.get(id) ?? 1]));
    return truth.length === 0 ? [] : [{ ...query, truth: new Set(truth), grades }];
  });
  return { ...asked, queries };
}
