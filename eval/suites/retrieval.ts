// Does memory find what matters? The real store and the real retrieve room over judged queries, with the leakage guard on.
// `--task G|H|S`, `--repos A/B,C/D` for some repositories only, `--rows default` for some rows only, `--ablate`.
import { repoKey } from "../../src/domain/memory.ts";
import { evaluationRepo } from "../../src/learn/parse-row.ts";
import { ablation } from "../ablation.ts";
import {
  type Answer,
  bestAndWorst,
  cutFigures,
  type Figures,
  figuresOf,
  gainOver,
  intervalText,
  rowOf,
} from "../answers.ts";
import { type Arm, askRoom, type Question, questionOf } from "../ask-room.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { type JudgedData, readJudged } from "../judged-data.ts";
import { earlier, prepareRows } from "../retrieval-rows.ts";
import { readTask, type Task, type TaskData, taskOf } from "../retrieval-task.ts";
import type { Row, Suite } from "../suite.ts";
import { type TemporaryStore, withStore } from "../temporary-store.ts";
import { untunedFusion } from "../untuned-fusion.ts";

/** `default` is the default configuration with topK raised and the floors and character budget off. */
const ARMS: readonly Arm[] = [
  { name: "default" },
  { name: "default-cut", cut: true },
  { name: "rrf", retrieval: { fusion: "rrf" } },
  { name: "weighted", retrieval: { fusion: "weighted" } },
  { name: "keyword", retrieval: { method: "keyword", fusion: "rrf" } },
  { name: "semantic", retrieval: { method: "semantic" } },
];
const UNTUNED = "untuned, three lists";

/** Refuses to run when a truth id is not in memory. */
export const suite: Suite = async ({ data, flags }) => {
  const task = readTask(flags.get("task"));
  const repos = flags.get("repos");
  const judged = await readJudged(data);
  const asked = taskOf(task, judged, repos === undefined ? null : new Set(repos.split(",")));
  if (flags.has("ablate")) return ablation(asked, judged);
  const wanted = flags.get("rows")?.split(",") ?? null;
  const arms = ARMS.filter(({ name }) => wanted === null || wanted.includes(name));
  return withStore(async (store) => {
    const added = await store.importLines(asked.lines);
    await mustHoldTruth(asked, store);
    const { answers, degraded } = await answersOf(asked, arms, store);
    if (wanted === null || wanted.includes(UNTUNED)) answers.set(UNTUNED, untunedAnswers(asked, judged));
    const { rows, figures } = rowsOf(answers, store.embedder.threshold);
    const first = answers.get("default") ?? [];
    return {
      data: { n: asked.queries.length, fingerprint: judged.fingerprint },
      config: { fingerprint: retrievalFingerprint(store.embedder) },
      rows: [...rows, ...splitByDiff(asked, first, store.embedder.threshold)],
      printIntervals: ["mrr", "recall@5", "recall@10"],
      notes: [
        `task ${task}: ${added} memories, ${asked.refusedDiffs} diffs of which a part could not be read`,
        ...gainNotes(rows),
        ...(figures.has(UNTUNED) ? untunedNote(figures) : []),
        ...bestAndWorst(first),
        ...degraded,
      ],
    };
  });
};

/** @throws Error when a truth id is not in memory: recall would be 0 for the wrong reason */
export async function mustHoldTruth({ queries }: TaskData, { memory, embedder }: TemporaryStore): Promise<void> {
  for (const [repo, list] of Map.groupBy(queries, (query) => query.repo)) {
    const truth = [...new Set(list.flatMap((query) => [...query.truth]))];
    const known = await memory.known(repoKey(evaluationRepo(repo)), "review_comment", embedder.space, truth);
    const missing = truth.find((id) => !known.has(id));
    if (missing !== undefined) throw new Error(`${repo}: truth ${missing} is not in memory`);
  }
}

interface Answered {
  readonly answers: Map<string, Answer[]>;
  /** What worked less well than it should, by arm. */
  readonly degraded: readonly string[];
}

/** Query by query, so that each diff is read into signals once. */
export async function answersOf(
  { queries }: TaskData,
  arms: readonly Arm[],
  store: TemporaryStore,
  change: (question: Question, arm: Arm) => Question = (question) => question,
): Promise<Answered> {
  const answers = new Map(arms.map(({ name }) => [name, [] as Answer[]]));
  const degraded = new Set<string>();
  for (const query of queries) {
    const question = questionOf(query);
    for (const arm of arms) {
      const answer = await askRoom(change(question, arm), arm, store);
      answers.get(arm.name)?.push(answer);
      for (const { part, reason } of answer.precedents.degraded) degraded.add(`${arm.name}: ${part}: ${reason}`);
    }
  }
  return { answers, degraded: [...degraded].slice(0, 10) };
}

function rowsOf(answers: ReadonlyMap<string, readonly Answer[]>, threshold: number) {
  const figures = new Map(
    [...answers].map(([name, list]) => [name, name.endsWith("-cut") ? cutFigures(list) : figuresOf(list, threshold)]),
  );
  const base = figures.get("default");
  const rows = [...answers].map(([name, list]): Row => {
    const own = figures.get(name) ?? {};
    const row = rowOf(name, own, list);
    const compares = base !== undefined && name !== "default" && "mrr" in own;
    return compares ? { ...row, against: gainOver("default", own, base) } : row;
  });
  return { rows, figures };
}

function untunedAnswers({ task, queries }: TaskData, judged: JudgedData): Answer[] {
  const rows = prepareRows(judged);
  const prepared = new Map(rows.queries.map((query) => [query.id, query]));
  return queries.flatMap(({ id, truth, grades }) => {
    const query = prepared.get(id);
    if (query === undefined) return [];
    const started = performance.now();
    const memories = task === "S" ? (rows.memories.get(query.repo) ?? []) : earlier(rows, query);
    const ids = untunedFusion(query, memories, task === "S" ? "S" : "G").slice(0, 50);
    return [{ query: id, ids, distances: ids.map(() => null), truth, grades, ms: performance.now() - started }];
  });
}

/** Nearly half of the diffs stand at the final head, where what was asked for is done already. */
function splitByDiff({ task, queries }: TaskData, answers: readonly Answer[], threshold: number): Row[] {
  if (task === "H" || answers.length === 0) return [];
  const atReview = new Map(queries.map((query) => [query.id, query.atReview]));
  return [true, false].flatMap((wanted) => {
    const part = answers.filter(({ query }) => atReview.get(query) === wanted);
    const name = `default, diff ${wanted ? "of the review" : "at the final head"}`;
    return part.length === 0 ? [] : [rowOf(name, figuresOf(part, threshold), part)];
  });
}

function gainNotes(rows: readonly Row[]): string[] {
  return rows.flatMap(({ name, against }) =>
    against === undefined
      ? []
      : [
          `${name} against ${against.row}: ${Object.entries(against.gain)
            .map(([metric, interval]) => `${metric} ${intervalText(interval)}`)
            .join("  ")}`,
        ],
  );
}

function untunedNote(figures: ReadonlyMap<string, Figures>): string[] {
  const [ours, theirs] = [figures.get("default"), figures.get(UNTUNED)];
  if (ours === undefined || theirs === undefined) return [];
  const { gain } = gainOver(UNTUNED, ours, theirs);
  const told = Object.entries(gain).map(([metric, interval]) => `${metric} ${intervalText(interval)}`);
  return [`default against ${UNTUNED} (its table was fitted on the development data): ${told.join("  ")}`];
}
