// The part of the configuration that anyone may see: only the keys listed here, which reveal
// nothing about the owner's other repositories, paths or prompts.

import type { RepoConfig } from "./repo-config.ts";

const SHOWN = [
  "preset",
  "review.enabled",
  "review.profile",
  "review.severityThreshold",
  "review.maxComments",
  "review.suggestions",
  "review.drafts",
  "review.bots",
  "review.authors",
  "review.model",
  "review.language",
  "review.budget.usdPerReview",
  "review.budget.usdPerMonth",
  "review.budget.outsiders.percentOfMonth",
  "review.budget.outsiders.reviewsPerDay",
  "pathFilters",
  "pathInstructions",
  "rules",
  "customRules",
  "knowledge.retrieval.enabled",
  "knowledge.retrieval.method",
  "knowledge.retrieval.topK",
  "knowledge.sharing.gives",
  "knowledge.sharing.takes",
];

/**
 * YAML of these keys, with counts in place of lists, and the origin of each value. A file of
 * another repository appears only by its role, because its name may be confidential.
 */
export function configView(config: RepoConfig, origins: ReadonlyMap<string, string>): string {
  return SHOWN.map((key) => `${key}: ${valueText(valueAt(config, key))}${originNote(origins.get(key))}`).join("\n");
}

function valueText(value: unknown): string {
  if (typeof value === "object" && value !== null) return `${Object.keys(value).length} set`;
  return value === null ? "(by profile)" : String(value);
}

function originNote(origin: string | undefined): string {
  if (origin === undefined || origin === "default") return "";
  if (origin === ".kodiai.yml" || origin.startsWith("preset ")) return ` # ${origin}`;
  if (origin.endsWith("/.github/.kodiai.yml")) return " # the owner's defaults";
  // Readers of this repository may not have access to the other one, so its name is left out.
  return origin.endsWith("/.kodiai.yml") ? " # _extends" : "";
}

/** The value under a dotted key; null where there is none. The ids of rules hold no dot. */
export function valueAt(config: unknown, key: string): unknown {
  let value: unknown = config;
  for (const part of key.split("."))
    value = typeof value === "object" && value !== null && Object.hasOwn(value, part) ? Reflect.get(value, part) : null;
  return value;
}
