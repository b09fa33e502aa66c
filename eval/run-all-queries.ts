// All queries of a task, asked of all configurations.
import { repoKey } from "../src/domain/memory.ts";
import { evaluationRepo } from "../src/learn/remember/parse-row.ts";
import type { TaskData } from "./retrieval-task.ts";
import { type Arm, questionOf, type Retrieved, runRetrieval } from "./run-retrieval.ts";
import type { TemporaryStore } from "./temporary-store.ts";

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
  readonly answers: Map<string, Retrieved[]>;
  /** What worked less well than it should, by arm. */
  readonly degraded: readonly string[];
}

/** Query by query, so that each diff is read into signals once. */
export async function answersOf({ queries }: TaskData, arms: readonly Arm[], store: TemporaryStore): Promise<Answered> {
  const answers = new Map(arms.map(({ name }) => [name, [] as Retrieved[]]));
  const degraded = new Set<string>();
  for (const query of queries) {
    const question = questionOf(query);
    for (const arm of arms) {
      const answer = await runRetrieval(question, arm, store);
      answers.get(arm.name)?.push(answer);
      for (const { part, reason } of answer.precedents.degraded) degraded.add(`${arm.name}: ${part}: ${reason}`);
    }
  }
  return { answers, degraded: [...degraded].slice(0, 10) };
}
