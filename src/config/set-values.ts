// The non-default values of a configuration, each with its origin: stored with a review and shown.

import type { Setting } from "../domain/review.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { ParsedConfig } from "./parse-config.ts";

/** The value is for display only: the file has the full one. */
const VALUE_CHARS = 300;
/** Each rule may be set separately. */
const MAX_SETTINGS = 200;

/**
 * @returns the keys that a file set, in the schema's order; values as JSON of at most 300 characters
 */
export function setValues({ config, origins }: Pick<ParsedConfig, "config" | "origins">): readonly Setting[] {
  const changed = [...origins].filter(([key, origin]) => origin !== "default" && key !== "rules");
  return changed.slice(0, MAX_SETTINGS).map(([key, origin]) => ({ key, value: shownValue(config, key), origin }));
}

/** The value under a dotted key; null where there is none. The ids of rules hold no dot. */
export function valueAt(config: unknown, key: string): unknown {
  let value: unknown = config;
  for (const part of key.split("."))
    value = typeof value === "object" && value !== null && Object.hasOwn(value, part) ? Reflect.get(value, part) : null;
  return value;
}

/** The value under a dotted key, as JSON. */
function shownValue(config: unknown, key: string): string {
  const text = JSON.stringify(valueAt(config, key)) ?? "null";
  return text.length > VALUE_CHARS ? `${cutText(text, VALUE_CHARS - 1).toWellFormed()}…` : text;
}
