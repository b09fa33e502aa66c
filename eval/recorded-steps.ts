// What a model adds to memory, with recorded replies: the steps that ask one, the queries whose
// replies are recorded, and a model that answers the product's own questions from files.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { defaultKnowledge } from "../src/config/knowledge.ts";
import { modelChoice } from "./model-choice.ts";
import { type ReplyFiles, readReplies } from "./packed-replies.ts";
import { type Outcome, questionHash, recordedModel } from "./reply-folder.ts";
import type { TaskData } from "./retrieval-task.ts";
import type { Arm } from "./run-retrieval.ts";

export const QUERIES_FILE = "eval/replies/queries.txt";

/**
 * Each step switched on alone over the default. Lists are longer than a prompt's here, so
 * `rerankKeep` says what a prompt's is.
 */
export const STEPS = {
  rerank: {
    name: "+ rerank",
    retrieval: { rerank: "model" },
    tuning: { rerankKeep: defaultKnowledge().retrieval.topK },
  },
  queries: { name: "+ model-written queries", retrieval: { modelQueries: true } },
  longQueries: {
    name: "+ model-written queries of 20–50 words",
    retrieval: { modelQueries: true },
    tuning: { queryLength: { least: 20, most: 50 } },
  },
  hyde: { name: "+ HyDE", retrieval: { hypothetical: true } },
} as const satisfies Readonly<Record<string, Arm>>;

export type Step = keyof typeof STEPS;

/** @throws Error for a step that is none of ours */
export function readStep(name: string): Step {
  if (Object.hasOwn(STEPS, name)) return name as Step;
  throw new Error(`--step is one of ${Object.keys(STEPS).join(", ")}`);
}

/**
 * Only the queries of the file, one id a line. @throws Error naming an id that the task does not
 * have
 */
export async function recordedQueries(asked: TaskData, file: string): Promise<TaskData> {
  const ids = new Set((await readFile(file, "utf8")).split("\n").filter((line) => line !== ""));
  const queries = asked.queries.filter(({ id }) => ids.delete(id));
  const [unknown] = ids;
  if (unknown !== undefined) throw new Error(`${file}: task ${asked.task} has no query ${unknown}`);
  return { ...asked, queries };
}

/** As many of the ids as wanted, chosen by a hash that the seed decides, sorted. */
export function drawnIds(ids: readonly string[], seed: string, count: number): readonly string[] {
  const place = (id: string) => createHash("sha256").update(`${seed}\n${id}`).digest("hex");
  return ids
    .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    .slice(0, count)
    .toSorted();
}

/**
 * The same in each run, so that the same question has the same fingerprint. Recorded replies are of
 * public data.
 */
const DELIMITER = `kodiai-${"0".repeat(32)}`;

/**
 * The arm, with a model that answers from files. A reply belongs to a question when the
 * `.request.json` beside it has the question's fingerprint, or when its own name is the
 * fingerprint.
 *
 * @returns also what became of the questions about each query
 */
export function recordedArm(step: Step, files: ReplyFiles) {
  const stems = stemsByHash(files);
  const asked: { readonly query: string; readonly outcomes: readonly Outcome[] }[] = [];
  const choice = modelChoice(undefined);
  const arm: Arm = {
    ...STEPS[step],
    leave: async (query) => {
      const nameOf = (question: Outcome["question"]) => {
        const hash = questionHash(question);
        return stems.get(hash) ?? hash;
      };
      const { model, outcomes } = await recordedModel(nameOf, files, choice);
      asked.push({ query, outcomes });
      return { model, usd: Number.POSITIVE_INFINITY, delimiter: () => DELIMITER };
    },
  };
  return { arm, asked };
}

/** All steps, answered by a folder or a packed file. */
export async function recordedArms(place: string) {
  const files = await readReplies(place);
  return (Object.keys(STEPS) as Step[]).map((step) => recordedArm(step, files));
}

function stemsByHash(files: ReplyFiles): ReadonlyMap<string, string> {
  const END = ".request.json";
  const stems = new Map<string, string>();
  for (const [name, text] of files) {
    const [stem, named] = /^(?:.*\/)?([0-9a-f]{12})(?=\.reply\.\w+$)/.exec(name) ?? [];
    if (stem !== undefined && named !== undefined) stems.set(named, stem);
    if (!name.endsWith(END)) continue;
    const { hash } = JSON.parse(text) as { readonly hash?: unknown };
    if (typeof hash === "string") stems.set(hash, name.slice(0, -END.length));
  }
  return stems;
}
