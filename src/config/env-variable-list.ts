// The environment variables as documents and messages list them, made from their one schema.
import { z } from "zod";
import { EnvVariables } from "./env-variables.ts";

/** A variable as documents tell it. */
export interface EnvVariable {
  readonly name: string;
  readonly description: string;
  /** null: it has none. */
  readonly default: string | null;
  readonly example: string | null;
  readonly required: boolean;
}

const SCHEMA = z.toJSONSchema(EnvVariables, { io: "input", target: "draft-7" });

/** All variables in the order of the schema. */
export const ENV_VARIABLES: readonly EnvVariable[] = Object.entries(EnvVariables.shape).map(([name, schema]) => {
  const property = SCHEMA.properties?.[name];
  const fallback = typeof property === "object" ? property.default : undefined;
  // JSON Schema leaves the examples of transformed values out, so they are read from the schema itself.
  const { description, examples } = schema.meta() as { description?: string; examples?: readonly string[] };
  return {
    name,
    description: description ?? "",
    default: typeof fallback === "string" && fallback !== "" ? fallback : null,
    example: examples?.[0] ?? null,
    required: SCHEMA.required?.includes(name) ?? false,
  };
});
