// A scripted model as the retrieve room gets it, and what it was asked.
import { type Lender, type Purse, purse } from "../../../src/retrieve/model/model-budget.ts";
import { type Script, type ScriptedModel, type ScriptedSettings, scriptedModel } from "../../fakes/scripted-model.ts";

export interface Lent {
  readonly purse: Purse;
  readonly asked: ScriptedModel["asked"];
  /** `PART: REASON` */
  readonly noted: readonly string[];
}

/** A purse with US$ 1 unless said. */
export function lent(
  script: Script,
  { usd = 1, ...settings }: ScriptedSettings & { readonly usd?: number } = {},
): Lent {
  const { model, delimiter, asked } = scriptedModel(script, settings);
  const noted: string[] = [];
  const lender: Lender = {
    name: model.names.small,
    contextTokens: model.contextTokens("small"),
    usd,
    price: (input, output) => model.price("small", input, output),
    ask: (request) => model.ask(request),
    delimiter,
  };
  return { purse: purse(lender, (part, reason) => noted.push(`${part}: ${reason}`)), asked, noted };
}
