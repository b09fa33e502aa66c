// The model section of `kodiai doctor`: which models, where, at which price. A call costs money, so
// the model is called with `--model` only.

import {
  MODEL_VARIABLES,
  type ModelChoice,
  PROVIDERS,
  providersSet,
  readModel,
} from "../../config/environment/read-models.ts";
import { setVariables } from "../../config/environment/set-variables.ts";
import { defaultConfig } from "../../config/repo-config.ts";
import type { ModelTier } from "../../domain/model.ts";
import type { Model } from "../../ports/model.ts";
import { probeQuestion } from "../../review/review.ts";
import { chosenModel } from "../../wire/models.ts";
import { broken, type Check, note, ok } from "./doctor-memory.ts";

const name = "model";

/** The environment's model, without its key. Never rejects. @param asks sends it a question */
export async function modelChecks({ asks }: { readonly asks: boolean }): Promise<readonly Check[]> {
  const set = setVariables(process.env);
  const read = readModel(set);
  if ("problems" in read) return [broken(name, read.problems.join("; "))];
  const { model: choice } = read;
  if (choice === null) {
    return [note(name, `not configured (rules and memory only); set ${MODEL_VARIABLES}`)];
  }
  const model = await chosenModel(choice);
  const { names } = model;
  const both = names.main === names.small;
  const tiers = (both ? ["main"] : ["main", "small"]) satisfies readonly ModelTier[];
  const known = tiers.map((tier): Check => {
    const price = priceOf(model, tier);
    const text = `${both ? "main and small" : tier}: ${names[tier]}, ${model.contextTokens(tier)} tokens of context, ${price.text}`;
    return (price.known ? ok : note)(name, text);
  });
  return [
    ...known,
    ok("endpoint", endpoint(choice)),
    ...passedOver(choice, set),
    ...ownServersModel(choice, set),
    ...(asks ? [await asked(model, choice)] : []),
    budget(choice, known),
  ];
}

/** If the variables of both providers are set, only one is used. */
function passedOver({ provider = "anthropic" }: ModelChoice, set: ReadonlyMap<string, string>): readonly Check[] {
  const other = providersSet(set).find((known) => known !== provider);
  if (other === undefined) return [];
  const text = `using ${PROVIDERS[provider].name}; ${PROVIDERS[other].name} is also set and not used`;
  const isChosen = set.has("KODIAI_MODEL_PROVIDER");
  return [ok("provider", isChosen ? text : `${text}; KODIAI_MODEL_PROVIDER=${other} uses it`)];
}

/** Another server than the provider's own rarely has the provider's models. */
function ownServersModel(
  { provider = "anthropic", baseUrl, names }: ModelChoice,
  set: ReadonlyMap<string, string>,
): readonly Check[] {
  if (set.has("KODIAI_MODEL") || baseUrl === null) return [];
  const { host, origin } = new URL(baseUrl);
  if (origin === PROVIDERS[provider].origin) return [];
  return [
    note(name, `KODIAI_MODEL is not set: ${host} will be asked for ${names.main}; set it to a model of that server`),
  ];
}

const MILLION = 1_000_000;

function priceOf(model: Model, tier: ModelTier): { readonly known: boolean; readonly text: string } {
  // The price of a short prompt: some models charge more for long ones.
  const [input, output] = [model.price(tier, 1_000, 0), model.price(tier, 0, 1_000)];
  if (input === null || output === null) return { known: false, text: "no price known" };
  const usd = (of: number) => (of * (MILLION / 1_000)).toFixed(2);
  return { known: true, text: `USD ${usd(input)} a million tokens in, ${usd(output)} out` };
}

function endpoint(choice: ModelChoice): string {
  const { provider = "anthropic", baseUrl, apiKey, structuredOutput, temperature } = choice;
  const { host } = new URL(baseUrl ?? PROVIDERS[provider].origin);
  return [
    host,
    apiKey === null ? "without a key" : "with a key",
    `structured output ${asksForShape(choice) ? "on" : "off"}${structuredOutput === "auto" ? " (auto)" : ""}`,
    ...(temperature === null ? [] : [`temperature ${temperature}`]),
  ].join(", ");
}

/** Whether the server enforces the schema of replies. */
function asksForShape({ provider = "anthropic", baseUrl, structuredOutput }: ModelChoice): boolean {
  if (structuredOutput !== "auto") return structuredOutput === "on";
  return provider === "openai" || baseUrl === null || new URL(baseUrl).origin === PROVIDERS[provider].origin;
}

function budget({ usdPerMonth: ceiling = null }: ModelChoice, known: readonly Check[]): Check {
  const { usdPerReview, usdPerMonth } = defaultConfig().review.budget;
  const each = `USD ${usdPerReview} a review and ${usdPerMonth} a month and repository, unless .kodiai.yml says otherwise`;
  const text = ceiling === null ? each : `${each}; USD ${ceiling} a month for all of them`;
  const isHeld = known.every(({ state }) => state === "ok");
  return ok("budget", isHeld ? text : `${text}; they hold for no model without a known price: set KODIAI_MODEL_PRICE`);
}

/** One question as large as a review's: whether it answers, how fast, what its server takes. */
async function asked(model: Model, choice: ModelChoice): Promise<Check> {
  const answer = await model.ask(probeQuestion(model));
  const { ms, inputTokens, outputTokens, usd } = answer.usage;
  const cost = `${ms} ms, ${inputTokens} tokens in, ${outputTokens} out${usd === null ? "" : `, USD ${usd.toFixed(4)}`}`;
  if (answer.kind === "failed") return broken("question", `${model.names.main}: ${answer.detail}; ${cost}`);
  const enforced = answer.without?.includes("structured output") ? "no (refused)" : "yes";
  const shape = asksForShape(choice) ? enforced : "no (not requested)";
  const others = model.learned().filter((what) => what !== "structured output");
  const found = others.length === 0 ? "" : `; its server does not take ${others.join(", ")}, and is asked without`;
  return (enforced === "yes" && others.length === 0 ? ok : note)(
    "question",
    `${model.names.main} answered: ${cost}, structured output ${shape}${found}`,
  );
}
