// The model for the command line: the environment's, or none, with a callback for every request.
import { meteredModel } from "../../adapters/metered-model.ts";
import { UsageError } from "../../cli/usage.ts";
import { type ModelChoice, providersSet, readModel } from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/shown-variables.ts";
import type { Repo } from "../../domain/job.ts";
import type { ModelRequest, ModelUsage, Purpose } from "../../domain/model.ts";
import type { Model, ModelAccess, Spending, SpendingStore } from "../../ports/model.ts";

/** The command line's choice of model. */
export interface ModelWish {
  /** `auto`: the environment's model, if set. `show`: no model is called, but every request is reported. */
  readonly use: "auto" | "off" | "show";
  /** Called with each request; with `show`, secrets are masked as they would be when sent. */
  readonly onQuestion?: (request: ModelRequest<unknown>) => void;
}

/**
 * Access to the chosen model; null without one.
 *
 * @param spending where costs are recorded; null without a store
 * @throws UsageError with every problem of the model's variables
 */
export async function modelAccess(
  { use, onQuestion }: ModelWish,
  repo: Repo,
  spending: SpendingStore | null,
): Promise<ModelAccess | null> {
  const choice = use === "off" ? null : choiceOf(use);
  if (choice === null) return null;
  // Without a model none of this is loaded.
  const { promptDelimiter } = await import("../models.ts");
  const report = (request: ModelRequest<unknown>) => onQuestion?.(request);
  const model = use === "show" ? await dryModel(choice, report) : await reportingModel(choice, report);
  const record = (purpose: Purpose, usage: ModelUsage) => spending?.record(repo, Date.now(), purpose, usage);
  return { model: meteredModel(model, record), spending: spending ?? NOTHING_SPENT, delimiter: promptDelimiter };
}

/** Without a server's records. */
const NOTHING_SPENT: Spending = { usage: () => Promise.resolve({ spent: 0, aside: 0 }) };

function choiceOf(use: "auto" | "show"): ModelChoice | null {
  const set = setVariables(process.env);
  // No model is called, so any key will do: the prompt can be shown before there is a real one.
  if (use === "show" && providersSet(set).length === 0) set.set("ANTHROPIC_API_KEY", "nobody-is-asked");
  const read = readModel(set);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  return read.model;
}

async function dryModel(choice: ModelChoice, report: (request: ModelRequest<unknown>) => void): Promise<Model> {
  const { standInModel } = await import("../models.ts");
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 0, requests: 0 };
  return standInModel(choice, (request) => {
    report(request as ModelRequest<unknown>);
    const detail = "no model was called: the prompt was only shown";
    return Promise.resolve({ kind: "failed", failure: "stopped", detail, notBefore: null, usage });
  });
}

async function reportingModel(choice: ModelChoice, report: (request: ModelRequest<unknown>) => void): Promise<Model> {
  const { chosenModel } = await import("../models.ts");
  const chosen = await chosenModel(choice);
  return {
    ...chosen,
    ask: (request, signal) => {
      report(request as ModelRequest<unknown>);
      return chosen.ask(request, signal);
    },
  };
}
