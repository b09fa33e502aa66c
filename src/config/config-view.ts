// The part of the effective configuration that anyone may see: keys that reveal nothing about the owner's other repositories,
// paths or prompts. Keys that are not listed are not shown.
import type { RepoConfig } from "./repo-config.ts";

/**
 * YAML of the keys that may be shown, with counts in place of lists of paths, instructions and rules, and the origin of each
 * value. A file of another repository appears only by its role, because its name may be confidential.
 *
 * @param origins as `parseConfig` gives them
 */
export function configView(
  { preset, review, pathFilters, pathInstructions, rules, customRules, knowledge }: RepoConfig,
  origins: ReadonlyMap<string, string>,
): string {
  const { retrieval } = knowledge;
  const entries: readonly (readonly [string, string | number | boolean])[] = [
    ["preset", preset],
    ["review.enabled", review.enabled],
    ["review.profile", review.profile],
    ["review.severityThreshold", review.severityThreshold ?? "(by profile)"],
    ["review.maxComments", review.maxComments],
    ["review.suggestions", review.suggestions],
    ["review.drafts", review.drafts],
    ["review.dependencyBots", review.dependencyBots],
    ["review.model", review.model],
    ["review.language", review.language],
    ["review.newcomers", review.newcomers],
    ["review.budget.usdPerReview", review.budget.usdPerReview],
    ["review.budget.usdPerMonth", review.budget.usdPerMonth],
    ["review.budget.outsiders.percentOfMonth", review.budget.outsiders.percentOfMonth],
    ["review.budget.outsiders.reviewsPerDay", review.budget.outsiders.reviewsPerDay],
    ["pathFilters", `${pathFilters.length} globs`],
    ["pathInstructions", `${pathInstructions.length} entries`],
    ["rules", `${Object.keys(rules).length} set`],
    ["customRules", `${customRules.length} rules`],
    ["knowledge.retrieval.enabled", retrieval.enabled],
    ["knowledge.retrieval.method", retrieval.method],
    ["knowledge.retrieval.topK", retrieval.topK],
    ["knowledge.sharing.gives", knowledge.sharing.gives],
    ["knowledge.sharing.takes", knowledge.sharing.takes],
  ];
  return entries.map(([key, value]) => `${key}: ${value}${originNote(origins.get(key))}`).join("\n");
}

function originNote(origin: string | undefined): string {
  if (origin === undefined || origin === "default") return "";
  if (origin === ".kodiai.yml" || origin.startsWith("preset ")) return ` # ${origin}`;
  if (origin.endsWith("/.github/.kodiai.yml")) return " # the owner's defaults";
  // Readers of this repository may not have access to the other one, so its name is left out.
  return origin.endsWith("/.kodiai.yml") ? " # _extends" : "";
}
