// Do both stores answer alike? The same memories in SQLite and in Postgres, the same questions, and
// how much of the first ten agrees. `--database URL` names an empty Postgres; `--task`, `--repos`
// as in retrieval.

import { type Answer, figuresOf, gainOver, intervalText, rowOf } from "../answers.ts";
import { SAMPLE } from "../baseline.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { readJudged } from "../judged-data.ts";
import { readTask, type TaskData, taskOf } from "../retrieval-task.ts";
import { answersOf, mustHoldTruth } from "../run-all-queries.ts";
import type { Arm } from "../run-retrieval.ts";
import type { Suite } from "../suite.ts";
import { type EmptyStore, postgresStore, withStore } from "../temporary-store.ts";

const ARMS: readonly Arm[] = [
  { name: "default" },
  { name: "keyword", retrieval: { method: "keyword", fusion: "rrf" } },
  { name: "semantic", retrieval: { method: "semantic" } },
];
const TOP = 10;

/** @throws Error without `--database`, and when the database is not empty */
export const suite: Suite = async ({ data, flags }) => {
  const url = flags.get("database");
  if (url === undefined) throw new Error("name an empty Postgres: --database postgres://…");
  const repos = flags.get("repos");
  const judged = await readJudged(data);
  const within = repos === undefined ? null : new Set<string>(repos === "sample" ? SAMPLE : repos.split(","));
  const asked = taskOf(readTask(flags.get("task")), judged, within);
  const embedded = await answered(asked, undefined);
  const postgres = await answered(asked, () => postgresStore(url));
  const rows = ARMS.flatMap(({ name }) => {
    const [ours, theirs] = [embedded.answers.get(name) ?? [], postgres.answers.get(name) ?? []];
    const figures = figuresOf(ours, embedded.threshold);
    const others = figuresOf(theirs, embedded.threshold);
    const second = rowOf(`${name}, Postgres`, others, theirs);
    const shared = sharedTop(ours, theirs);
    return [
      rowOf(`${name}, SQLite`, figures, ours),
      {
        ...second,
        metrics: { ...second.metrics, [`overlap@${TOP}`]: shared },
        against: gainOver("SQLite", others, figures),
      },
    ];
  });
  return {
    data: { n: asked.queries.length, fingerprint: judged.fingerprint },
    config: { fingerprint: embedded.fingerprint },
    task: asked.task,
    rows,
    printIntervals: ["mrr"],
    notes: rows.flatMap((row) =>
      "against" in row && row.against !== undefined
        ? [
            `${row.name} against SQLite: mrr ${row.against.gain.mrr === undefined ? "" : intervalText(row.against.gain.mrr)}`,
          ]
        : [],
    ),
  };
};

async function answered(asked: TaskData, open: (() => Promise<EmptyStore>) | undefined) {
  return withStore(async (store) => {
    await store.importLines(asked.lines);
    await mustHoldTruth(asked, store);
    const { answers } = await answersOf(asked, ARMS, store);
    return { answers, threshold: store.embedder.threshold, fingerprint: retrievalFingerprint(store.embedder) };
  }, open);
}

/**
 * The mean share of the first ten of one that are among the first ten of the other; 1 where both
 * found nothing.
 */
function sharedTop(ours: readonly Answer[], theirs: readonly Answer[]): number {
  const other = new Map(theirs.map(({ query, ids }) => [query, ids.slice(0, TOP)]));
  const shares = ours.map(({ query, ids }) => {
    const [one, two] = [ids.slice(0, TOP), other.get(query) ?? []];
    const most = Math.max(one.length, two.length);
    return most === 0 ? 1 : one.filter((id) => two.includes(id)).length / most;
  });
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}
