// Every key of .kodiai.yml, read from the one schema: for the documents, the example file and "did you mean".
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

/** The kinds of value under a key. */
export type Shape =
  | { readonly kind: "section"; readonly description: string; readonly keys: ReadonlyMap<string, Shape> }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "value" };

/** The part of JSON Schema that our schema uses. */
interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

const SCHEMA = z.toJSONSchema(ConfigFile, { io: "input", target: "draft-7" }) as JsonSchema;

/** The sections and lists of the file, by key. The root is a section. */
export const CONFIG_SHAPE: Shape & { readonly kind: "section" } = { ...sectionOf(SCHEMA) };

/** The shape at a dotted path of sections, `knowledge.retrieval`; null if the schema has no such key. */
export function shapeAt(path: string): Shape | null {
  let shape: Shape = CONFIG_SHAPE;
  for (const key of path.split(".")) {
    const inner: Shape | undefined = shape.kind === "section" ? shape.keys.get(key) : undefined;
    if (inner === undefined) return null;
    shape = inner;
  }
  return shape;
}

/** All keys in the order of the schema. Keys of a list's items follow the list: `customRules[].id`. */
export const CONFIG_KEYS: readonly ConfigKey[] = keysOf(SCHEMA, "");

function sectionOf(schema: JsonSchema): Shape & { readonly kind: "section" } {
  const keys = Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, shapeOf(inner)] as const);
  return { kind: "section", description: schema.description ?? "", keys: new Map(keys) };
}

function shapeOf(schema: JsonSchema): Shape {
  if (schema.properties !== undefined) return sectionOf(schema);
  return schema.items === undefined ? { kind: "value" } : { kind: "list", of: shapeOf(schema.items) };
}

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
  const others = schema.anyOf?.filter((one) => choices(one).length === 0) ?? [];
  if (others.length > 0) return [...words, ...others.map((one) => `a ${typeText(one)}`)].join(" or ");
  if (words.length > 0) return words.join(", ");
  if (schema.type === "array") return schema.items?.properties === undefined ? "list of text" : "list of mappings";
  if (schema.type === "object") return mappingText(schema);
  if (schema.type === "boolean") return "`true`, `false`";
  if (schema.type === "integer") return `whole number, ${schema.minimum}–${schema.maximum}`;
  return schema.type === "number" ? `number, ${schema.minimum}–${schema.maximum}` : "text";
}

function mappingText({ additionalProperties }: JsonSchema): string {
  const words = typeof additionalProperties === "object" ? quoted(additionalProperties) : [];
  return words.length > 0 ? `mapping to ${words.join(", ")}` : "mapping";
}

function quoted(schema: JsonSchema): readonly string[] {
  return choices(schema).map((word) => `\`${String(word)}\``);
}

function choices(schema: JsonSchema): readonly unknown[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(choices);
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}
