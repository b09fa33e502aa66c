// A scripted model as the retrieve stage gets it, and what it was asked.
import { budgetedModel, type ModelBudget } from "../../../src/retrieve/model/model-budget.ts";
import { type Script, type ScriptedModel, type ScriptedSettings, scriptedModel } from "../../fakes/scripted-model.ts";

export interface Lent {
  readonly budget: ModelBudget;
  readonly asked: ScriptedModel["asked"];
  /** `PART: REASON` */
  readonly noted: readonly string[];
}

/** A budget of US$ 1 unless said. */
export function lent(
  script: Script,
  { usd = 1, ...settings }: ScriptedSettings & { readonly usd?: number } = {},
): Lent {
  const { model, delimiter, asked } = scriptedModel(script, settings);
  const noted: string[] = [];
  const note = (part: string, reason: string) => noted.push(`${part}: ${reason}`);
  return { budget: budgetedModel({ model, usd, delimiter }, note), asked, noted };
}
