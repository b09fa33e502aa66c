// The model for the command line: the environment's, or none, with a callback for every request.

import { type ModelChoice, providersSet, readModel } from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/set-variables.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import type { ModelAnswer, ModelRequest, ModelUsage, Purpose } from "../../domain/model.ts";
import { type Model, type ModelAccess, type ModelLessons, type SpendingStore, UNLIMITED } from "../../ports/model.ts";

export interface ModelWish {
  /** `auto`: the environment's model, if set. `show`: none is called, every request is reported. */
  readonly use: "auto" | "off" | "show";
  /** Called with each request; with `show`, secrets are masked as they would be when sent. */
  readonly onQuestion: (request: ModelRequest<unknown>) => void;
}

/**
 * @param spending where costs are recorded; null without a store
 * @param lessons where it is remembered what the server does not take; null: only in this process
 * @throws UsageError with every problem of the model's variables
 */
export async function modelAccess(
  { use, onQuestion }: ModelWish,
  repo: Repo,
  spending: SpendingStore | null,
  lessons: ModelLessons | null = null,
): Promise<ModelAccess | null> {
  const choice = use === "off" ? null : choiceOf(use);
  if (choice === null) return null;
  // Without a model none of this is loaded.
  const { chosenModel, meteredModel, promptDelimiter } = await import("../models.ts");
  const chosen = await chosenModel(choice, use === "show" ? async () => NOT_ASKED : undefined, lessons);
  const reporting: Model = {
    ...chosen,
    ask(request, signal) {
      onQuestion(request as ModelRequest<unknown>);
      return chosen.ask(request, signal);
    },
  };
  const record = (purpose: Purpose, usage: ModelUsage) => spending?.record(repo, Date.now(), purpose, usage);
  const model = meteredModel(reporting, record);
  return { ...UNLIMITED, ...(spending && { spending }), model, delimiter: promptDelimiter };
}

function choiceOf(use: "auto" | "show"): ModelChoice | null {
  const set = setVariables(process.env);
  // No model is called, so any key will do: the prompt can be shown before there is a real one.
  if (use === "show" && providersSet(set).length === 0) set.set("ANTHROPIC_API_KEY", "nobody-is-asked");
  const read = readModel(set);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  return read.model;
}

const NOT_ASKED: ModelAnswer<never> = {
  kind: "failed",
  failure: "stopped",
  detail: "no model was called: the prompt was only shown",
  notBefore: null,
  usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 0, requests: 0 },
};
