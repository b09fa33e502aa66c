// Does memory find what matters? The real store and the real retrieve stage over judged queries,
// with the leakage guard on. `--task G|H|S`, `--repos A/B,C/D` for some repositories only
// (`sample`: those of the tests), `--rows default` for some rows only, `--embedder env` measures
// the embedder that the environment names, as a server would take it. `--replies DIR[,DIR…]` asks
// the recorded queries only (`--queries FILE`) and adds a row for each step that asks a model, with
// the replies of each folder as a repeat; `--ablate`, with `--written FILE` also over what a model
// wrote.
import { basename } from "node:path";
import { readEmbeddings } from "../../src/config/environment/read-models.ts";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import {
  buildRetrievalContextSection,
  DELIMITER_CHARS,
  revealedMemory,
} from "../../src/domain/memory/precedent-section.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { ablation } from "../ablation.ts";
import {
  type Answer,
  bestAndWorst,
  cutFigures,
  type Figures,
  figuresOf,
  gainOver,
  intervalText,
  overRepeats,
  rowOf,
} from "../answers.ts";
import { SAMPLE } from "../baseline.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { type JudgedData, readJudged } from "../judged-data.ts";
import { meanOf } from "../metrics.ts";
import { QUERIES_FILE, recordedArms, recordedQueries } from "../recorded-steps.ts";
import { earlier, prepareRows } from "../retrieval-rows.ts";
import { readTask, type TaskData, taskOf } from "../retrieval-task.ts";
import { answersOf, mustHoldTruth } from "../run-all-queries.ts";
import type { Arm, Retrieved } from "../run-retrieval.ts";
import type { Row, Suite } from "../suite.ts";
import { targetLines } from "../targets.ts";
import { sqliteStore, withStore } from "../temporary-store.ts";
import { untunedFusion } from "../untuned-fusion.ts";
import { readWritten } from "../written-fields.ts";

const CUT = "default-cut";
/**
 * `default` is the default configuration with topK raised and the floors and character budget off.
 */
const ARMS: readonly Arm[] = [
  { name: "default" },
  { name: CUT, cut: true },
  { name: "rrf", retrieval: { fusion: "rrf" } },
  { name: "weighted", retrieval: { fusion: "weighted" } },
  { name: "keyword", retrieval: { method: "keyword", fusion: "rrf" } },
  { name: "semantic", retrieval: { method: "semantic" } },
];
const UNTUNED = "untuned-rrf";

/** Refuses to run when a truth id is not in memory. */
export const suite: Suite = async ({ data, flags }) => {
  const task = readTask(flags.get("task"));
  const repos = flags.get("repos");
  const judged = await readJudged(data);
  const within = repos === undefined ? null : new Set<string>(repos === "sample" ? SAMPLE : repos.split(","));
  const replies = flags.get("replies") ?? null;
  const whole = taskOf(task, judged, within);
  const asked = replies === null ? whole : await recordedQueries(whole, flags.get("queries") ?? QUERIES_FILE);
  if (flags.has("ablate")) {
    const written = flags.get("written");
    return ablation(asked, judged, within, written === undefined ? null : await readWritten(written));
  }
  const wanted = flags.get("rows")?.split(",") ?? null;
  const isWanted = ({ name }: Arm) => wanted === null || wanted.includes(name);
  const recordings = await Promise.all((replies?.split(",") ?? []).map(recordedArms));
  const steps = recordings.flat().filter(({ arm }) => isWanted(arm));
  const base = replies === null ? ARMS : ARMS.filter(({ name }) => name === "default");
  const { embedder, of } = await chosen(flags.get("embedder"));
  return withStore(
    async (store) => {
      const added = await store.importLines(asked.lines);
      await mustHoldTruth(asked, store);
      const { answers: found, degraded: ofBase } = await answersOf(asked, base.filter(isWanted), store);
      const answers = new Map<string, readonly Answer[]>(found);
      const degraded = [...ofBase];
      const repeats = new Map<string, (readonly Answer[])[]>();
      for (const { arm } of steps) {
        const run = await answersOf(asked, [arm], store);
        repeats.set(arm.name, [...(repeats.get(arm.name) ?? []), run.answers.get(arm.name) ?? []]);
        degraded.push(...run.degraded);
      }
      if (wanted?.includes(UNTUNED) ?? replies === null) answers.set(UNTUNED, untunedAnswers(asked, judged));
      const { rows, figures } = rowsOf(answers, repeats, found.get(CUT) ?? [], store.embedder.threshold);
      const first = answers.get("default") ?? [];
      return {
        data: { n: asked.queries.length, fingerprint: judged.fingerprint },
        config: { fingerprint: retrievalFingerprint(store.embedder) },
        task: within === null ? task : `${task} sample`,
        rows: [...rows, ...rowsBySize(found.get(CUT) ?? []), ...splitByDiff(asked, first, store.embedder.threshold)],
        printIntervals: ["mrr", "recall@5", "recall@10", "hitRate", "used", "labelled", "precision", "characters"],
        notes: [
          `task ${task} of ${basename(data)}: ${added} memories, ${asked.refusedDiffs} diffs of which a part could not be read; embedder ${of}`,
          ...gainNotes(rows),
          ...steps.filter(({ asked: questions }) => questions.length > 0).map(replyNote),
          ...(figures.has(UNTUNED) ? untunedNote(figures) : []),
          ...bestAndWorst(first),
          ...rows.filter(({ name }) => name === "default").flatMap(targetLines),
          ...degraded.slice(0, MOST_DEGRADED),
        ],
      };
    },
    sqliteStore,
    embedder,
  );
};

const MOST_DEGRADED = 10;

/**
 * The keyless embedder, or with `env` the one that the environment names. @throws Error for
 * settings that fit none
 */
async function chosen(wish: string | undefined) {
  const read = readEmbeddings(
    new Map(Object.entries(wish === "env" ? process.env : {}).map(([name, value]) => [name, value ?? ""])),
  );
  if ("problems" in read) throw new Error(read.problems.join("; "));
  const embedder = await chosenEmbedder(read.embeddings);
  const { model, dimension } = embedder.space;
  return { embedder, of: `${model} with ${dimension} numbers` };
}

/** What was asked of the recorded replies and what was answered. */
function replyNote({ arm, asked }: Awaited<ReturnType<typeof recordedArms>>[number]): string {
  const outcomes = asked.flatMap((one) => one.outcomes);
  const count = (state: string) => outcomes.filter((one) => one.state === state).length;
  const sizes = asked.map((one) => one.outcomes.reduce((sum, { question }) => sum + question.inputTokens, 0));
  const tokens = Math.round(meanOf(sizes));
  return `${arm.name}: ${outcomes.length} questions about ${asked.length} queries, ${tokens} tokens in a query; replies: ${count("answered")} answered, ${count("fixed")} fixed, ${count("malformed")} malformed, ${count("missing")} missing`;
}

function rowsOf(
  answers: ReadonlyMap<string, readonly Answer[]>,
  repeats: ReadonlyMap<string, readonly (readonly Answer[])[]>,
  cut: readonly Retrieved[],
  threshold: number,
) {
  const figures = new Map(
    [...answers].map(([name, list]) => [name, name === CUT ? sectionFigures(cut) : figuresOf(list, threshold)]),
  );
  const spreads = new Map<string, string>();
  for (const [name, runs] of repeats) {
    const all = overRepeats(runs.map((run) => figuresOf(run, threshold)));
    figures.set(name, all.figures);
    spreads.set(name, all.spread);
  }
  const base = figures.get("default");
  const lists = [...answers, ...[...repeats].map(([name, runs]) => [name, runs.flat()] as const)];
  const rows = lists.map(([name, list]): Row => {
    const own = figures.get(name) ?? {};
    const remark = spreads.get(name);
    const n = list.length / (repeats.get(name)?.length ?? 1);
    const row = { ...rowOf(name, own, list), n, ...(remark === undefined ? {} : { remark }) };
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
    const ids = untunedFusion(query, memories, task === "S" ? "S" : "G", rows.lexicon).slice(0, 50);
    return [{ query: id, ids, distances: ids.map(() => null), truth, grades, ms: performance.now() - started }];
  });
}

/** Most memories of the repository, at the time of the question. */
const SIZES = [
  ["1–5 memories", 5],
  ["6–20 memories", 20],
  ["21–100 memories", 100],
  ["more memories", Number.POSITIVE_INFINITY],
] as const;

/** What reaches the prompt, by the size of the repository's memory. */
function rowsBySize(found: readonly Retrieved[]): Row[] {
  const bySize = Map.groupBy(found, ({ precedents }) => SIZES.findIndex(([, most]) => inScope(precedents) <= most));
  return SIZES.flatMap(([name], at) => {
    const some = bySize.get(at);
    return some === undefined ? [] : [rowOf(`${CUT}, ${name}`, sectionFigures(some), some)];
  });
}

const inScope = ({ provenance }: Precedents) => provenance.scanned ?? 0;

/** With the labelled memories of a prompt and the characters of its section. */
function sectionFigures(found: readonly Retrieved[]): Figures {
  const { maxContextChars: maxChars } = defaultKnowledge().retrieval;
  const delimiter = "=".repeat(DELIMITER_CHARS);
  return {
    ...cutFigures(found),
    labelled: found.map(({ ids, truth }) => ids.filter((id) => truth.has(id)).length),
    characters: found.map(({ precedents: { ranked } }) => {
      const repo = ranked[0]?.record.repoName ?? "";
      return buildRetrievalContextSection(ranked.map(revealedMemory), { maxChars, delimiter, repo }).length;
    }),
  };
}

/** Nearly half of the diffs are at the final head, which already contains the requested change. */
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
