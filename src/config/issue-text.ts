// The schema's objections as messages that name the fix.
import type { z } from "zod";
import { CONFIG_KEYS } from "./config-keys.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Located } from "./located.ts";

type Issue = z.core.$ZodIssue;

const TYPE_TEXTS: ReadonlyMap<string, string> = new Map([
  ["string", "must be text; put numbers and words such as `true` in quotes"],
  ["array", "must be a list: one value a line, each after `- `"],
  ["object", "must be a mapping: lines of `key: value`, indented"],
  ["record", "must be a mapping: lines of `key: value`, indented"],
  ["int", "must be a whole number"],
]);

/** @param found the value at the issue's path */
export function issueText(issue: Issue, found: Located): string {
  if (issue.code === "invalid_type" && issue.expected === "boolean") return choiceText(["true", "false"], found);
  if (issue.code === "invalid_type" && issue.expected === "number") return numberText(issue);
  if (issue.code === "invalid_type") return TYPE_TEXTS.get(issue.expected) ?? `must be of type ${issue.expected}`;
  if (issue.code === "unrecognized_keys") return "holds a key that is not known";
  if (issue.code === "too_big") return limitText(issue.origin, "at most", Number(issue.maximum));
  if (issue.code === "too_small") return limitText(issue.origin, "at least", Number(issue.minimum));
  const words = choices(issue);
  if (issue.code === "invalid_union" && issue.errors.flat().some((one) => choices(one).length === 0)) {
    return `must be ${typeAt(issue)}`;
  }
  return words.length === 0 ? issue.message : choiceText(words, found);
}

/** The schema says "number" for whole numbers as well if the value is not a number. */
function numberText(issue: Issue): string {
  return typeAt(issue).startsWith("whole") ? "must be a whole number" : "must be a number";
}

/** The type of the key at the issue's path, "" for a path without a key, such as an item of a list. */
function typeAt({ path }: Issue): string {
  const dotted = path.map(String).join(".");
  return CONFIG_KEYS.find((key) => key.path === dotted)?.type ?? "";
}

function choiceText(words: readonly string[], found: Located): string {
  const hint =
    found.kind === "scalar" && words.length > 1 ? didYouMean(String(found.value).slice(0, 100), words) : null;
  return `must be ${oneOf(words)}${hint === null ? "" : `; did you mean \`${hint}\`?`}`;
}

function limitText(origin: string, bound: string, limit: number): string {
  if (origin !== "string") return `must be ${bound} ${limit}`;
  return limit === 1 ? "must not be empty" : `must have ${bound} ${limit.toLocaleString("en")} characters`;
}

function choices(issue: Issue): readonly string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(choices) : [];
}

function oneOf(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}
