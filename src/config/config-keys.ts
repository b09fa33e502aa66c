// Every key of .kodiai.yml, read from the one schema.
import { z } from "zod";
import { ConfigFile } from "./repo-config.ts";

/** One key that holds a value (sections hold keys and are not listed). */
export interface ConfigKey {
  /** `review.maxComments`, `customRules[].id` */
  readonly path: string;
  /** For people: "true or false", "whole number, 0–20". */
  readonly type: string;
  /** undefined when the key has none. */
  readonly default: unknown;
  /** True for some keys of list items only. */
  readonly required: boolean;
  readonly description: string;
  readonly example: unknown;
}

/** The part of JSON Schema that our schema uses. A section has `properties`, a list `items`. */
export interface JsonSchema extends Pick<z.core.JSONSchema.BaseSchema, Plain> {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

type Plain = "type" | "required" | "enum" | "const" | "minimum" | "maximum" | "description" | "default" | "examples";

const JSON_SCHEMA = z.toJSONSchema(ConfigFile, { io: "input", target: "draft-7" });

export const CONFIG_SCHEMA = JSON_SCHEMA as JsonSchema;

/** The schema at a dotted path of sections, `knowledge.retrieval`; undefined for any other. */
export function schemaAt(path: string): JsonSchema | undefined {
  return path.split(".").reduce<JsonSchema | undefined>((schema, key) => schema?.properties?.[key], CONFIG_SCHEMA);
}

/** For editors. Draft 7 is what YAML language servers support best. */
export function configJsonSchema(): object {
  const { $schema, title, description, ...rest } = JSON_SCHEMA;
  return { $schema, $id: "urn:kodiai:config:1", title, description, ...rest };
}

/** In the order of the schema. Keys of a list's items follow the list: `customRules[].id`. */
export const CONFIG_KEYS: readonly ConfigKey[] = keysOf(CONFIG_SCHEMA, "");

/** The keys of the configuration itself: without `_extends` and those of list items. */
export const VALUE_KEYS = CONFIG_KEYS.filter(({ path }) => path !== "_extends" && !path.includes("[]"));

function keysOf(schema: JsonSchema, prefix: string): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    if (inner.properties !== undefined) return keysOf(inner, `${path}.`);
    const key: ConfigKey = {
      path,
      type: typeText(inner),
      default: inner.default,
      required: schema.required?.includes(name) ?? false,
      description: inner.description ?? "",
      example: inner.examples?.[0],
    };
    return inner.items?.properties === undefined ? [key] : [key, ...keysOf(inner.items, `${path}[].`)];
  });
}

function typeText(schema: JsonSchema): string {
  const words = quoted(schema);
  const others = schema.anyOf?.filter((jsonSchema) => choices(jsonSchema).length === 0) ?? [];
  if (others.length > 0) return [...words, ...others.map((other) => `a ${typeText(other)}`)].join(" or ");
  if (words.length > 0) return words.join(", ");
  if (schema.type === "array") return schema.items?.properties === undefined ? "list of text" : "list of mappings";
  if (schema.type === "object") {
    const { additionalProperties: values } = schema;
    const allowed = typeof values === "object" ? quoted(values).join(", ") : "";
    return allowed === "" ? "mapping" : `mapping to ${allowed}`;
  }
  if (schema.type === "boolean") return "`true`, `false`";
  if (schema.type === "integer") return `whole number, ${schema.minimum}–${schema.maximum}`;
  return schema.type === "number" ? `number, ${schema.minimum}–${schema.maximum}` : "text";
}

function quoted(schema: JsonSchema): readonly string[] {
  return choices(schema).map((word) => `\`${String(word)}\``);
}

function choices(schema: JsonSchema): readonly unknown[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(choices);
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}
