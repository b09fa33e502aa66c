// The model for the command line: the one that the environment names, or none, with every question shown.
import { resolve } from "node:path";
import { localChanges } from "../../adapters/git/local-changes.ts";
import { meteredModel } from "../../adapters/metered-model.ts";
import { isFolder } from "../../cli/find-repository.ts";
import { UsageError } from "../../cli/usage.ts";
import { parseConfig } from "../../config/parse-config.ts";
import { type ModelChoice, providersSet, readModel } from "../../config/read-model.ts";
import { setVariables } from "../../config/shown-variables.ts";
import type { Repo } from "../../domain/job.ts";
import type { ModelRequest, ModelUsage, Purpose } from "../../domain/model.ts";
import { configAt } from "../../gather/gather.ts";
import type { Model, ModelAccess, Spending } from "../../ports/model.ts";
import { chosenModel, promptDelimiter, standInModel } from "../models.ts";
import { knownRules } from "../rules.ts";
import { spendingAt } from "./store.ts";

/** What the command line was told about the model. */
export interface ModelWish {
  /** `auto`: the one that the environment names, if it names one. `show`: nobody is asked, but every question is told. */
  readonly use: "auto" | "off" | "show";
  /** Told each question when it is asked; with `show` as it would leave the machine, secrets masked. */
  readonly onQuestion?: (request: ModelRequest<unknown>) => void;
}

/**
 * Access to the model that `wish` means; null where there is none.
 *
 * @param place see storePlace
 * @throws UsageError with every problem of the model's variables
 */
export async function modelAccess(
  { use, onQuestion }: ModelWish,
  repo: Repo,
  place: string,
): Promise<ModelAccess | null> {
  const choice = use === "off" ? null : choiceOf(use);
  if (choice === null) return null;
  const told = (request: ModelRequest<unknown>) => onQuestion?.(request);
  const model = use === "show" ? await silentModel(choice, told) : await tellingModel(choice, told);
  const book = await spendingAt(place);
  const record = (purpose: Purpose, usage: ModelUsage) => book?.record(repo, Date.now(), purpose, usage);
  // A question whose cost could not be written down was answered all the same.
  return {
    model: meteredModel(model, record, () => {}),
    spending: book ?? NOTHING_SPENT,
    delimiter: promptDelimiter,
  };
}

/** Where no server counts. */
const NOTHING_SPENT: Spending = { usage: () => Promise.resolve({ spent: 0, aside: 0 }) };

function choiceOf(use: "auto" | "show"): ModelChoice | null {
  const set = setVariables(process.env);
  // Nobody is asked, so any key will do: the prompt can be looked at before there is one.
  if (use === "show" && providersSet(set).length === 0) set.set("ANTHROPIC_API_KEY", "nobody-is-asked");
  const read = readModel(set);
  if ("problems" in read) throw new UsageError(read.problems.join("; "));
  return read.model;
}

function silentModel(choice: ModelChoice, told: (request: ModelRequest<unknown>) => void): Promise<Model> {
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 0, requests: 0 };
  return standInModel(choice, (request) => {
    told(request as ModelRequest<unknown>);
    const detail = "nobody was asked: the prompt was only shown";
    return Promise.resolve({ kind: "failed", failure: "stopped", detail, notBefore: null, usage });
  });
}

async function tellingModel(choice: ModelChoice, told: (request: ModelRequest<unknown>) => void): Promise<Model> {
  const chosen = await chosenModel(choice);
  return {
    ...chosen,
    ask: (request, signal) => {
      told(request as ModelRequest<unknown>);
      return chosen.ask(request, signal);
    },
  };
}

/**
 * US$ that models may cost in a calendar month: as the last commit of a clone configures it.
 *
 * @param word a folder; undefined is the one here. What is named otherwise has the default, as its file is not here
 */
export async function monthlyBudget(word: string | undefined): Promise<number> {
  if (word !== undefined && !isFolder(word)) return parseConfig([]).config.review.budget.usdPerMonth;
  const { repo, pull, pulls } = await localChanges(resolve(word ?? "."), { kind: "staged" });
  const { config } = await configAt(repo, pull.base.sha, pulls, knownRules());
  return config.review.budget.usdPerMonth;
}
