// What `kodiai doctor` says of the model: which ones, where, how they are spoken to, what they cost. Nobody is asked: a
// question costs money.

import { type ModelChoice, readModel } from "../config/read-model.ts";
import { defaultConfig } from "../config/repo-config.ts";
import { setVariables } from "../config/set-variables.ts";
import type { ModelTier } from "../domain/model.ts";
import type { Model } from "../ports/model.ts";
import { chosenModel } from "../wire/models.ts";
import type { Check } from "./doctor-memory.ts";

const name = "model";

/** The model that the environment names. Never rejects, and tells no key. */
export async function modelChecks(): Promise<readonly Check[]> {
  const read = readModel(setVariables(process.env));
  if ("problems" in read) return [{ name, state: "broken", text: read.problems.join("; ") }];
  const { model: choice } = read;
  if (choice === null) {
    const text = "none: rules and memory only; ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL names one";
    return [{ name, state: "note", text }];
  }
  const model = await chosenModel(choice);
  const { names } = model;
  const both = names.main === names.small;
  const tiers = (both ? ["main"] : ["main", "small"]) satisfies readonly ModelTier[];
  const known = tiers.map((tier): Check => {
    const price = priceOf(model, tier);
    const text = `${both ? "main and small" : tier}: ${names[tier]}, ${model.contextTokens(tier)} tokens of context, ${price.text}`;
    return { name, state: price.known ? "ok" : "note", text };
  });
  return [...known, { name: "endpoint", state: "ok", text: endpoint(choice) }, budget(choice, known)];
}

const MILLION = 1_000_000;

function priceOf(model: Model, tier: ModelTier): { readonly known: boolean; readonly text: string } {
  // Of a short prompt: some models charge more for long ones.
  const [input, output] = [model.price(tier, 1_000, 0), model.price(tier, 0, 1_000)];
  if (input === null || output === null) return { known: false, text: "no price known" };
  const usd = (of: number) => (of * (MILLION / 1_000)).toFixed(2);
  return { known: true, text: `USD ${usd(input)} a million tokens in, ${usd(output)} out` };
}

function endpoint({ baseUrl, apiKey, structuredOutput, temperature }: ModelChoice): string {
  const host = baseUrl === null ? "api.anthropic.com" : new URL(baseUrl).host;
  const isAnthropic = host === "api.anthropic.com";
  const on = structuredOutput === "on" || (structuredOutput === "auto" && isAnthropic);
  return [
    host,
    apiKey === null ? "without a key" : "with a key",
    `structured output ${on ? "on" : "off"}${structuredOutput === "auto" ? " (auto)" : ""}`,
    ...(temperature === null ? [] : [`temperature ${temperature}`]),
  ].join(", ");
}

function budget({ usdPerMonth: ceiling = null }: ModelChoice, known: readonly Check[]): Check {
  const { usdPerReview, usdPerMonth } = defaultConfig().review.budget;
  const each = `USD ${usdPerReview} a review and ${usdPerMonth} a month and repository, unless .kodiai.yml says otherwise`;
  const text = ceiling === null ? each : `${each}; USD ${ceiling} a month for all of them`;
  const isHeld = known.every(({ state }) => state === "ok");
  return { name: "budget", state: "ok", text: isHeld ? text : `${text}; what has no price counts as free` };
}
