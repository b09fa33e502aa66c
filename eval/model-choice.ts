// The model whose size and price an evaluation assumes. Nobody is asked.
import { type ModelChoice, readModel } from "../src/config/environment/read-models.ts";

/** @param name of the main model; without it the default */
export function modelChoice(name: string | undefined): ModelChoice {
  const set = new Map([["ANTHROPIC_API_KEY", "nobody-is-asked"]]);
  if (name !== undefined) set.set("KODIAI_MODEL", name);
  const read = readModel(set);
  if ("problems" in read || read.model === null) throw new Error(`--model ${name ?? ""} cannot be used`);
  return read.model;
}
