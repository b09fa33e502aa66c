// Runs one query with one configuration of the retrieve stage: the same stage and store that
// reviews use.
import { analyze } from "../src/analyze/analyze.ts";
import { defaultKnowledge } from "../src/config/knowledge.ts";
import { type ModelAllowance, NO_ALLOWANCE } from "../src/domain/model.ts";
import type { PullRequestContext } from "../src/domain/pull-request.ts";
import type { Precedents } from "../src/domain/retrieval.ts";
import { evaluationRepo } from "../src/learn/remember/parse-row.ts";
import type { Recall } from "../src/ports/memory.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../src/retrieve/retrieve.ts";
import type { Tuning } from "../src/retrieve/tuning.ts";
import type { Answer } from "./answers.ts";
import { pullRequestContext } from "./pull-request-context.ts";
import type { TaskQuery } from "./retrieval-task.ts";
import type { TemporaryStore } from "./temporary-store.ts";

type Retrieval = ReturnType<typeof defaultKnowledge>["retrieval"];

/** A configuration that is measured. */
export interface Arm {
  readonly name: string;
  readonly retrieval?: Partial<Retrieval>;
  readonly tuning?: Partial<Tuning>;
  /** True: as a prompt would get it, with every floor, limit and gate. */
  readonly cut?: boolean;
  /** Another search in the place of the store's own. */
  readonly recall?: (recall: Recall) => Recall;
  /** The model that may be asked, by query id; absent: none. */
  readonly leave?: (query: string) => Promise<ModelAllowance>;
}

/**
 * Ranked lists are measured before anything is cut from them: topK raised, no floors, no character
 * budget.
 */
const RANKED = { topK: 50 };
const OPEN = { floors: false, budget: false };

export interface Question {
  readonly query: Pick<TaskQuery, "id" | "now" | "before" | "truth" | "grades">;
  /** With `explicit` set as the arm wants it: see questionOf. */
  readonly context: PullRequestContext;
  readonly signals: ReturnType<typeof analyze>;
}

export function questionOf(query: TaskQuery): Question {
  const { repo, pr, title, body, files } = query;
  const context = pullRequestContext({
    repo: evaluationRepo(repo),
    number: pr,
    title,
    body,
    files,
    explicit: true,
  });
  return { query, context, signals: analyze(context) };
}

/** An answer, with all notes of the stage. */
export type Retrieved = Answer & { readonly precedents: Precedents };

export async function runRetrieval(
  { query, context, signals }: Question,
  arm: Arm,
  { embedder, recall }: Pick<TemporaryStore, "embedder" | "recall">,
): Promise<Retrieved> {
  const knowledge = defaultKnowledge();
  const open = arm.cut === true ? {} : RANKED;
  const settings = {
    ...OF_THE_CHANGE,
    knowledge: { ...knowledge, retrieval: { ...knowledge.retrieval, ...open, ...arm.retrieval } },
    now: query.now,
    before: query.before,
    tuning: { ...(arm.cut === true ? {} : OPEN), ...arm.tuning },
  };
  // A measurement of ranking wants a list for every query; what reaches a prompt is also the gate's
  // decision.
  const asked = arm.cut === true ? { ...context, job: { ...context.job, explicit: false } } : context;
  const allowance = (await arm.leave?.(query.id)) ?? NO_ALLOWANCE;
  const started = performance.now();
  const ports = { ...UNAIDED, embedder, recall: arm.recall?.(recall) ?? recall, allowance };
  const precedents = await retrieve(asked, signals, ports, settings);
  const ms = performance.now() - started;
  return {
    query: query.id,
    ids: precedents.ranked.map(({ record }) => record.sourceId),
    distances: precedents.ranked.map(({ distance }) => distance),
    truth: query.truth,
    grades: query.grades,
    ms,
    precedents,
  };
}
