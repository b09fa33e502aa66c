// What is known about models by their names.
import table from "./prices.json" with { type: "json" };

type KnownModel = (typeof table.models)[keyof typeof table.models];

/** US$ for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

const MODELS = new Map(Object.entries(table.models as Record<string, KnownModel>));

/**
 * @param name as the operator wrote it; a date at its end (`-20261007`) names a snapshot of a model
 * @returns null for any other name: a gateway's name, or another suffix, may have another price
 */
export function knownModel(name: string): KnownModel | null {
  return MODELS.get(name) ?? MODELS.get(name.replace(/-20\d{2}(?:-?\d{2}){2}$/, "")) ?? null;
}
