// What a configuration says beyond the defaults, value by value with who said it: to be kept with a review and shown.

import type { Setting } from "../domain/review.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { ParsedConfig } from "./parse-config.ts";

/** A value is told, not kept: the file has it. */
const VALUE_CHARS = 300;
/** Rules may be set one by one. */
const MOST_SETTINGS = 200;

/**
 * @returns the keys that a file set, in the schema's order; values as JSON of at most 300 characters
 */
export function setValues({ config, origins }: Pick<ParsedConfig, "config" | "origins">): readonly Setting[] {
  const said = [...origins].filter(([key, origin]) => origin !== "default" && key !== "rules");
  return said.slice(0, MOST_SETTINGS).map(([key, origin]) => ({ key, value: shownValue(config, key), origin }));
}

/** The value under a dotted key, as JSON; the ids of rules hold no dot. */
export function shownValue(config: unknown, key: string): string {
  let value: unknown = config;
  for (const part of key.split("."))
    value = typeof value === "object" && value !== null && Object.hasOwn(value, part) ? Reflect.get(value, part) : null;
  const text = JSON.stringify(value) ?? "null";
  return text.length > VALUE_CHARS ? `${cutText(text, VALUE_CHARS - 1).toWellFormed()}…` : text;
}
